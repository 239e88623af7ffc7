// The micro-tile in vector registers: rows along the vectors, columns one accumulator after the
// other.
//
//              n_r columns (B scalars)
//           .---.---.---.
//    m_r    |c00|c01|c02|   vector row 0: `lanes` rows of C
//    rows   |c10|c11|c12|   vector row 1
//           |c20|c21|c22|   last vector row: `tail` rows, tail <= lanes
//           `---'---'---'
//
// Every cell is one LMUL group that accumulates C; a vector row also needs its part of the A panel.
#pragma once

#include "generator/core/kernel_point.h"

namespace quern::generator::rvv {

struct Tile {
  int m_r = 0;
  int n_r = 0;
  int vlen = 0;
  int lmul = 0;
  int element_bits = 0;
  int lanes = 0;        // elements of one LMUL group
  int vector_rows = 0;  // ceil(m_r / lanes)
  int tail = 0;         // rows in the last vector row, 1..lanes

  int accumulators() const { return vector_rows * n_r; }
  // Vector registers: the accumulators and the LMUL groups of A; one is the least that the loop
  // order needs.
  int vector_registers(int a_groups = 1) const { return (accumulators() + a_groups) * lmul; }
};

// The tile of a complete point of the rvv family.
Tile tile_of(const KernelPoint& point);

}  // namespace quern::generator::rvv
