// The timing model against published figures: `quern validate-model`.
//
//   results/published/gemm-f32.json --> rows  {what, published, modelled, error}
//   naive_gemm.h --compiler--> program --qemu, timing plugin--> modelled
//
// Nothing in the model was set from these rows (DESIGN section 6, rule 4). A published range is met
// when the modelled figure lies in it; else the error is the distance to its nearer end.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json_file.h"
#include "boards/board.h"

namespace quern::boards {

struct ValidationRow {
  std::string what;
  double published_min = 0, published_max = 0;  // GFLOPS
  double modelled = 0;                          // GFLOPS
  double error = 0;                             // relative; 0 inside the range
  double goal = 0;                              // relative error that the model aims at
  bool met() const { return error <= goal && error >= -goal; }
  std::string cause;  // of a row that is not met: what is thought to be, and how it was looked for
};

double range_error(double modelled, double low, double high);

struct ValidationOptions {
  bool quick = false;  // isolated peaks and the two small layers only
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

// Throws bad_input for a board without published figures (lists those that have some).
std::vector<ValidationRow> validate_model(const Board& board, const std::filesystem::path& root,
                                          const std::filesystem::path& build,
                                          const ValidationOptions& options);

}  // namespace quern::boards
