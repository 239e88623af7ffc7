#include "boards/snitch/fpu/unpacked.h"

#include <bit>

namespace quern::snitch {
namespace {

std::uint64_t overflowed(FpFormat format, bool negative, Rounding rounding, std::uint8_t& flags) {
  flags |= fp_overflow | fp_inexact;
  const bool to_largest = rounding == Rounding::to_zero || rounding == Rounding::odd ||
                          (rounding == Rounding::down && !negative) ||
                          (rounding == Rounding::up && negative);
  const std::uint64_t infinite = signed_infinity(format, negative);
  return to_largest ? infinite - 1 : infinite;
}

}  // namespace

Unpacked unpack(FpFormat format, std::uint64_t bits) {
  const FpFormatInfo f = info(format);
  const std::uint64_t fraction = bits & mask(f.mantissa_bits);
  const int biased = static_cast<int>((bits >> f.mantissa_bits) & mask(f.exponent_bits));
  const bool negative = (bits >> (f.width() - 1)) & 1;
  if (biased == static_cast<int>(mask(f.exponent_bits))) {
    if (fraction == 0) return {Kind::infinity, negative, 0, 0};
    const bool quiet = (fraction >> (f.mantissa_bits - 1)) & 1;
    return {quiet ? Kind::quiet_nan : Kind::signalling_nan, negative, 0, 0};
  }
  if (biased == 0) {
    if (fraction == 0) return {Kind::zero, negative, 0, 0};
    return {Kind::finite, negative, 1 - f.bias() - f.mantissa_bits, fraction};
  }
  return {Kind::finite, negative, biased - f.bias() - f.mantissa_bits,
          fraction | (std::uint64_t{1} << f.mantissa_bits)};
}

std::uint64_t signed_zero(FpFormat format, bool negative) {
  return negative ? std::uint64_t{1} << (info(format).width() - 1) : 0;
}

std::uint64_t signed_infinity(FpFormat format, bool negative) {
  const FpFormatInfo f = info(format);
  return signed_zero(format, negative) | (mask(f.exponent_bits) << f.mantissa_bits);
}

std::uint64_t canonical_nan(FpFormat format) {
  const FpFormatInfo f = info(format);
  return signed_infinity(format, false) | (std::uint64_t{1} << (f.mantissa_bits - 1));
}

int top_bit(Uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  return high != 0 ? 127 - std::countl_zero(high)
                   : 63 - std::countl_zero(static_cast<std::uint64_t>(value));
}

// value / 2^shift rounded to an integer; `inexact` is set when bits were lost. Bit 0 of `value` may
// be sticky (standing for any positive amount below), as long as shift >= 2 then.
Uint128 shift_and_round(Uint128 value, int shift, bool negative, Rounding rounding, bool& inexact) {
  if (shift <= 0) {
    inexact = false;
    return value << -shift;
  }
  Uint128 whole = shift > 127 ? 0 : value >> shift;
  const Uint128 rest = shift > 127 ? value : value & ((Uint128{1} << shift) - 1);
  inexact = rest != 0;
  if (!inexact) return whole;
  // Against one half: below, exactly, or above. A shift past 127 leaves less than one half.
  const Uint128 half = shift > 127 ? 0 : Uint128{1} << (shift - 1);
  const bool above_half = half != 0 && rest > half;
  const bool at_half = half != 0 && rest == half;
  bool increment = false;
  switch (rounding) {
    case Rounding::nearest_even:
      increment = above_half || (at_half && (whole & 1));
      break;
    case Rounding::to_zero:
      break;
    case Rounding::down:
      increment = negative;
      break;
    case Rounding::up:
      increment = !negative;
      break;
    case Rounding::nearest_away:
      increment = above_half || at_half;
      break;
    case Rounding::odd:
      whole |= 1;
      break;
  }
  return whole + (increment ? 1 : 0);
}

std::uint64_t round_and_pack(FpFormat format, const Term& value, Rounding rounding,
                             std::uint8_t& flags) {
  const FpFormatInfo f = info(format);
  const int lowest = 1 - f.bias();  // exponent of the smallest normal number
  const int top = value.exponent + top_bit(value.mantissa);
  int unit = (top > lowest ? top : lowest) - f.mantissa_bits;  // exponent of the last place
  bool inexact = false;
  auto rounded = static_cast<std::uint64_t>(
      shift_and_round(value.mantissa, unit - value.exponent, value.negative, rounding, inexact));
  if (inexact) {
    flags |= fp_inexact;
    bool tiny = top < lowest;
    if (top == lowest - 1) {  // would an unbounded exponent have rounded up to the smallest normal?
      bool ignored = false;
      const auto unbounded = static_cast<std::uint64_t>(shift_and_round(
          value.mantissa, unit - 1 - value.exponent, value.negative, rounding, ignored));
      tiny = (unbounded >> f.precision()) == 0;
    }
    if (tiny) flags |= fp_underflow;
  }
  if (rounded >> f.precision()) {
    rounded >>= 1;
    ++unit;
  }
  const std::uint64_t sign = signed_zero(format, value.negative);
  if ((rounded >> f.mantissa_bits) == 0) return sign | rounded;  // subnormal or zero
  const int biased = unit + f.mantissa_bits + f.bias();
  if (biased >= static_cast<int>(mask(f.exponent_bits)))
    return overflowed(format, value.negative, rounding, flags);
  return sign | (static_cast<std::uint64_t>(biased) << f.mantissa_bits) |
         (rounded & mask(f.mantissa_bits));
}

}  // namespace quern::snitch
