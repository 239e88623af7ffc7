#include "boards/snitch/fpu/arithmetic.h"

#include <array>
#include <bit>

namespace quern::snitch {
namespace {

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

std::uint64_t overflowed(FpFormat format, bool negative, Rounding rounding, std::uint8_t& flags) {
  flags |= fp_overflow | fp_inexact;
  const bool to_largest = rounding == Rounding::to_zero || rounding == Rounding::odd ||
                          (rounding == Rounding::down && !negative) ||
                          (rounding == Rounding::up && negative);
  const std::uint64_t infinite = signed_infinity(format, negative);
  return to_largest ? infinite - 1 : infinite;
}

// Rounds mantissa * 2^exponent (mantissa not 0; bit 0 may be sticky when the mantissa is longer
// than the precision by two bits or more) into the format.
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

// The sign of an exact zero that is a sum of terms.
bool zero_sum_sign(bool all_negative, bool all_positive, Rounding rounding) {
  if (all_negative) return true;
  if (all_positive) return false;
  return rounding == Rounding::down;
}

// x + y, exact, with a sticky last bit where the 128 bits do not suffice. Both normalised to bit
// 125, mantissas of at most 106 bits, so a cancellation of more than one bit never meets a lost
// bit.
std::uint64_t round_sum(FpFormat format, Term x, Term y, Rounding rounding, std::uint8_t& flags) {
  if (x.mantissa == 0 && y.mantissa == 0)
    return signed_zero(
        format, zero_sum_sign(x.negative && y.negative, !x.negative && !y.negative, rounding));
  if (x.mantissa == 0) return round_and_pack(format, y, rounding, flags);
  if (y.mantissa == 0) return round_and_pack(format, x, rounding, flags);
  for (Term* t : {&x, &y}) {
    const int shift = 125 - top_bit(t->mantissa);
    t->mantissa <<= shift;
    t->exponent -= shift;
  }
  if (x.exponent < y.exponent || (x.exponent == y.exponent && x.mantissa < y.mantissa)) {
    const Term swapped = x;
    x = y;
    y = swapped;
  }
  const int distance = x.exponent - y.exponent;
  if (distance > 126) {
    y.mantissa = 1;
  } else if (distance > 0) {
    const bool lost = (y.mantissa & ((Uint128{1} << distance) - 1)) != 0;
    y.mantissa = (y.mantissa >> distance) | (lost ? 1 : 0);
  }
  if (x.negative == y.negative) {
    x.mantissa += y.mantissa;
  } else {
    // With a sticky y, x - y is below the true difference by less than one unit: still sticky.
    x.mantissa -= y.mantissa;
    if (x.mantissa == 0) return signed_zero(format, rounding == Rounding::down);
  }
  return round_and_pack(format, x, rounding, flags);
}

// A fixed-point number wide enough for exact sums of products of f32 and narrower values.
class Accumulator {
 public:
  void add(const Term& term) {
    std::array<std::uint64_t, limbs> shifted{};
    const int shift = term.exponent - lowest_exponent;
    const int limb = shift / 64, bit = shift % 64;
    const auto low = static_cast<std::uint64_t>(term.mantissa);
    const auto high = static_cast<std::uint64_t>(term.mantissa >> 64);
    const std::uint64_t parts[3] = {low << bit, bit ? (low >> (64 - bit)) | (high << bit) : high,
                                    bit ? high >> (64 - bit) : 0};
    for (int i = 0; i < 3; ++i)
      if (limb + i < limbs) shifted[limb + i] = parts[i];
    unsigned carry = term.negative ? 1 : 0;
    for (int i = 0; i < limbs; ++i) {
      const std::uint64_t operand = term.negative ? ~shifted[i] : shifted[i];
      const Uint128 sum = Uint128{words_[i]} + operand + carry;
      words_[i] = static_cast<std::uint64_t>(sum);
      carry = static_cast<unsigned>(sum >> 64);
    }
  }
  // The sum with its last bit sticky; mantissa 0 for an exact zero.
  Term value() const {
    auto words = words_;
    const bool negative = words[limbs - 1] >> 63;
    if (negative) {
      unsigned carry = 1;
      for (auto& word : words) {
        word = ~word + carry;
        carry = carry && word == 0;
      }
    }
    int top = limbs - 1;
    while (top > 0 && words[top] == 0) --top;
    Uint128 mantissa = words[top];
    int exponent = lowest_exponent + 64 * top;
    if (top > 0) {
      mantissa = (mantissa << 64) | words[top - 1];
      exponent -= 64;
      bool sticky = false;
      for (int i = 0; i < top - 1; ++i) sticky = sticky || words[i] != 0;
      if (sticky) {
        // Keep the top 126 bits and more than two below the precision: one word is enough for f32.
        mantissa |= 1;
      }
    }
    return {negative, exponent, mantissa};
  }

 private:
  static constexpr int limbs = 10;
  static constexpr int lowest_exponent =
      -300;  // below 2 * (-133), the last place of a bf16 product
  std::array<std::uint64_t, limbs> words_{};
};

Term term(const Unpacked& a) { return {a.negative, a.exponent, a.mantissa}; }
Term product(const Unpacked& a, const Unpacked& b) {
  return {a.negative != b.negative, a.exponent + b.exponent, Uint128{a.mantissa} * b.mantissa};
}

// What infinities and NaNs make of a sum of up to three products or single values.
class Specials {
 public:
  void add_value(const Unpacked& a) {
    note_nan(a);
    if (a.kind == Kind::infinity) note_infinity(a.negative);
  }
  void add_product(const Unpacked& a, const Unpacked& b) {
    note_nan(a);
    note_nan(b);
    if (a.nan() || b.nan()) return;
    if (a.kind == Kind::infinity || b.kind == Kind::infinity) {
      if (a.kind == Kind::zero || b.kind == Kind::zero)
        invalid_ = true;
      else
        note_infinity(a.negative != b.negative);
    }
  }
  // True when the result is decided; `result` is set then.
  bool decide(FpFormat format, std::uint8_t& flags, std::uint64_t& result) const {
    const bool invalid = invalid_ || (!nan_ && positive_ && negative_);
    if (invalid) flags |= fp_invalid;
    if (invalid || nan_) {
      result = canonical_nan(format);
      return true;
    }
    if (!positive_ && !negative_) return false;
    result = signed_infinity(format, negative_);
    return true;
  }

 private:
  void note_nan(const Unpacked& a) {
    nan_ = nan_ || a.nan();
    invalid_ = invalid_ || a.kind == Kind::signalling_nan;
  }
  void note_infinity(bool negative) { (negative ? negative_ : positive_) = true; }
  bool nan_ = false, invalid_ = false, positive_ = false, negative_ = false;
};

std::uint64_t round_sum3(FpFormat format, const Term (&terms)[3], Rounding rounding,
                         std::uint8_t& flags) {
  Accumulator sum;
  bool all_negative = true, all_positive = true;
  for (const Term& t : terms) {
    if (t.mantissa != 0) sum.add(t);
    all_negative = all_negative && t.negative;
    all_positive = all_positive && !t.negative;
  }
  const Term value = sum.value();
  if (value.mantissa == 0)
    return signed_zero(format, zero_sum_sign(all_negative, all_positive, rounding));
  return round_and_pack(format, value, rounding, flags);
}

}  // namespace

std::uint64_t canonical_nan(FpFormat format) {
  const FpFormatInfo f = info(format);
  return signed_infinity(format, false) | (std::uint64_t{1} << (f.mantissa_bits - 1));
}

std::uint64_t fp_add(FpFormat result, FpFormat a_format, std::uint64_t a, FpFormat b_format,
                     std::uint64_t b, Rounding rounding, std::uint8_t& flags) {
  const Unpacked x = unpack(a_format, a), y = unpack(b_format, b);
  Specials specials;
  specials.add_value(x);
  specials.add_value(y);
  std::uint64_t decided = 0;
  if (specials.decide(result, flags, decided)) return decided;
  return round_sum(result, term(x), term(y), rounding, flags);
}

std::uint64_t fp_multiply(FpFormat result, FpFormat operands, std::uint64_t a, std::uint64_t b,
                          Rounding rounding, std::uint8_t& flags) {
  const Unpacked x = unpack(operands, a), y = unpack(operands, b);
  Specials specials;
  specials.add_product(x, y);
  std::uint64_t decided = 0;
  if (specials.decide(result, flags, decided)) return decided;
  const Term exact = product(x, y);
  if (exact.mantissa == 0) return signed_zero(result, exact.negative);
  return round_and_pack(result, exact, rounding, flags);
}

std::uint64_t fp_multiply_add(FpFormat result, FpFormat operands, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c, Rounding rounding, std::uint8_t& flags) {
  const Unpacked x = unpack(operands, a), y = unpack(operands, b), z = unpack(result, c);
  Specials specials;
  specials.add_product(x, y);
  specials.add_value(z);
  std::uint64_t decided = 0;
  if (specials.decide(result, flags, decided)) return decided;
  return round_sum(result, product(x, y), term(z), rounding, flags);
}

std::uint64_t fp_dot2_add(FpFormat result, FpFormat operands, std::uint64_t a, std::uint64_t b,
                          std::uint64_t c, std::uint64_t d, std::uint64_t e, Rounding rounding,
                          std::uint8_t& flags) {
  const Unpacked ua = unpack(operands, a), ub = unpack(operands, b), uc = unpack(operands, c),
                 ud = unpack(operands, d), ue = unpack(result, e);
  Specials specials;
  specials.add_product(ua, ub);
  specials.add_product(uc, ud);
  specials.add_value(ue);
  std::uint64_t decided = 0;
  if (specials.decide(result, flags, decided)) return decided;
  return round_sum3(result, {product(ua, ub), product(uc, ud), term(ue)}, rounding, flags);
}

std::uint64_t fp_sum3(FpFormat result, FpFormat operands, std::uint64_t a, std::uint64_t c,
                      std::uint64_t e, Rounding rounding, std::uint8_t& flags) {
  const Unpacked ua = unpack(operands, a), uc = unpack(operands, c), ue = unpack(result, e);
  Specials specials;
  specials.add_value(ua);
  specials.add_value(uc);
  specials.add_value(ue);
  std::uint64_t decided = 0;
  if (specials.decide(result, flags, decided)) return decided;
  return round_sum3(result, {term(ua), term(uc), term(ue)}, rounding, flags);
}

std::uint64_t fp_convert(FpFormat result, FpFormat source, std::uint64_t a, Rounding rounding,
                         std::uint8_t& flags) {
  const Unpacked x = unpack(source, a);
  if (x.kind == Kind::signalling_nan) flags |= fp_invalid;
  if (x.nan()) return canonical_nan(result);
  if (x.kind == Kind::infinity) return signed_infinity(result, x.negative);
  if (x.kind == Kind::zero) return signed_zero(result, x.negative);
  return round_and_pack(result, term(x), rounding, flags);
}

std::uint64_t fp_to_integer(int bits, bool is_signed, FpFormat source, std::uint64_t a,
                            Rounding rounding, std::uint8_t& flags) {
  const Unpacked x = unpack(source, a);
  const std::uint64_t largest = is_signed ? mask(bits - 1) : mask(bits);
  const std::uint64_t smallest = is_signed ? std::uint64_t{1} << (bits - 1) : 0;  // as a magnitude
  const std::uint64_t at_least = smallest & mask(bits);  // as a bit pattern
  if (x.nan()) {
    flags |= fp_invalid;
    return largest;
  }
  if (x.kind == Kind::zero) return 0;
  const bool huge = x.kind == Kind::infinity ||
                    x.exponent + top_bit(x.mantissa) > bits;  // far outside in either direction
  if (huge) {
    flags |= fp_invalid;
    return x.negative ? at_least : largest;
  }
  bool inexact = false;
  const auto magnitude = static_cast<std::uint64_t>(
      shift_and_round(x.mantissa, -x.exponent, x.negative, rounding, inexact));
  if (magnitude > (x.negative ? smallest : largest)) {
    flags |= fp_invalid;
    return x.negative ? at_least : largest;
  }
  if (inexact) flags |= fp_inexact;
  return (x.negative ? ~magnitude + 1 : magnitude) & mask(bits);
}

std::uint64_t fp_from_integer(FpFormat result, int bits, bool is_signed, std::uint64_t a,
                              Rounding rounding, std::uint8_t& flags) {
  a &= mask(bits);
  const bool negative = is_signed && ((a >> (bits - 1)) & 1);
  const std::uint64_t magnitude = negative ? (~a + 1) & mask(bits) : a;
  if (magnitude == 0) return 0;
  return round_and_pack(result, {negative, 0, magnitude}, rounding, flags);
}

FpOrder fp_compare(FpFormat format, std::uint64_t a, std::uint64_t b, bool quiet,
                   std::uint8_t& flags) {
  const Unpacked x = unpack(format, a), y = unpack(format, b);
  if (x.nan() || y.nan()) {
    if (!quiet || x.kind == Kind::signalling_nan || y.kind == Kind::signalling_nan)
      flags |= fp_invalid;
    return FpOrder::unordered;
  }
  if (x.kind == Kind::zero && y.kind == Kind::zero) return FpOrder::equal;
  // Bit patterns of numbers order as sign and magnitude.
  const std::uint64_t sign = signed_zero(format, true);
  if (x.negative != y.negative) return x.negative ? FpOrder::less : FpOrder::greater;
  const std::uint64_t p = a & (sign - 1), q = b & (sign - 1);
  if (p == q) return FpOrder::equal;
  return (p < q) != x.negative ? FpOrder::less : FpOrder::greater;
}

std::uint64_t fp_min_max(FpFormat format, bool maximum, std::uint64_t a, std::uint64_t b,
                         std::uint8_t& flags) {
  const Unpacked x = unpack(format, a), y = unpack(format, b);
  const FpOrder order = fp_compare(format, a, b, true, flags);
  if (x.nan() && y.nan()) return canonical_nan(format);
  if (x.nan()) return b;
  if (y.nan()) return a;
  bool first = order == FpOrder::less;  // is a the smaller one?
  if (order == FpOrder::equal) first = x.negative;
  return first != maximum ? a : b;
}

std::uint32_t fp_classify(FpFormat format, std::uint64_t a) {
  const Unpacked x = unpack(format, a);
  const FpFormatInfo f = info(format);
  switch (x.kind) {
    case Kind::infinity:
      return x.negative ? 1U << 0 : 1U << 7;
    case Kind::zero:
      return x.negative ? 1U << 3 : 1U << 4;
    case Kind::signalling_nan:
      return 1U << 8;
    case Kind::quiet_nan:
      return 1U << 9;
    case Kind::finite:
      break;
  }
  const bool normal = (x.mantissa >> f.mantissa_bits) != 0;
  if (normal) return x.negative ? 1U << 1 : 1U << 6;
  return x.negative ? 1U << 2 : 1U << 5;
}

}  // namespace quern::snitch
