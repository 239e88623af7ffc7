// Packed SIMD on level 1: a nest over f32 or f16 elements becomes one over 64-bit words, where the
// data lie so that this is possible, and a rest of single elements.
//
//   elementwise   one flat loop over words            rest: fewer than `lanes` elements
//   dot           words along k, partial sums         rest likewise
//   matmul_t      words along k, partial sums         k a multiple of the lanes; else not packed
//
// Lanes that hold outputs of a reduction: pack_outputs.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/snitch/loop_nest.h"

namespace quern::generator::snitch {

struct Packed {
  std::optional<LoopNest> words;  // nullopt: fewer elements than one word holds
  std::optional<LoopNest>
      rest;  // unpacked; for a reduction it adds to what `words` left in the output
};

// nullopt, and the reason in `why`, when the nest must stay unpacked. f64 nests are packed as they
// are.
std::optional<Packed> pack(const LoopNest& nest, std::string& why);

}  // namespace quern::generator::snitch
