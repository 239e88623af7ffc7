// Staging: elements that lie where no stream can hand them to a packed instruction are copied into
// a workspace by the integer core, which has nothing else to do while the sequencer works.
//
//   source row            | a b c d e f |
//   spread                | a . b . c . ...            one element a word, to be replicated
//   one copy a column     | a b c d | b c d e | c d e f |      of a window of three
//   two rows, interleaved | a A b B c C ...            pairs along a reduction, for dot products
//
// Either everything is copied before the streams start, or row by row: the rows of one iteration
// of the outermost iterator while the FPU works on the iteration before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quern::generator::snitch {

// target[copy.target + target_step * e] = source[copy.source + source_step * e] for e < count.
struct StagedCopy {
  std::int64_t source = 0, target = 0;  // bytes
  std::int64_t bytes = 4;               // stored; more than an element: zeros above it
};

struct Staging {
  std::string name;          // of what is copied
  int argument = 0;          // source: pointer in a<argument>,
  std::int64_t offset = 0;   // first row,
  std::int64_t row = 0;      // bytes from row to row
  std::int64_t element = 4;  // bytes loaded at once
  std::int64_t source_step = 4, target_step = 4, count = 1;
  std::vector<StagedCopy> copies;
  std::int64_t target_row = 0;  // bytes from staged row to staged row

  // Copied at once: how many rows, and where they go in the workspace. Row by row: how many rows
  // one more iteration needs, and how many the first one needs beyond those.
  std::int64_t rows = 1, target = 0;
  std::int64_t halo = 0;
  // Row by row: two buffers of one step's rows take turns; else every row has its place.
  bool alternating = false;

  // Instructions to copy one row (modelled; used only to choose).
  double row_cycles() const;
  // Distinct elements that `unroll` values of e load, as source offsets in bytes.
  std::vector<std::int64_t> loads(std::int64_t unroll) const;
  // Values of e at a time, so that offsets fit into instructions and elements into registers.
  std::int64_t unroll() const;
};

// Like a stream pattern, innermost first: "9x1 (4,36) of a0, 4 bytes -> (8,72)" are 9 elements a row,
// 4 bytes apart, and rows 36 bytes apart, which get 8 and 72; then the copies if there are several.
std::string print(const Staging& staging);

}  // namespace quern::generator::snitch
