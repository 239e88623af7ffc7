// Which of the shipped kernel families runs a problem.
//
// The choice looks only at the shape. It counts what the vector unit has to do with each family,
// edges included: one FMA and its share of the loads for every vector of every micro-tile, for
// whole k. That is what differs between families; packing and cache misses are nearly the same for
// all.
#pragma once

#include <cstdint>

#include "gemm/kernel_family.h"

namespace quern::gemm {

// Vector work of one m x n layer of k, in FMA slots: a vector of a tile costs an FMA a column and a
// load; a row of B costs a scalar load a column.
template <class Types>
double vector_work(const KernelFamily<Types>& family, std::int64_t m, std::int64_t n) {
  // Load costs in FMA slots: a unit-stride vector load occupies the memory unit twice as long as an
  // FMA occupies the FMA unit on C908 and X60 (rvv-bench: 2 to 2.45 cycles); half of it hides. Two
  // scalar loads fit in one cycle.
  // A complex element has two numbers to load and four products.
  constexpr double parts = Types::parts, fmas = parts * parts;
  constexpr double vector_load = 1.0 * parts, scalar_load = 0.25 * parts;
  const auto tile_row = [&](std::int64_t rows) {
    const double vectors = static_cast<double>((rows + family.lanes - 1) / family.lanes);
    const auto tile = [&](std::int64_t columns) {
      return vectors * (fmas * static_cast<double>(columns) + vector_load) +
             static_cast<double>(columns) * scalar_load;
    };
    const std::int64_t full = n / family.n_r, rest = n % family.n_r;
    return static_cast<double>(full) * tile(family.n_r) + (rest > 0 ? tile(rest) : 0);
  };
  const std::int64_t full = m / family.m_r, rest = m % family.m_r;
  return static_cast<double>(full) * tile_row(family.m_r) + (rest > 0 ? tile_row(rest) : 0);
}

// Index of the family with the least work; the earlier one where two are equal.
template <class Families>
int choose_family(const Families& families, int count, std::int64_t m, std::int64_t n) {
  int best = 0;
  for (int i = 1; i < count; ++i) {
    if (vector_work(families[i].family, m, n) < vector_work(families[best].family, m, n)) best = i;
  }
  return best;
}

}  // namespace quern::gemm
