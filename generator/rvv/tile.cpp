#include "generator/rvv/tile.h"

#include <string>

namespace quern::generator::rvv {

Tile tile_of(const KernelPoint& point) {
  Tile tile;
  tile.m_r = point.m_r;
  tile.n_r = point.n_r;
  tile.vlen = std::stoi(point.choices.at("vlen"));
  tile.lmul = std::stoi(point.choices.at("lmul"));
  tile.element_bits = info(point.dtype).panel_bits;
  tile.lanes = tile.vlen / tile.element_bits * tile.lmul;
  tile.vector_rows = (tile.m_r + tile.lanes - 1) / tile.lanes;
  tile.tail = tile.m_r - (tile.vector_rows - 1) * tile.lanes;
  return tile;
}

}  // namespace quern::generator::rvv
