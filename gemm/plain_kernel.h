// Micro-kernels in plain C++: the contract of micro_kernel.h in its simplest form, for every type
// and form. They let the GEMM around the kernels, and the checks of kernels, be tested on any
// machine.
#pragma once

#include <array>
#include <utility>

#include "gemm/kernel_family.h"

namespace quern::gemm {

namespace detail {

// One real number of a sum, in the arithmetic of its type; integers wrap.
template <class Real>
Real add_product(Real sum, Real x, Real y) {
  if constexpr (std::is_integral_v<Real>) {
    return static_cast<Real>(static_cast<std::uint32_t>(sum) +
                             static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
  } else {
    return static_cast<Real>(sum + x * y);
  }
}

template <class Real>
struct PlainSum {
  Real real = 0, imaginary = 0;
};

// sum + x * y, part by part.
template <class Types, class Real>
PlainSum<Real> plain_step(PlainSum<Real> sum, PlainSum<Real> x, PlainSum<Real> y) {
  sum.real = add_product(sum.real, x.real, y.real);
  if constexpr (Types::complex) {
    sum.real = add_product(sum.real, static_cast<Real>(-x.imaginary), y.imaginary);
    sum.imaginary = add_product(sum.imaginary, x.real, y.imaginary);
    sum.imaginary = add_product(sum.imaginary, x.imaginary, y.real);
  }
  return sum;
}

template <class Types>
PlainSum<typename Types::Real> plain_parts(const typename Types::Sum& value) {
  if constexpr (Types::complex) {
    return {value.real(), value.imag()};
  } else {
    return {value, 0};
  }
}

// Element i of a step of a panel of width w.
template <class Types>
PlainSum<typename Types::Real> panel_element(const typename Types::Panel* step, std::int64_t w,
                                             std::int64_t i) {
  using Real = typename Types::Real;
  if constexpr (Types::complex) {
    return {static_cast<Real>(step[i]), static_cast<Real>(step[w + i])};
  } else {
    static_cast<void>(w);
    return {static_cast<Real>(step[i]), 0};
  }
}

}  // namespace detail

// Any m x n, with element (i, j) of C at c[i * row_step + j * column_step].
template <class Types>
void plain_tile(std::int64_t m, std::int64_t n, std::int64_t k, const typename Types::Sum* alpha,
                const typename Types::Panel* a, const typename Types::Panel* b,
                const typename Types::Sum* beta, typename Types::Sum* c, std::int64_t row_step,
                std::int64_t column_step) {
  using Sum = typename Types::Sum;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      detail::PlainSum<typename Types::Real> sum, out;
      for (std::int64_t p = 0; p < k; ++p) {
        sum = detail::plain_step<Types>(
            sum, detail::panel_element<Types>(a + p * m * Types::parts, m, i),
            detail::panel_element<Types>(b + p * n * Types::parts, n, j));
      }
      Sum& place = c[i * row_step + j * column_step];
      out = detail::plain_step<Types>(out, detail::plain_parts<Types>(*alpha), sum);
      if (*beta != Sum(0)) {
        out = detail::plain_step<Types>(out, detail::plain_parts<Types>(*beta),
                                        detail::plain_parts<Types>(place));
      }
      if constexpr (Types::complex) {
        place = Sum(out.real, out.imaginary);
      } else {
        place = out.real;
      }
    }
  }
}

template <class Types, int NR>
void plain_kernel(std::int64_t m, std::int64_t k, const typename Types::Sum* alpha,
                  const typename Types::Panel* a, const typename Types::Panel* b,
                  const typename Types::Sum* beta, typename Types::Sum* c, std::int64_t ldc) {
  plain_tile<Types>(m, NR, k, alpha, a, b, beta, c, 1, ldc);
}

template <class Types, int MR, int NR>
KernelFamily<Types> plain_family() {
  static constexpr auto kernels = []<int... N>(std::integer_sequence<int, N...>) {
    return std::array<MicroKernel<Types>, NR>{&plain_kernel<Types, N + 1>...};
  }
  (std::make_integer_sequence<int, NR>());
  return make_family<Types, MR, NR>("plain", MR, kernels.data());
}

}  // namespace quern::gemm
