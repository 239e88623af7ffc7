#include "generator/rvv/loop_body.h"

namespace quern::generator::rvv {

std::vector<Operation> k_step(const Tile& tile) {
  std::vector<Operation> operations;
  for (int j = 0; j < tile.n_r; ++j) operations.push_back({Operation::load_b, 0, j});
  for (int i = 0; i < tile.vector_rows; ++i) {
    operations.push_back({Operation::load_a, i, 0});
    for (int j = 0; j < tile.n_r; ++j) operations.push_back({Operation::fma, i, j});
  }
  return operations;
}

}  // namespace quern::generator::rvv
