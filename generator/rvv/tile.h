// The micro-tile in vector registers. Its vectors run along one dimension of C, m or n; each meets
// every scalar of the other panel's row.
//
//    vectors along m:      n_r columns (B scalars)
//                         .---.---.---.
//                  m_r    |c00|c01|c02|   vector row 0: `lanes` rows of C
//                  rows   |c10|c11|c12|   vector row 1
//                         |c20|c21|c22|   last vector row: `tail` rows, tail <= lanes
//                         `---'---'---'
//
// Along n it is the same picture turned: vectors come from the B panel, scalars from A.
//
// A cell is one LMUL group that accumulates C. Complex elements have two parts: a k step brings the
// real and the imaginary vector of every vector row and both parts of every scalar, and a cell is a
// pair of groups:
//
//     re += re * re      re -= im * im      im += re * im      im += im * re
//
// so every vector of the step still meets every scalar once.
#pragma once

#include "generator/core/kernel_point.h"
#include "generator/rvv/choices.h"

namespace quern::generator::rvv {

struct Tile {
  DTypeInfo type;
  int m_r = 0;
  int n_r = 0;
  bool along_n = false;
  bool c_row_major = false;
  bool any_vlen = false;
  int vlen = 0;
  Lmul lmul;  // of a panel's vector

  int along = 0;        // elements of the tile along its vectors
  int across = 0;       // and across them
  int lanes = 0;        // elements of one LMUL group
  int vector_rows = 0;  // ceil(along / lanes)
  int tail = 0;         // elements in the last vector row, 1..lanes

  // What one k step loads, and how many multiply-accumulates it makes of that.
  int vectors() const { return type.parts * vector_rows; }
  int scalars() const { return type.parts * across; }
  int fmas() const { return vectors() * scalars(); }
  // LMUL groups that accumulate, and the LMUL of each: a widening product is twice as wide.
  int accumulators() const { return type.parts * vector_rows * across; }
  Lmul sum_lmul() const { return type.widening() ? lmul.doubled() : lmul; }
  // Vectors lie in C as they lie in memory; else their elements are a leading dimension apart.
  bool unit_stride_c() const { return along_n == c_row_major; }
  // Only the last of several vectors is cut to its rows.
  bool has_tail() const { return vector_rows > 1; }

  int panel_bytes() const { return type.panel_bits / 8; }
  int sum_bytes() const { return type.sum_bits / 8; }

  // Where the product of vector i (of vectors()) and scalar j (of scalars()) of a k step goes.
  struct Product {
    int row = 0, column = 0;  // vector row and scalar column
    int part = 0;             // of the sum: 0 real, 1 imaginary
    bool subtract = false;
  };
  Product product(int i, int j) const;
  // Index of an accumulator; the two parts of a complex one are neighbours.
  int accumulator(int row, int column, int part) const {
    return (row * across + column) * type.parts + part;
  }

  // Vector registers, with `groups` groups for a panel's vectors (or what takes their place). The
  // update of C needs room for one vector of C there.
  int vector_registers(int groups) const;
};

// The tile of a complete point of the rvv family.
Tile tile_of(const KernelPoint& point);

}  // namespace quern::generator::rvv
