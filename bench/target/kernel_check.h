// The contract of gemm/micro_kernel.h, checked on one kernel case by case.
//
//     case: sizes, alpha, beta, what the operands hold, where they lie
//       --> elements --packing--> guarded panels --kernel--> guarded C
//       --> every element against the reference, every gap of C unchanged
//
// Whatever a kernel reads or writes outside its operands ends the program (guarded.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bench/target/guarded.h"
#include "bench/target/kernel_table.h"
#include "gemm/verify.h"

namespace quern::bench {

// What the operands hold.
enum class Fill {
  random,     // numbers of -1..1, or all 8-bit integers: results within the bound of rounding
  exact,      // small integers: nothing is rounded, the result must be exact
  subnormal,  // the same, scaled so that operands (and sums, where they are as narrow) are
              // subnormal
  special,    // random, with NaN and infinities in A, B and C
};

struct Case {
  std::int64_t along = 0, k = 0;
  std::int64_t pad = 0;  // ldc beyond the size of C
  double alpha[2] = {1, 0}, beta[2] = {0, 0};
  Fill fill = Fill::random;
  Place place = Place::back;
  std::uint64_t seed = 1;

  // "16,7,3,-0.5,0,0.75,0,0,1,1": the members in their order. False if that is none.
  bool parse(const char* text) {
    int f = 0, p = 0;
    long long values[3];
    unsigned long long s = 0;
    char end;
    if (std::sscanf(text, "%lld,%lld,%lld,%lf,%lf,%lf,%lf,%d,%d,%llu%c", &values[0], &values[1],
                    &values[2], &alpha[0], &alpha[1], &beta[0], &beta[1], &f, &p, &s, &end) != 10 ||
        values[0] < 1 || values[1] < 0 || values[2] < 0 || f < 0 || f > 3 || p < 0 || p > 2) {
      return false;
    }
    along = values[0], k = values[1], pad = values[2], seed = s;
    fill = static_cast<Fill>(f), place = static_cast<Place>(p);
    return true;
  }
  std::string text() const {
    char buffer[200];
    std::snprintf(buffer, sizeof buffer, "%lld,%lld,%lld,%.17g,%.17g,%.17g,%.17g,%d,%d,%llu",
                  static_cast<long long>(along), static_cast<long long>(k),
                  static_cast<long long>(pad), alpha[0], alpha[1], beta[0], beta[1],
                  static_cast<int>(fill), static_cast<int>(place),
                  static_cast<unsigned long long>(seed));
    return buffer;
  }
};

// The cases that every kernel must pass, for one size along its vectors. Of k: none, one, two, an
// odd number beyond any unrolling's rest, and k_max.
inline std::vector<Case> contract_cases(std::int64_t along, std::int64_t k_max) {
  // Sums of up to 512 products of numbers below 3 are exact even in half precision.
  const std::int64_t k_exact = std::min<std::int64_t>(k_max, 512);
  using enum Fill;
  using enum Place;
  return {
      {along, k_max, 0, {1, 0}, {0, 0}, random, back},
      {along, k_exact, 3, {-2, 0}, {1, 0}, exact, front},
      {along, k_exact, 0, {1, 0}, {0, 0}, exact, back},
      {along, 1, 1, {1, 0}, {0.75, 0}, random, back},
      {along, 1, 0, {2, -1}, {0, 0}, exact, front},
      {along, 2, 0, {2, 0}, {0, 0}, exact, front},
      {along, 2, 1, {0, -1}, {1, 0}, exact, back},
      {along, 0, 2, {1, 0}, {0, 0}, random, back},
      {along, 0, 2, {1, 0}, {0.5, 0}, random, front},
      {along, 7, 5, {0, 0}, {0.5, 0}, random, back},
      {along, 7, 1, {-0.5, 0}, {0.75, 0}, random, odd},
      {along, 7, 0, {0, 1}, {0, 1}, exact, front},
      {along, 7, 3, {1, 2}, {-1, 0.5}, random, back},
      {along, 8, 0, {1, 0}, {0, 1}, exact, odd},
      {along, 3, 0, {1, 0}, {1, 0}, subnormal, back},
      {along, 5, 2, {-2, 0}, {0, 0}, subnormal, odd},
      {along, 4, 0, {1, 0}, {0, 0}, special, back},
      {along, 9, 3, {1, 0}, {1, 0}, special, front},
  };
}

// One kernel and guarded room for its operands.
class KernelCheck {
 public:
  using Element = Types::Element;
  using Panel = Types::Panel;
  using Sum = Types::Sum;

  // Room for cases of up to these sizes.
  KernelCheck(const KernelEntry& entry, std::int64_t along, std::int64_t k, std::int64_t pad)
      : entry_(entry),
        a_(parts * rows(along) * k),
        b_(parts * columns(along) * k),
        c_(parts * c_size(along, pad)),
        alpha_(parts),
        beta_(parts) {}

  std::int64_t rows(std::int64_t along) const {
    return entry_.along == Along::m ? along : entry_.m_r;
  }
  std::int64_t columns(std::int64_t along) const {
    return entry_.along == Along::n ? along : entry_.n_r;
  }

  gemm::Verdict run(const Case& wanted) {
    const Operands it = operands(wanted);
    const std::vector<Sum> before(it.c, it.c + c_size(wanted.along, wanted.pad));
    entry_.kernel(wanted.along, wanted.k, it.alpha, it.a, it.b, it.beta, it.c, it.ldc);
    return judge(wanted, it, before);
  }

  // A call of the kernel that can be made again and again: the operands stay as `wanted` says.
  template <class Work>
  void with_call(const Case& wanted, Work&& work) {
    const Operands it = operands(wanted);
    work([&] {
      entry_.kernel(wanted.along, wanted.k, it.alpha, it.a, it.b, it.beta, it.c, it.ldc);
    });
  }

 private:
  using Real = Types::Real;
  static constexpr int parts = Types::parts;

  struct Operands {
    std::vector<Element> a_elements, b_elements;  // A column-major, B row-major
    const Panel *a, *b;
    const Sum *alpha, *beta;
    Sum* c;
    std::int64_t ldc;
  };

  // C by its columns, or by its rows if these are the ones that lie together.
  bool by_rows() const { return entry_.c_order == COrder::row_major; }
  std::int64_t inner(std::int64_t along) const { return by_rows() ? columns(along) : rows(along); }
  std::int64_t outer(std::int64_t along) const { return by_rows() ? rows(along) : columns(along); }
  std::int64_t c_size(std::int64_t along, std::int64_t pad) const {
    return (inner(along) + pad) * (outer(along) - 1) + inner(along);
  }

  Operands operands(const Case& wanted) {
    const std::int64_t m = rows(wanted.along), n = columns(wanted.along), k = wanted.k;
    random_ = wanted.seed;
    Operands out;
    out.ldc = inner(wanted.along) + wanted.pad;
    out.a_elements = elements<Element>(m * k, wanted.fill, true);
    out.b_elements = elements<Element>(k * n, wanted.fill, false);
    if (wanted.fill == Fill::special && !Types::integer && k > 0) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      out.a_elements.front() = gemm::from_parts<Element>(infinity, 0.5);
      out.a_elements.back() = gemm::from_parts<Element>(nan, 0.5);
      if (wanted.seed % 2 == 0) out.b_elements.back() = gemm::from_parts<Element>(0.5, -infinity);
    }
    out.a = pack(a_, out.a_elements, m, k, wanted.place);
    out.b = pack(b_, out.b_elements, n, k, wanted.place);
    Sum* alpha = reinterpret_cast<Sum*>(alpha_.place(parts, wanted.place));
    Sum* beta = reinterpret_cast<Sum*>(beta_.place(parts, wanted.place));
    *alpha = scalar(wanted.alpha);
    // Whether 0 * NaN is NaN or nothing is left to kernels: GEMM calls none with alpha = 0.
    if (wanted.fill == Fill::special && *alpha == Sum(0)) *alpha = Sum(1);
    *beta = scalar(wanted.beta);
    out.alpha = alpha;
    out.beta = beta;
    const std::int64_t size = c_size(wanted.along, wanted.pad);
    out.c = reinterpret_cast<Sum*>(c_.place(parts * size, wanted.place));
    const auto c = elements<Sum>(size, wanted.fill, true);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = 0; i < size; ++i) {
      if (Types::integer || *beta != Sum(0)) {
        out.c[i] = c[static_cast<std::size_t>(i)];
      } else {
        out.c[i] = gemm::from_parts<Sum>(nan, nan);  // must not survive
      }
    }
    if (wanted.fill == Fill::special && !Types::integer) {
      out.c[size / 2] = gemm::from_parts<Sum>(nan, 0);
    }
    return out;
  }

  gemm::Verdict judge(const Case& wanted, const Operands& it, const std::vector<Sum>& before) {
    const std::int64_t rows_now = inner(wanted.along), columns_now = outer(wanted.along);
    std::optional<gemm::Tolerance> tolerance;
    // Half of the smallest number is none.
    const bool whole =
        std::ranges::all_of(std::initializer_list<double>{wanted.alpha[0], wanted.alpha[1],
                                                          wanted.beta[0], wanted.beta[1]},
                            [](double x) { return x == std::floor(x); });
    if (wanted.fill == Fill::exact || (wanted.fill == Fill::subnormal && whole))
      tolerance = gemm::Tolerance::none();
    // The panels are a column-major A (m x k) and a row-major, that is transposed, B. A row-major C
    // is the transpose of what B' A' gives.
    const auto& first = by_rows() ? it.b_elements : it.a_elements;
    const auto& second = by_rows() ? it.a_elements : it.b_elements;
    gemm::Verdict verdict = gemm::verify_elements<Types>(
        gemm::Transpose::no, gemm::Transpose::yes, rows_now, columns_now, wanted.k, *it.alpha,
        first.data(), rows_now, second.data(), columns_now, *it.beta, before.data(), it.c, it.ldc,
        tolerance);
    for (std::int64_t j = 0; j + 1 < columns_now; ++j) {
      const std::int64_t gap = j * it.ldc + rows_now;
      if (std::memcmp(static_cast<const void*>(it.c + gap), &before[static_cast<std::size_t>(gap)],
                      static_cast<std::size_t>(wanted.pad) * sizeof(Sum)) != 0) {
        verdict.add({false, 0, rows_now, j});
      }
    }
    if (by_rows()) std::swap(verdict.wrong_row, verdict.wrong_column);
    return verdict;
  }

  // alpha and beta of real types have no imaginary part, and those of integers are whole.
  static Sum scalar(const double (&value)[2]) {
    if (Types::complex) return gemm::from_parts<Sum>(value[0], value[1]);
    double real = value[0] == 0 ? value[1] : value[0];
    if (Types::integer && real != std::floor(real)) real *= 4;
    return gemm::from_parts<Sum>(real, 0);
  }

  // The smallest number above 0 of the operands' type.
  static double smallest() {
    if (Types::integer) return 1;
    if (std::is_same_v<Panel, gemm::bfloat16>) return 0x1p-133;
    return gemm::Rounding<
        std::conditional_t<std::is_same_v<Panel, gemm::bfloat16>, float, Panel>>::smallest;
  }

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = random_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }

  // With `small`, a subnormal fill is subnormal; its other factor is a small integer.
  template <class T>
  std::vector<T> elements(std::int64_t count, Fill fill, bool small) {
    std::vector<T> out(static_cast<std::size_t>(count));
    const double unit = fill == Fill::subnormal && small ? smallest() : 1;
    const auto number = [&] {
      const std::uint64_t bits = next();
      if (fill == Fill::exact || fill == Fill::subnormal)
        return (static_cast<double>(bits % 5) - 2) * unit;
      if constexpr (std::is_integral_v<T>) return static_cast<double>(static_cast<T>(bits));
      return static_cast<double>(static_cast<std::int32_t>(bits)) * 0x1p-31;
    };
    for (T& value : out) {
      const double real = number();
      value = gemm::from_parts<T>(real, Types::complex ? number() : 0);
    }
    return out;
  }

  // Elements, `width` at a time, as one panel.
  static const Panel* pack(Guarded<Panel>& room, const std::vector<Element>& from,
                           std::int64_t width, std::int64_t length, Place where) {
    Panel* panel = room.place(parts * width * length, where);
    gemm::detail::pack_contiguous<Types, 0>(width, length, from.data(), width, false, panel);
    return panel;
  }

  const KernelEntry& entry_;
  Guarded<Panel> a_, b_;
  Guarded<Real> c_, alpha_, beta_;
  std::uint64_t random_ = 0;
};

}  // namespace quern::bench
