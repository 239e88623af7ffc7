// A value of any format taken apart, and an exact value rounded into one: what every operation of
// arithmetic.h begins and ends with.
//
//   bits of a format ── unpack ─> sign, exponent, mantissa ─ (exact operation) ─> Term ──
//   round_and_pack
#pragma once

#include <cstdint>

#include "boards/snitch/fpu/arithmetic.h"

namespace quern::snitch {

__extension__ typedef unsigned __int128 Uint128;

enum class Kind : std::uint8_t { zero, finite, infinity, quiet_nan, signalling_nan };

// A finite value is (-1)^negative * mantissa * 2^exponent.
struct Unpacked {
  Kind kind;
  bool negative;
  int exponent;
  std::uint64_t mantissa;
  bool nan() const { return kind >= Kind::quiet_nan; }
};

// A finite exact value that is wider than any format: a product, say.
struct Term {
  bool negative;
  int exponent;
  Uint128 mantissa;  // zero is a zero of that sign
};

constexpr std::uint64_t mask(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

Unpacked unpack(FpFormat format, std::uint64_t bits);

std::uint64_t signed_zero(FpFormat format, bool negative);
std::uint64_t signed_infinity(FpFormat format, bool negative);

int top_bit(Uint128 value);

// value * 2^-shift as an integer.
Uint128 shift_and_round(Uint128 value, int shift, bool negative, Rounding rounding, bool& inexact);

// Rounds mantissa * 2^exponent (mantissa not 0; bit 0 may be sticky when the mantissa is longer
// than the precision by two bits or more) into the format.
std::uint64_t round_and_pack(FpFormat format, const Term& value, Rounding rounding,
                             std::uint8_t& flags);

}  // namespace quern::snitch
