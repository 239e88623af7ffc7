// Pooling over f32 and f16: windows of 3x3 at stride 2, folded inside a word.
//
// Streams deliver pairs of neighbouring columns. Rows of X are odd (2n + 1), so that the pairs of
// every other row start one column before:
//
//   rows 2m, 2m+2   | e0 e1 | e2 .. | ..        the window of an output: e0 e1 e2 in both,
//   row  2m+1     .. o0 | o1 o2 | ..                                     o0 o1 o2
//
// No instruction moves a lane down, but those that replicate the lowest lane of their second
// operand (op.r) bring it up. So the result of a window is collected in the upper lane of its pair:
//
//   V_c = e_c op e'_c                 both even rows; V_{c+1} serves the next output too
//   w   = (.. o0) op.r V_{c+1}        upper lane: o0, e2
//   t   = V_c op (o1 o2)
//   w   = w op.r t                    upper lane: and e0, o1
//   out = w op t                      upper lane: and e1, o2
//
// five instructions an output, where the unpacked kernel has nine. Results leave as one word each,
// into a workspace; the integer core takes them from there, a chunk of rows while the next one is
// at work. It also puts pairs of halves (f16) into words of their own before they are streamed,
// since a word of them holds two pairs. Sums of halves are converted first: they are kept in f32.
#pragma once

#include <optional>
#include <string>

#include "generator/snitch/stream_nest.h"

namespace quern::generator::snitch {

struct FoldedWindows {
  StreamNest streams;
  std::int64_t jam = 1;        // outputs of a tile; where they do not divide a row, its last tile
                               // computes some that nobody takes
  std::int64_t row_tiles = 1;  // of a row of outputs
  std::int64_t rows = 1;       // of outputs in a chunk, which is one hardware loop
  bool converts = false;       // pairs of halves to f32
  // Pairs into words, a row at a time, and the last pairs of the window below beforehand.
  std::optional<Staging> spread, spread_first;
  Staging take;             // upper lanes of the results
  int output_argument = 0;  // which they go to
  std::int64_t workspace_bytes = 0;
  double cycles = 0;  // modelled; used only to choose
};

// `nest`: a pooling nest over f32 or f16. a<workspace> points to the workspace, which can have
// `room` bytes. nullopt and the reason in `why` where it does not fit.
std::optional<FoldedWindows> fold_windows(const LoopNest& nest, int workspace, std::int64_t room,
                                          const Machine& machine, std::string& why);

// Is it a nest of the above kind?
bool is_pooling(const LoopNest& nest);

// FP instructions of one tile.
std::int64_t tile_instructions(const FoldedWindows& windows);

std::string print(const FoldedWindows& windows);

}  // namespace quern::generator::snitch
