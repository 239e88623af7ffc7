// Is a computed C right? Two checks, used by tests, tuner, bench and comparison alike.
//
//   verify_elements   every element against the reference, within a componentwise rounding bound
//   verify_product    large problems: Freivalds' randomised product check in exact integer
//   arithmetic, for operands
//                     that hold small integers, plus sampled elements against the reference
//
// Bound: a sum of k products of rounded factors, in any order, with one rounding for alpha and two
// for beta, is off by at most (k + 3) * u * (|alpha| |A| |B| + |beta| |C|), u = eps / 2 (Higham,
// "Accuracy and Stability of Numerical Algorithms", 2nd ed., section 3.5; second-order terms are
// covered by the factor k + 4 used here).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gemm/reference.h"

namespace quern::gemm {

struct Verdict {
  bool correct = true;
  // Largest |computed - exact| / magnitude, over the elements that were looked at one by one.
  double max_error = 0;
  // Where the first element stands that is wrong, or -1.
  std::int64_t wrong_row = -1, wrong_column = -1;
};

// Relative to magnitude: the largest error that rounding can cause.
template <class T>
double error_bound(std::int64_t k) {
  return static_cast<double>(k + 4) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

// Adds one element to a verdict. NaN and infinity must be met by the same kind.
template <class T>
void judge_element(Verdict& verdict, std::int64_t i, std::int64_t j, std::int64_t k, T computed,
                   const Exact<T>& exact) {
  using W = typename Wider<T>::type;
  bool good;
  const W rounded = static_cast<W>(static_cast<T>(exact.value));  // may overflow to infinity
  if (std::isnan(exact.value) || std::isnan(computed)) {
    good = std::isnan(exact.value) && std::isnan(computed);
  } else if (std::isinf(rounded) || std::isinf(computed)) {
    good = rounded == static_cast<W>(computed);
  } else {
    const double difference = static_cast<double>(std::abs(static_cast<W>(computed) - exact.value));
    const double magnitude = static_cast<double>(exact.magnitude);
    // Products below the normal range lose relative accuracy: allow one smallest step for each of
    // them.
    const double floor =
        static_cast<double>(std::numeric_limits<T>::denorm_min()) * static_cast<double>(k + 4);
    good = difference <= error_bound<T>(k) * magnitude + floor;
    if (magnitude > 0) verdict.max_error = std::max(verdict.max_error, difference / magnitude);
  }
  if (!good && verdict.correct) {
    verdict.correct = false;
    verdict.wrong_row = i;
    verdict.wrong_column = j;
  }
}

// Compares all m x n elements of `computed` (ld elements between columns) with alpha*op(A)*op(B) +
// beta*C0.
template <class T>
Verdict verify_elements(Transpose trans_a, Transpose trans_b, std::int64_t m, std::int64_t n,
                        std::int64_t k, T alpha, const T* a, std::int64_t lda, const T* b,
                        std::int64_t ldb, T beta, const T* c0, const T* computed,
                        std::int64_t ldc) {
  Verdict verdict;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      judge_element(
          verdict, i, j, k, computed[j * ldc + i],
          reference_element(trans_a, trans_b, i, j, k, alpha, a, lda, b, ldb, beta, c0, ldc));
    }
  }
  return verdict;
}

// Fills with integers of -8..8: products and sums up to k = 2^18 are then exact in f32, whatever
// their order, so that a right result has no rounding error at all.
template <class T>
void fill_with_small_integers(T* data, std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < count; ++i)
    data[i] = static_cast<T>(static_cast<int>(random() % 17) - 8);
}

// C = op(A) * op(B) (alpha 1, beta 0) with operands from fill_with_small_integers: checks
// C x = A (B x) for `rounds` random integer vectors x with entries below 2^16, and `samples`
// elements one by one. All sums are integers below 2^53 for k up to 2^18, so double holds them
// exactly and the test is for equality. A wrong row passes one round with probability below 2^-15.
template <class T>
Verdict verify_product(Transpose trans_a, Transpose trans_b, std::int64_t m, std::int64_t n,
                       std::int64_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                       const T* computed, std::int64_t ldc, int rounds = 2, int samples = 64,
                       std::uint64_t seed = 1) {
  const Operand<T> operand_a{a, lda, trans_a == Transpose::no};
  const Operand<T> operand_b{b, ldb, trans_b == Transpose::yes};
  std::mt19937_64 random(seed);
  Verdict verdict;
  std::vector<double> x(static_cast<std::size_t>(n)), bx(static_cast<std::size_t>(k)),
      abx(static_cast<std::size_t>(m)), cx(static_cast<std::size_t>(m));
  for (int round = 0; round < rounds; ++round) {
    for (double& value : x) value = static_cast<double>(1 + random() % 65535);
    std::fill(bx.begin(), bx.end(), 0);
    std::fill(abx.begin(), abx.end(), 0);
    std::fill(cx.begin(), cx.end(), 0);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t p = 0; p < k; ++p) bx[p] += static_cast<double>(*operand_b.at(j, p)) * x[j];
    }
    for (std::int64_t p = 0; p < k; ++p) {
      for (std::int64_t i = 0; i < m; ++i)
        abx[i] += static_cast<double>(*operand_a.at(i, p)) * bx[p];
    }
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i)
        cx[i] += static_cast<double>(computed[j * ldc + i]) * x[j];
    }
    for (std::int64_t i = 0; i < m; ++i) {
      if (!(cx[i] == abx[i])) return {false, verdict.max_error, i, -1};  // NaN is not equal either
    }
  }
  for (int sample = 0; sample < samples && m > 0 && n > 0; ++sample) {
    const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(m));
    const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    judge_element(
        verdict, i, j, k, computed[j * ldc + i],
        reference_element<T>(trans_a, trans_b, i, j, k, T(1), a, lda, b, ldb, T(0), nullptr, 0));
  }
  return verdict;
}

}  // namespace quern::gemm
