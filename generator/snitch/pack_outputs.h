// Packed SIMD along the output's row: the lanes of a word are neighbouring outputs. What all of
// them share must lie in every lane (or in the lowest, for instructions that replicate it), and
// what differs must lie side by side: operands that do not are staged (staging.h).
//
//   matmul, dense   A spread row by row; for halves B interleaved first, two rows of it a row
//   matmul_t        likewise, B transposed first (of halves: in pairs)
//   windows         each row of X copied for each column of the window, aligned to words
//
// Rows of outputs must be whole words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/snitch/loop_nest.h"

namespace quern::generator::snitch {

struct PackedOutputs {
  LoopNest words;
  std::vector<Staging> staged_first;  // before the streams start
  // Its end in the workspace, except buffers that take turns: their size depends on tiles.
  std::int64_t workspace_bytes = 0;
};

// When the left operand of a product is spread: a row at a time, or all of it first.
enum class Spread { row_by_row, first };

// `nest`: a reduction over f32 or f16 elements; a<workspace> points to the workspace, of which the
// first `used` bytes are taken. nullopt and the reason in `why` when the lanes cannot be outputs.
std::optional<PackedOutputs> pack_outputs(const LoopNest& nest, int workspace, std::string& why,
                                          Spread spread = Spread::row_by_row,
                                          std::int64_t used = 0);

// For partial sums over matrices with B[k, n]: B transposed first.
std::optional<PackedOutputs> transpose_right_operand(const LoopNest& nest, int workspace,
                                                     std::string& why);

}  // namespace quern::generator::snitch
