// Is a computed C right? Two checks, used by tests, tuner, bench and comparison alike.
//
//   verify_elements   every element against the reference, within a componentwise rounding bound,
//                     or to the bit where operands leave nothing to round
//   verify_product    large problems: Freivalds' randomised product check in exact integer
//                     arithmetic, for operands that hold small integers, plus sampled elements
//                     against the reference
//
// Bound: a sum of k products of rounded factors, in any order, with one rounding for alpha and two
// for beta, is off by at most ((1 + u)^(k + 4) - 1) * (|alpha| |A| |B| + |beta| |C|), u the unit
// roundoff of the type that sums are made in (Higham, "Accuracy and Stability of Numerical
// Algorithms", 2nd ed., lemma 3.1 and section 3.5). A part of a complex element sums 2k products:
// 2 (k + 4) roundings. Integers have none.
//
// In 16-bit sums the bound grows large (13 % of the magnitude at k = 256), so that a missing term
// may pass: kernels of such types must also be verified with operands whose sums are exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
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

  // Both together: the larger error, the earlier fault.
  void add(const Verdict& other) {
    max_error = std::max(max_error, other.max_error);
    if (other.correct || !correct) return;
    correct = false;
    wrong_row = other.wrong_row;
    wrong_column = other.wrong_column;
  }
};

// Relative to magnitude: the largest error that rounding can cause.
template <class Types>
double error_bound(std::int64_t k) {
  return std::expm1(static_cast<double>(Types::parts * (k + 4)) *
                    std::log1p(Rounding<typename Types::Real>::unit));
}

// By how much a part of an element may be off: relative * magnitude + absolute.
struct Tolerance {
  double relative = 0, absolute = 0;

  // Any order of summation, with its roundings. `scale` is |alpha|.
  template <class Types>
  static Tolerance rounding(std::int64_t k, double scale = 1) {
    // Products below the normal range lose relative accuracy: one smallest step for each.
    const double steps = Types::parts * static_cast<double>(k + 4) * std::max(scale, 1.0);
    return {error_bound<Types>(k), Rounding<typename Types::Real>::smallest * steps};
  }
  // Where all products and sums are exact in the kernel's arithmetic.
  static constexpr Tolerance none() { return {}; }
};

// Adds one element to a verdict. NaN must be met by NaN and infinity by infinity; where sums may
// overflow on the way, an infinity (or the NaN that comes of two) is right too. A complex number
// with a part that is not finite must be met by one of that kind.
template <class Types>
void judge_element(Verdict& verdict, std::int64_t i, std::int64_t j,
                   const typename Types::Sum& computed, const Exact& exact, Tolerance tolerance) {
  bool good = true, finite = true, exact_finite = true, may_overflow = false;
  for (int which = 0; which < Types::parts; ++which) {
    finite = finite && std::isfinite(part(computed, which));
    exact_finite = exact_finite && std::isfinite(exact.value[which]);
    may_overflow = may_overflow || exact.magnitude[which] * (1 + tolerance.relative) >=
                                       Rounding<typename Types::Real>::largest;
  }
  if (!exact_finite) {
    const double value = part(computed, 0);
    good = Types::complex               ? !finite
           : std::isnan(exact.value[0]) ? std::isnan(value)
                                        : value == exact.value[0];
  } else if (!finite) {
    good = may_overflow;
  } else {
    for (int which = 0; which < Types::parts; ++which) {
      const double difference = std::abs(part(computed, which) - exact.value[which]);
      const double magnitude = exact.magnitude[which];
      if (magnitude > 0) verdict.max_error = std::max(verdict.max_error, difference / magnitude);
      good = good && difference <= tolerance.relative * magnitude + tolerance.absolute;
    }
  }
  if (!good && verdict.correct) {
    verdict.correct = false;
    verdict.wrong_row = i;
    verdict.wrong_column = j;
  }
}

// Compares all m x n elements of `computed` (ld elements between columns) with alpha*op(A)*op(B) +
// beta*C0, within `tolerance` or else that of rounding.
template <class Types>
Verdict verify_elements(Transpose trans_a, Transpose trans_b, std::int64_t m, std::int64_t n,
                        std::int64_t k, typename Types::Sum alpha, const typename Types::Element* a,
                        std::int64_t lda, const typename Types::Element* b, std::int64_t ldb,
                        typename Types::Sum beta, const typename Types::Sum* c0,
                        const typename Types::Sum* computed, std::int64_t ldc,
                        std::optional<Tolerance> tolerance = {}) {
  Verdict verdict;
  const double scale = std::abs(part(alpha, 0)) + std::abs(part(alpha, 1));
  if (!tolerance) tolerance = Tolerance::rounding<Types>(k, scale);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      const Exact exact =
          reference_element<Types>(trans_a, trans_b, i, j, k, alpha, a, lda, b, ldb, beta, c0, ldc);
      judge_element<Types>(verdict, i, j, computed[j * ldc + i], exact, *tolerance);
    }
  }
  return verdict;
}

// Fills with integers of -largest..largest. With 8, products and sums up to k = 2^18 are exact in
// f32, whatever their order, so that a right result has no rounding error at all.
template <class T>
void fill_with_small_integers(T* data, std::int64_t count, std::uint64_t seed, int largest = 8) {
  std::mt19937_64 random(seed);
  const auto next = [&] {
    return static_cast<double>(random() % static_cast<unsigned>(2 * largest + 1)) - largest;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const double real = next();
    data[i] = from_parts<T>(real, std::is_same_v<T, typename detail::RealOf<T>::type> ? 0 : next());
  }
}

// C = op(A) * op(B) (alpha 1, beta 0) of a real type with operands from fill_with_small_integers:
// checks C x = A (B x) for `rounds` random integer vectors x with entries below 2^16, and `samples`
// elements one by one. All sums are integers below 2^53 for k up to 2^18, so double holds them
// exactly and the test is for equality. A wrong row passes one round with probability below 2^-15.
template <class Types>
Verdict verify_product(Transpose trans_a, Transpose trans_b, std::int64_t m, std::int64_t n,
                       std::int64_t k, const typename Types::Element* a, std::int64_t lda,
                       const typename Types::Element* b, std::int64_t ldb,
                       const typename Types::Sum* computed, std::int64_t ldc, int rounds = 2,
                       int samples = 64, std::uint64_t seed = 1) {
  static_assert(!Types::complex);
  using Sum = typename Types::Sum;
  const auto from_a = operand_a<Types>(trans_a, a, lda);
  const auto from_b = operand_b<Types>(trans_b, b, ldb);
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
      for (std::int64_t p = 0; p < k; ++p) bx[p] += part(*from_b.at(j, p), 0) * x[j];
    }
    for (std::int64_t p = 0; p < k; ++p) {
      for (std::int64_t i = 0; i < m; ++i) abx[i] += part(*from_a.at(i, p), 0) * bx[p];
    }
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) cx[i] += part(computed[j * ldc + i], 0) * x[j];
    }
    for (std::int64_t i = 0; i < m; ++i) {
      if (!(cx[i] == abx[i])) return {false, verdict.max_error, i, -1};  // NaN is not equal either
    }
  }
  for (int sample = 0; sample < samples && m > 0 && n > 0; ++sample) {
    const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(m));
    const auto j = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    judge_element<Types>(verdict, i, j, computed[j * ldc + i],
                         reference_element<Types>(trans_a, trans_b, i, j, k, Sum(1), a, lda, b, ldb,
                                                  Sum(0), nullptr, 0),
                         Tolerance::rounding<Types>(k));
  }
  return verdict;
}

}  // namespace quern::gemm
