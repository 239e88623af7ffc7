// The floating-point formats of the Snitch FPU, as numbers, and the names that go with them.
//
//        f64     f32     f16    bf16     f8 (e5m2)  f8alt (e4m3)
//       1|11|52  1|8|23  1|5|10  1|8|7    1|5|2      1|4|3          all with infinities and NaNs
//
// A value narrower than the 64-bit register is NaN-boxed: the bits above it are all ones.
#pragma once

#include <cstdint>

namespace quern::snitch {

enum class FpFormat : std::uint8_t { f64, f32, f16, bf16, f8, f8alt };

struct FpFormatInfo {
  int exponent_bits;
  int mantissa_bits;
  constexpr int width() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr int precision() const { return mantissa_bits + 1; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

constexpr FpFormatInfo info(FpFormat format) {
  constexpr FpFormatInfo table[] = {{11, 52}, {8, 23}, {5, 10}, {8, 7}, {5, 2}, {4, 3}};
  return table[static_cast<int>(format)];
}

// Rounding modes by their RISC-V numbers; `odd` (5) is an addition of this FPU.
enum class Rounding : std::uint8_t {
  nearest_even = 0,
  to_zero = 1,
  down = 2,
  up = 3,
  nearest_away = 4,
  odd = 5,
};

// Exception flags by their fflags bits.
enum FpFlag : std::uint8_t {
  fp_inexact = 1,
  fp_underflow = 2,
  fp_overflow = 4,
  fp_divide_by_zero = 8,
  fp_invalid = 16,
};

}  // namespace quern::snitch
