// The one reference: three plain loops in higher precision, and the magnitude that error bounds are
// scaled by.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "gemm/gemm.h"

namespace quern::gemm {

// The type in which the reference accumulates.
template <class T>
struct Wider {
  using type = double;
};
template <>
struct Wider<double> {
  using type = long double;
};

template <class T>
struct Exact {
  typename Wider<T>::type value;      // alpha * sum a*b + beta * c
  typename Wider<T>::type magnitude;  // |alpha| * sum |a*b| + |beta * c|
};

// Element (i, j) of alpha * op(A) * op(B) + beta * C; arguments as in gemm(). With beta = 0, `c`
// may be null.
template <class T>
Exact<T> reference_element(Transpose trans_a, Transpose trans_b, std::int64_t i, std::int64_t j,
                           std::int64_t k, T alpha, const T* a, std::int64_t lda, const T* b,
                           std::int64_t ldb, T beta, const T* c, std::int64_t ldc) {
  using W = typename Wider<T>::type;
  const Operand<T> operand_a{a, lda, trans_a == Transpose::no};
  const Operand<T> operand_b{b, ldb, trans_b == Transpose::yes};
  W sum = 0, magnitude = 0;
  if (alpha != T(0)) {
    for (std::int64_t p = 0; p < k; ++p) {
      const W product = W(*operand_a.at(i, p)) * W(*operand_b.at(j, p));
      sum += product;
      magnitude += std::abs(product);
    }
  }
  Exact<T> exact{W(alpha) * sum, std::abs(W(alpha)) * magnitude};
  if (alpha == T(0)) exact = {0, 0};
  if (beta != T(0)) {
    exact.value += W(beta) * W(c[j * ldc + i]);
    exact.magnitude += std::abs(W(beta) * W(c[j * ldc + i]));
  }
  return exact;
}

}  // namespace quern::gemm
