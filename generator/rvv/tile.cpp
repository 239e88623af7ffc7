#include "generator/rvv/tile.h"

#include <algorithm>

namespace quern::generator::rvv {

Tile::Product Tile::product(int i, int j) const {
  // Reals of all rows come first, then imaginaries; likewise the scalars.
  const int vector_part = i / vector_rows, scalar_part = j / across;
  return {i % vector_rows, j % across, vector_part ^ scalar_part,
          vector_part == 1 && scalar_part == 1};
}

int Tile::vector_registers(int groups) const {
  const int sum = sum_lmul().registers();
  return accumulators() * sum + std::max(groups * lmul.registers(), sum);
}

Tile tile_of(const KernelPoint& point) {
  const Choices choices = choices_of(point);
  Tile tile;
  tile.type = info(point.dtype);
  tile.m_r = point.m_r;
  tile.n_r = point.n_r;
  tile.along_n = choices.along_n;
  tile.c_row_major = choices.c_row_major;
  tile.any_vlen = choices.any_vlen;
  tile.vlen = choices.vlen;
  tile.lmul = choices.lmul;
  tile.along = tile.along_n ? tile.n_r : tile.m_r;
  tile.across = tile.along_n ? tile.m_r : tile.n_r;
  tile.lanes = tile.vlen / tile.type.panel_bits * tile.lmul.halves / 2;
  tile.vector_rows = (tile.along + tile.lanes - 1) / tile.lanes;
  tile.tail = tile.along - (tile.vector_rows - 1) * tile.lanes;
  return tile;
}

}  // namespace quern::generator::rvv
