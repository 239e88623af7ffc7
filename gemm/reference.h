// The one reference: three plain loops in higher precision, and the magnitude that error bounds are
// scaled by.
//
// Sums of 16- and 32-bit types are made in double, where each product is exact; those of double are
// compensated, as good as twice the precision; integers wrap modulo 2^32 as in the kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "gemm/gemm.h"

namespace quern::gemm {

namespace detail {

class SumInDouble {
 public:
  void add_product(double x, double y) { value_ += x * y; }
  void add_product(double x, const SumInDouble& y) { value_ += x * y.value_; }
  double value() const { return value_; }

 private:
  double value_ = 0;
};

// Dot2 of Ogita, Rump and Oishi, "Accurate Sum and Dot Product" (SIAM J. Sci. Comput. 26(6), 2005):
// each product and each addition with its rounding error, the errors summed apart.
class CompensatedSum {
 public:
  void add_product(double x, double y) {
    const double product = x * y, product_error = std::fma(x, y, -product);
    const double sum = high_ + product, back = sum - high_;
    low_ += ((high_ - (sum - back)) + (product - back)) + product_error;
    high_ = sum;
  }
  void add_product(double x, const CompensatedSum& y) {
    add_product(x, y.high_);
    if (std::isfinite(high_) && std::isfinite(y.low_)) add_product(x, y.low_);
  }
  // Without errors where there are none to speak of: of infinities and NaN.
  double value() const { return std::isfinite(high_) ? high_ + low_ : high_; }

 private:
  double high_ = 0, low_ = 0;
};

class WrappingSum {
 public:
  void add_product(double x, double y) { sum_ += bits(x) * bits(y); }
  void add_product(double x, const WrappingSum& y) { sum_ += bits(x) * y.sum_; }
  double value() const { return static_cast<std::int32_t>(sum_); }

 private:
  static std::uint32_t bits(double x) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(x));
  }
  std::uint32_t sum_ = 0;
};

template <class Types>
using ReferenceSum = std::conditional_t<
    Types::integer, WrappingSum,
    std::conditional_t<std::is_same_v<typename Types::Real, double>, CompensatedSum, SumInDouble>>;

}  // namespace detail

// The exact element of C, by parts (Types::parts of them), and of each part the sum of the
// magnitudes of all that was added up for it: |alpha| * sum |a*b| + |beta * c|.
struct Exact {
  double value[2] = {0, 0};
  double magnitude[2] = {0, 0};
};

// Element (i, j) of alpha * op(A) * op(B) + beta * C; arguments as in gemm(). With beta = 0, `c`
// may be null.
template <class Types>
Exact reference_element(Transpose trans_a, Transpose trans_b, std::int64_t i, std::int64_t j,
                        std::int64_t k, typename Types::Sum alpha, const typename Types::Element* a,
                        std::int64_t lda, const typename Types::Element* b, std::int64_t ldb,
                        typename Types::Sum beta, const typename Types::Sum* c, std::int64_t ldc) {
  using Sum = typename Types::Sum;
  const auto from_a = operand_a<Types>(trans_a, a, lda);
  const auto from_b = operand_b<Types>(trans_b, b, ldb);
  detail::ReferenceSum<Types> sum[2], out[2];
  double magnitude[2] = {0, 0};
  Exact exact;
  // out += x * y by parts, y a plain number or a sum.
  const auto add = [](auto& target, auto& size, const double(&x)[2], const auto& y,
                      const double(&y_size)[2]) {
    target[0].add_product(x[0], y[0]);
    size[0] += std::abs(x[0]) * y_size[0];
    if constexpr (Types::complex) {
      target[0].add_product(-x[1], y[1]);
      target[1].add_product(x[0], y[1]);
      target[1].add_product(x[1], y[0]);
      size[0] += std::abs(x[1]) * y_size[1];
      size[1] += std::abs(x[0]) * y_size[1] + std::abs(x[1]) * y_size[0];
    }
  };
  if (alpha != Sum(0)) {
    for (std::int64_t p = 0; p < k; ++p) {
      const auto &x = *from_a.at(i, p), &y = *from_b.at(j, p);
      const double x_parts[2] = {part(x, 0), from_a.conjugate ? -part(x, 1) : part(x, 1)};
      const double y_parts[2] = {part(y, 0), from_b.conjugate ? -part(y, 1) : part(y, 1)};
      const double y_sizes[2] = {std::abs(y_parts[0]), std::abs(y_parts[1])};
      add(sum, magnitude, x_parts, y_parts, y_sizes);
    }
    const double alpha_parts[2] = {part(alpha, 0), part(alpha, 1)};
    add(out, exact.magnitude, alpha_parts, sum, magnitude);
  }
  if (beta != Sum(0)) {
    const double beta_parts[2] = {part(beta, 0), part(beta, 1)};
    const double c_parts[2] = {part(c[j * ldc + i], 0), part(c[j * ldc + i], 1)};
    const double c_sizes[2] = {std::abs(c_parts[0]), std::abs(c_parts[1])};
    add(out, exact.magnitude, beta_parts, c_parts, c_sizes);
  }
  for (int which = 0; which < Types::parts; ++which) exact.value[which] = out[which].value();
  return exact;
}

}  // namespace quern::gemm
