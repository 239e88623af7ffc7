// The work of one k step as a list of operations in program order, between the tile and the text.
//
// A vectors are outermost: a vector row is loaded, meets every B scalar of the row, and dies.
//
//     load b0..b2 | load a0 | c00 += a0*b0  c01 += a0*b1  c02 += a0*b2 | load a1 | c10 += ...
//
// The other order (B scalars outermost) would change the vector length for every FMA of a tile with
// a tail; this one needs one A register at a time.
#pragma once

#include <vector>

#include "generator/rvv/tile.h"

namespace quern::generator::rvv {

struct Operation {
  enum Kind {
    load_a,  // vector row i of A's column p
    load_b,  // scalar j of B's row p
    fma,     // c[i][j] += a[i] * b[j]
  };
  Kind kind;
  int i = 0;  // vector row
  int j = 0;  // column
};

std::vector<Operation> k_step(const Tile& tile);

}  // namespace quern::generator::rvv
