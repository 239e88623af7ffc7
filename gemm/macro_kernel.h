// The macro-kernel: the two loops that run micro-kernels over a packed block of A and a packed
// block of B.
//
//     for each n_r columns of B's block   (its panel stays in L1)
//       for each m_r rows of A's block    (panels stream from L2)
//         C tile += A panel * B panel
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm/kernel_family.h"

namespace quern::gemm {

// C (m x n, column-major, ldc) = alpha * A * B + beta * C with A (m x k) and B (k x n) packed by
// pack_block.
template <class Types>
void macro_kernel(const KernelFamily<Types>& family, std::int64_t m, std::int64_t n, std::int64_t k,
                  typename Types::Sum alpha, const typename Types::Panel* packed_a,
                  const typename Types::Panel* packed_b, typename Types::Sum beta,
                  typename Types::Sum* c, std::int64_t ldc) {
  const std::int64_t step = k * Types::parts;
  for (std::int64_t j = 0; j < n; j += family.n_r) {
    const std::int64_t columns = std::min<std::int64_t>(family.n_r, n - j);
    for (std::int64_t i = 0; i < m; i += family.m_r) {
      const std::int64_t rows = std::min<std::int64_t>(family.m_r, m - i);
      family.kernel(rows, columns)(rows, k, &alpha, packed_a + i * step, packed_b + j * step, &beta,
                                   c + j * ldc + i, ldc);
    }
  }
}

}  // namespace quern::gemm
