// The micro-kernel contract: what every generated kernel promises and what every caller must
// provide.
//
//        k ->              n_r ->                    n_r ->
//      .-------.         .--------.                .--------.
//    m | A     |  x    k | B      |   -->        m | C      |   C = alpha * A * B + beta * C
//      '-------'         '--------'                '--------'
//    packed panel       packed panel            column-major, ldc
//
//   A panel: m x k, one column of m elements after the other (element (i, p) at a[p * m + i]).
//   B panel: k x n_r, one row of n_r elements after the other (element (p, j) at b[p * n_r + j]).
//   C:       element (i, j) at c[j * ldc + i], ldc >= m.
//
// Promises of a kernel:
//   * It reads exactly the m * k elements of the A panel and the k * n_r elements of the B panel,
//   nothing before
//     or behind; panels need the alignment of an element only, and so does C.
//   * It reads and writes the m x n_r elements of C and no others. With *beta == 0 C is not read,
//   so that a NaN
//     there does not survive. Otherwise NaN and infinity spread as IEEE 754 says.
//   * k = 0 is legal: C = beta * C, and with beta = 0 C = 0.
//   * Its result is the same for the same operands, whatever the alignment.
//
// Rows: a kernel that was made for m_r rows takes every m that needs as many vectors as m_r (its
// last vector is cut to length), so one kernel serves many edges of C in m. Edges in n are served
// by kernels with a smaller n_r (kernel_family.h).
#pragma once

#include <cstdint>

namespace quern::gemm {

// alpha and beta are passed by address so that complex and 16-bit types have the same shape.
template <class T>
using MicroKernel = void (*)(std::int64_t m, std::int64_t k, const T* alpha, const T* a, const T* b,
                             const T* beta, T* c, std::int64_t ldc);

}  // namespace quern::gemm
