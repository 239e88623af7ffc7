// GEMM shapes: what `--shapes` names.
//
//   bert-large                 a set of bench/shapes.json
//   my-model.json              a file: {"rows": [{"name": "fc1", "m": 1024, "n": 384, "k": 64},
//   ...]}, or sets as in
//                              bench/shapes.json
//   my-model.csv, .dat, .txt   a file: lines "name m n k" or "name,m,n,k"; "#" starts a comment
//   1024,384,64                one shape
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace quern::bench {

struct Shape {
  std::string name;
  std::int64_t m = 0, n = 0, k = 0;
};

// Throws bad_input with file, line or JSON pointer. Sizes are whole numbers of 0 or more; each is
// below 2^31 (the BLAS libraries take 32-bit sizes) and A, B and C must fit into 16 GiB.
std::vector<Shape> find_shapes(const std::filesystem::path& root, const std::string& what);

// The names of the sets in bench/shapes.json.
std::vector<std::string> shape_sets(const std::filesystem::path& root);

}  // namespace quern::bench
