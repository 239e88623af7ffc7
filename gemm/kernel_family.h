// A kernel family: the micro-kernels that together cover one m_r x n_r tile and all its edges.
//
//              n = 1   2   ...  n_r
//    1 vector   [k]   [k]  ...  [k]      each entry takes any number of rows that fills its last
//    2 vectors  [k]   [k]  ...  [k]      vector at least by one: 1..lanes, lanes+1..2*lanes, ...
//
// The macro-kernel sees kernels only through this table; who wrote them, and for which machine, it
// cannot tell. Their vectors run along m and C is column-major: other forms of micro-kernels are
// not for BLAS.
#pragma once

#include <cstdint>

#include "gemm/micro_kernel.h"
#include "gemm/pack.h"

namespace quern::gemm {

template <class Types>
struct KernelFamily {
  const char* id;                     // of the full tile's kernel point
  int m_r;                            // rows of a full tile
  int n_r;                            // columns of a full tile
  int lanes;                          // rows of one vector
  const MicroKernel<Types>* kernels;  // [vector_rows][n_r], row-major
  PackPair<Types> pack_a;             // for panels of m_r rows
  PackPair<Types> pack_b;             // for panels of n_r columns

  // The kernel for a tile of `rows` x `columns`, 1 <= rows <= m_r, 1 <= columns <= n_r.
  MicroKernel<Types> kernel(std::int64_t rows, std::int64_t columns) const {
    return kernels[(rows - 1) / lanes * n_r + columns - 1];
  }
};

// Builds the table entry of a tile whose sizes are known at compile time, so that packing is
// unrolled for it.
template <class Types, int MR, int NR>
constexpr KernelFamily<Types> make_family(const char* id, int lanes,
                                          const MicroKernel<Types>* kernels) {
  return {id, MR, NR, lanes, kernels, pack_pair<Types, MR>(), pack_pair<Types, NR>()};
}

}  // namespace quern::gemm
