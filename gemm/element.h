// The C++ types of each kind of GEMM: what A and B, packed panels, and C hold.
//
//     A, B (Element) --packing--> panels (Panel) --micro-kernel--> C, alpha, beta (Sum)
//
//              Element            Panel      Sum                 rounding of the sums
//     f32      float              float      float               2^-24
//     f64      double             double     double              2^-53
//     f16      half               half       half                2^-11, infinity above 65504
//     f16f32   half               half       float               products exact, 2^-24
//     bf16     bfloat16           bfloat16   float               products exact, 2^-24
//     i8       int8               int16      int32               none, modulo 2^32
//     cf32     complex<float>     float      complex<float>      2^-24
//     cf64     complex<double>    double     complex<double>     2^-53
//
// The names are those of the command line (generator/core/dtype.h). Panels of complex types hold
// real numbers: for each step of k all real parts, then all imaginary ones.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace quern::gemm {

using half = _Float16;

// The upper half of a float: 8 bits of exponent, 7 of fraction.
struct bfloat16 {
  std::uint16_t bits = 0;

  bfloat16() = default;
  // Rounds to nearest, ties to even. A NaN stays one (quiet), whatever its payload.
  explicit bfloat16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<std::uint16_t>(word >> 16 | 0x40u);
    } else {
      // Half of the last place, less a bit where the place is even already; the carry may run into
      // the exponent and up to infinity, as it should.
      bits = static_cast<std::uint16_t>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
    }
  }
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

// What sums of a real type lose: the unit roundoff, the smallest step, and the largest value.
template <class Real>
struct Rounding {
  static constexpr double unit = static_cast<double>(std::numeric_limits<Real>::epsilon()) / 2;
  static constexpr double smallest = static_cast<double>(std::numeric_limits<Real>::denorm_min());
  static constexpr double largest = static_cast<double>(std::numeric_limits<Real>::max());
};
template <>
struct Rounding<half> {  // IEEE 754 binary16; the library's limits know it in C++23 only
  static constexpr double unit = 0x1p-11, smallest = 0x1p-24, largest = 65504;
};
template <>
struct Rounding<std::int32_t> {
  static constexpr double unit = 0, smallest = 0, largest = 2147483647;
};

namespace detail {
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
}  // namespace detail

template <class ElementType, class PanelType, class SumType>
struct TypesOf {
  using Element = ElementType;
  using Panel = PanelType;
  using Sum = SumType;
  using Real = typename detail::RealOf<Sum>::type;  // a part of a sum
  static constexpr bool complex = !std::is_same_v<Real, Sum>;
  static constexpr bool integer = std::is_integral_v<Sum>;
  static constexpr int parts = complex ? 2 : 1;  // real numbers of an element
};

struct f32 : TypesOf<float, float, float> {};
struct f64 : TypesOf<double, double, double> {};
struct f16 : TypesOf<half, half, half> {};
struct f16f32 : TypesOf<half, half, float> {};
struct bf16 : TypesOf<bfloat16, bfloat16, float> {};
struct i8 : TypesOf<std::int8_t, std::int16_t, std::int32_t> {};
struct cf32 : TypesOf<std::complex<float>, float, std::complex<float>> {};
struct cf64 : TypesOf<std::complex<double>, double, std::complex<double>> {};

// Part 0 is the real one, part 1 the imaginary one, of any number as a double: exact for all types.
template <class T>
double part(const T& value, int which) {
  return which == 0
             ? static_cast<double>(
                   static_cast<std::conditional_t<std::is_same_v<T, bfloat16>, float, T>>(value))
             : 0.0;
}
template <class T>
double part(const std::complex<T>& value, int which) {
  return static_cast<double>(which == 0 ? value.real() : value.imag());
}

// A number from its parts, each rounded to nearest. Integers must be whole and in range.
template <class T>
T from_parts(double real, double imaginary) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    return bfloat16(static_cast<float>(real));
  } else if constexpr (std::is_same_v<T, std::complex<typename detail::RealOf<T>::type>>) {
    using Real = typename detail::RealOf<T>::type;
    return {static_cast<Real>(real), static_cast<Real>(imaginary)};
  } else {
    static_cast<void>(imaginary);
    return static_cast<T>(real);
  }
}

}  // namespace quern::gemm
