// A kernel family: the micro-kernels that together cover one m_r x n_r tile and all its edges.
//
//              n = 1   2   ...  n_r
//    1 vector   [k]   [k]  ...  [k]      each entry takes any number of rows that fills its last
//    vector 2 vectors  [k]   [k]  ...  [k]      at least by one: 1..lanes, lanes+1..2*lanes, ...
//
// The macro-kernel sees kernels only through this table; who wrote them, and for which machine, it
// cannot tell.
#pragma once

#include <cstdint>

#include "gemm/micro_kernel.h"
#include "gemm/pack.h"

namespace quern::gemm {

template <class T>
struct KernelFamily {
  const char* id;                 // of the full tile's kernel point
  int m_r;                        // rows of a full tile
  int n_r;                        // columns of a full tile
  int lanes;                      // rows of one vector
  const MicroKernel<T>* kernels;  // [vector_rows][n_r], row-major
  PackPair<T> pack_a;             // for panels of m_r rows
  PackPair<T> pack_b;             // for panels of n_r columns

  // The kernel for a tile of `rows` x `columns`, 1 <= rows <= m_r, 1 <= columns <= n_r.
  MicroKernel<T> kernel(std::int64_t rows, std::int64_t columns) const {
    return kernels[(rows - 1) / lanes * n_r + columns - 1];
  }
};

// Builds the table entry of a tile whose sizes are known at compile time, so that packing is
// unrolled for it.
template <class T, int MR, int NR>
constexpr KernelFamily<T> make_family(const char* id, int lanes, const MicroKernel<T>* kernels) {
  return {id, MR, NR, lanes, kernels, pack_pair<T, MR>(), pack_pair<T, NR>()};
}

}  // namespace quern::gemm
