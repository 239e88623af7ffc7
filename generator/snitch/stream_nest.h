// Level 2: the nest tiled, its loops ordered, and every operand given a place: a stream (bounds,
// strides, repeat), a register, or memory.
//
//   streams matmul {
//     for n.tile: 2                     integer loop: pointers are advanced and streams restarted
//       tile m: 4                       runs in the sequencer
//         reduce k: 16
//           jam n: 8                    unrolled; one accumulator each
//     ft0 <- A  16x4 (8,128) repeat 8   dimensions innermost first: extents, byte strides
//     ft1 <- B  8x16x4 (8,64,0)
//     ft2 -> C  8x4 (8,128)
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generator/snitch/loop_nest.h"
#include "generator/snitch/machine.h"

namespace quern::generator::snitch {

struct StreamDimension {
  std::int64_t extent = 1;
  std::int64_t stride = 0;  // bytes, of this dimension alone
  friend bool operator==(const StreamDimension&, const StreamDimension&) = default;
};

// The addresses of one stream job: nested dimensions, innermost first.
struct StreamPattern {
  std::vector<StreamDimension> dimensions;
  std::int64_t repeat = 1;  // deliveries of each element
  std::int64_t offset = 0;  // bytes from the operand's pointer

  std::int64_t elements() const;
  // What the hardware wants: each stride is the increment of one running pointer.
  std::vector<std::int64_t> increments() const;
  friend bool operator==(const StreamPattern&, const StreamPattern&) = default;
};

// Drops dimensions of one iteration, turns an innermost stride of 0 into repeat where `may_repeat`
// and it fits, and joins dimensions that continue each other.
StreamPattern simplify(StreamPattern pattern, bool may_repeat, const Machine& machine);

// Why a pattern cannot be a stream job; empty if it can.
std::string unstreamable(const StreamPattern& pattern, const Machine& machine);

struct TiledLoop {
  int iterator = 0;         // of the nest
  std::int64_t extent = 1;  // iterations
  std::int64_t step = 1;    // iterator values that one iteration covers
};

struct StreamedOperand {
  enum class Place { stream, registers, memory } place = Place::stream;
  int operand = 0;
  int mover = 0;
  StreamPattern pattern;
  // The pattern covers the integer loops too: started once, before them.
  bool covers_hoisted = false;
};

struct StreamNest {
  LoopNest nest;
  std::vector<TiledLoop> hoisted;     // integer loops, outermost first
  std::vector<TiledLoop> tiles;       // outermost first
  std::vector<TiledLoop> reductions;  // outermost first
  std::vector<TiledLoop> jam;         // outermost first
  std::vector<StreamedOperand> operands;

  std::int64_t tile_count() const;
  std::int64_t reduction_length() const;
  std::int64_t jam_factor() const;
  const StreamedOperand* find(int operand) const;
};

// How many values of each parallel iterator are jammed.
using JamFactors = std::vector<std::int64_t>;

// Places the operands of `nest`, tiled by `jam` (which must divide the extents).
// `output_in_memory`: the output is loaded and stored by instructions instead of streamed. `why`
// gets the reason when there is no way to stream the nest.
std::optional<StreamNest> place_streams(const LoopNest& nest, const JamFactors& jam,
                                        bool output_in_memory, const Machine& machine,
                                        std::string& why);

std::string print(const StreamNest& nest);
std::string print(const StreamPattern& pattern);

}  // namespace quern::generator::snitch
