#include "boards/snitch/fpu/arithmetic.h"

#include <array>
#include <bit>

#include "boards/snitch/fpu/unpacked.h"

namespace quern::snitch {
namespace {

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
