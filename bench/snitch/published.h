// Published cycles of Snitch kernels, and this generator's beside them.
//
//   {"source": ..., "timing": "rtl", "rows": [{"kernel": "sum", "dtype": "f32", "m": 8, "n": 40,
//   "k": 1,
//    "cycles": 195, "implementation": "linalg_xdsl"}, ...]}
//
// The format is results/published/snitch_kernels.schema.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/snitch/runner.h"

namespace quern::bench::snitch {

struct PublishedRow {
  generator::snitch::Point point;
  std::uint64_t cycles = 0;
  std::string implementation;
};

// Throws bad_input with line or pointer. `root`: the checkout, where the schema is.
std::vector<PublishedRow> read_published(const std::filesystem::path& file,
                                         const std::filesystem::path& root);

// Right, and not slower than published.
bool reaches(const PublishedRow& row, const Result& result);

}  // namespace quern::bench::snitch
