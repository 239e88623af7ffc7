// The micro-kernel contract: what every generated kernel promises and what every caller must
// provide.
//
//        k ->              n ->                      n ->
//      .-------.         .--------.                .--------.
//    m | A     |  x    k | B      |   -->        m | C      |   C = alpha * A * B + beta * C
//      '-------'         '--------'                '--------'
//    packed panel       packed panel              in place, ldc
//
//   A panel: m x k, one column of m elements after the other (element (i, p) at a[p * m + i]).
//   B panel: k x n, one row of n elements after the other (element (p, j) at b[p * n + j]).
//   C:       element (i, j) at c[j * ldc + i], ldc >= m (column-major), or, for kernels of that
//            form, at c[i * ldc + j], ldc >= n (row-major).
//
// What a panel and C hold: gemm/element.h. A step of k of a complex panel is all real parts, then
// all imaginary ones (a[p * 2m + i] and a[p * 2m + m + i], likewise B); C, alpha and beta are
// ordinary complex numbers, real part first. Sums of integers wrap modulo 2^32.
//
// `along` is the size of C in the direction of the kernel's vectors: its rows m if they run along
// m, its columns n if they run along n. The other size is the tile's own. A kernel takes every
// `along` that needs as many vectors as its full tile (the last vector is cut to length): from
// (tile - 1) / lanes * lanes + 1 up to the tile. So one kernel serves many edges of C in that
// direction; edges in the other are served by kernels made for them (kernel_family.h). A kernel for
// any VLEN has lanes * (VLEN / VLEN of its point) lanes, and takes every `along` from
// (vectors - 1) * lanes + 1 to vectors * lanes of these.
//
// Promises of a kernel:
//   * It reads the two panels and nothing before or behind them. Operands need the alignment of one
//     of their numbers only.
//   * It reads and writes the elements of C and no others. With *beta == 0 C is not read, so that a
//     NaN there does not survive. Otherwise NaN and infinity spread as IEEE 754 says (through
//     *alpha == 0 they may or may not), and subnormal numbers are kept.
//   * k = 0 is legal: C = beta * C, and with beta = 0 C = 0.
//   * Its result is the same for the same operands, whatever the alignment.
#pragma once

#include <cstdint>

#include "gemm/element.h"

namespace quern::gemm {

// alpha and beta are passed by address so that complex and 16-bit types have the same shape.
template <class Types>
using MicroKernel = void (*)(std::int64_t along, std::int64_t k, const typename Types::Sum* alpha,
                             const typename Types::Panel* a, const typename Types::Panel* b,
                             const typename Types::Sum* beta, typename Types::Sum* c,
                             std::int64_t ldc);

}  // namespace quern::gemm
