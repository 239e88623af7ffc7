// Exact arithmetic against two independent sources: the host's f64 and f32 in all its rounding
// modes, and for the small formats a search in the sorted table of all their values.
#include "boards/snitch/fpu/arithmetic.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <random>
#include <vector>

namespace quern::snitch {
namespace {

constexpr Rounding host_modes[] = {Rounding::nearest_even, Rounding::to_zero, Rounding::down,
                                   Rounding::up};
int host_mode(Rounding r) {
  switch (r) {
    case Rounding::to_zero:
      return FE_TOWARDZERO;
    case Rounding::down:
      return FE_DOWNWARD;
    case Rounding::up:
      return FE_UPWARD;
    default:
      return FE_TONEAREST;
  }
}

std::uint8_t host_flags() {
  std::uint8_t flags = 0;
  if (std::fetestexcept(FE_INEXACT)) flags |= fp_inexact;
  if (std::fetestexcept(FE_UNDERFLOW)) flags |= fp_underflow;
  if (std::fetestexcept(FE_OVERFLOW)) flags |= fp_overflow;
  if (std::fetestexcept(FE_INVALID)) flags |= fp_invalid;
  return flags;
}

// Bit patterns that meet the corners: random fraction, exponents crowded at the ends and the
// middle.
template <class Bits>
Bits interesting(std::mt19937_64& random, int exponent_bits, int mantissa_bits) {
  const std::uint64_t top = (std::uint64_t{1} << exponent_bits) - 1;
  std::uint64_t exponent = 0;
  switch (random() % 6) {
    case 0:
      exponent = random() % 3;
      break;
    case 1:
      exponent = top - random() % 3;
      break;
    case 2:
      exponent = random() & top;
      break;
    default:
      exponent = top / 2 + random() % 60 - 30;
      break;
  }
  std::uint64_t fraction = random();
  switch (random() % 6) {
    case 0:
      fraction = 0;
      break;
    case 1:
      fraction = ~std::uint64_t{0};
      break;
    case 2:
      fraction = std::uint64_t{1} << (random() % mantissa_bits);
      break;
    default:
      break;
  }
  fraction &= (std::uint64_t{1} << mantissa_bits) - 1;
  return static_cast<Bits>(((random() & 1) << (exponent_bits + mantissa_bits)) |
                           ((exponent & top) << mantissa_bits) | fraction);
}

template <class Float, class Bits>
void compare_with_host(FpFormat format, int exponent_bits, int mantissa_bits) {
  std::mt19937_64 random(20);
  for (int n = 0; n < 300'000; ++n) {
    const Rounding rounding = host_modes[n & 3];
    const auto a = interesting<Bits>(random, exponent_bits, mantissa_bits);
    const auto b = interesting<Bits>(random, exponent_bits, mantissa_bits);
    const auto c = interesting<Bits>(random, exponent_bits, mantissa_bits);
    volatile Float x = std::bit_cast<Float>(a), y = std::bit_cast<Float>(b),
                   z = std::bit_cast<Float>(c);
    for (int op = 0; op < 3; ++op) {
      std::fesetround(host_mode(rounding));
      std::feclearexcept(FE_ALL_EXCEPT);
      volatile Float host = op == 0 ? x + y : op == 1 ? x * y : std::fma(x, y, z);
      const std::uint8_t want_flags = host_flags();
      std::fesetround(FE_TONEAREST);
      const Float got_host = host;
      std::uint64_t want = std::bit_cast<Bits>(got_host);
      if (std::isnan(got_host)) want = canonical_nan(format);
      std::uint8_t flags = 0;
      const std::uint64_t got = op == 0 ? fp_add(format, format, a, format, b, rounding, flags)
                                : op == 1
                                    ? fp_multiply(format, format, a, b, rounding, flags)
                                    : fp_multiply_add(format, format, a, b, c, rounding, flags);
      // inf * 0 + quiet NaN: IEEE leaves the flag to the machine, RISC-V raises it.
      std::uint8_t compared = flags;
      if (op == 2 && std::isnan(z)) compared = (compared & ~fp_invalid) | (want_flags & fp_invalid);
      ASSERT_EQ(got, want) << "op " << op << std::hex << " a " << +a << " b " << +b << " c " << +c
                           << " rounding " << static_cast<int>(rounding);
      ASSERT_EQ(compared, want_flags) << "op " << op << std::hex << " a " << +a << " b " << +b
                                      << " c " << +c << " rounding " << static_cast<int>(rounding);
    }
  }
}

TEST(Arithmetic, F64AgreesWithTheHost) {
  compare_with_host<double, std::uint64_t>(FpFormat::f64, 11, 52);
}
TEST(Arithmetic, F32AgreesWithTheHost) {
  compare_with_host<float, std::uint32_t>(FpFormat::f32, 8, 23);
}

TEST(Arithmetic, RaisesInvalidForInfinityTimesZeroPlusNan) {
  std::uint8_t flags = 0;
  EXPECT_EQ(fp_multiply_add(FpFormat::f32, FpFormat::f32, 0x7f800000, 0, 0x7fc00000,
                            Rounding::nearest_even, flags),
            0x7fc00000U);
  EXPECT_EQ(flags, fp_invalid);
}

__extension__ typedef __float128 Quad;

// All finite values of a small format in order, with their bit patterns.
struct Table {
  std::vector<std::pair<Quad, std::uint64_t>> values;  // not negative, ascending
  Quad overflow;                                       // 2^(emax + 1)
};

Quad power(int exponent) {
  Quad v = 1;
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) v = exponent < 0 ? v / 2 : v * 2;
  return v;
}

Table table_of(FpFormat format) {
  const FpFormatInfo f = info(format);
  Table t;
  const std::uint64_t count = ((std::uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  for (std::uint64_t bits = 0; bits < count; ++bits) {
    const int biased = static_cast<int>(bits >> f.mantissa_bits);
    const auto fraction = static_cast<int>(bits & ((1U << f.mantissa_bits) - 1));
    const int exponent = (biased == 0 ? 1 : biased) - f.bias() - f.mantissa_bits;
    t.values.emplace_back(
        power(exponent) * (biased == 0 ? fraction : fraction + (1 << f.mantissa_bits)), bits);
  }
  t.overflow = power(f.bias() + 1);
  return t;
}

// Rounds by looking for the neighbours: no knowledge of bits.
std::uint64_t round_by_search(FpFormat format, const Table& t, Quad value, bool negative_zero,
                              Rounding rounding) {
  const std::uint64_t sign = std::uint64_t{1} << (info(format).width() - 1);
  const bool negative = value < 0 || (value == 0 && negative_zero);
  const Quad magnitude = value < 0 ? -value : value;
  std::size_t low = 0, high = t.values.size();  // last value <= magnitude
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (t.values[middle].first <= magnitude ? low : high) = middle;
  }
  const Quad below = t.values[low].first;
  std::size_t chosen = low;
  if (below != magnitude) {
    const Quad above = low + 1 < t.values.size() ? t.values[low + 1].first : t.overflow;
    const Quad down = magnitude - below, up = above - magnitude;
    bool away = false;
    switch (rounding) {
      case Rounding::nearest_even:
        away = up < down || (up == down && (t.values[low].second & 1));
        break;
      case Rounding::nearest_away:
        away = up <= down;
        break;
      case Rounding::up:
        away = !negative;
        break;
      case Rounding::down:
        away = negative;
        break;
      default:
        break;
    }
    if (away) ++chosen;
  }
  const std::uint64_t infinity = t.values.back().second + 1;
  return (negative ? sign : 0) | (chosen < t.values.size() ? t.values[chosen].second : infinity);
}

Quad value_of(FpFormat format, const Table& t, std::uint64_t bits) {
  const std::uint64_t sign = std::uint64_t{1} << (info(format).width() - 1);
  const Quad v = t.values[bits & (sign - 1)].second == (bits & (sign - 1))
                     ? t.values[bits & (sign - 1)].first
                     : 0;
  return bits & sign ? -v : v;
}

constexpr Rounding all_modes[] = {Rounding::nearest_even, Rounding::to_zero, Rounding::down,
                                  Rounding::up, Rounding::nearest_away};

bool finite(FpFormat format, std::uint64_t bits) {
  const FpFormatInfo f = info(format);
  const std::uint64_t top = (std::uint64_t{1} << f.exponent_bits) - 1;
  return ((bits >> f.mantissa_bits) & top) != top;
}

class SmallFormat : public testing::TestWithParam<FpFormat> {};

TEST_P(SmallFormat, SumsProductsAndFusedProductsAreTheNearestValues) {
  const FpFormat format = GetParam();
  const Table t = table_of(format);
  const std::uint64_t patterns = std::uint64_t{1} << info(format).width();
  std::mt19937_64 random(7);
  int done = 0;
  for (int n = 0; done < 60'000; ++n) {
    // f8: every pair; wider ones: random.
    const std::uint64_t a = patterns == 256 ? n & 255 : random() % patterns,
                        b = patterns == 256 ? (n >> 8) & 255 : random() % patterns,
                        c = random() % patterns;
    if (patterns == 256 && n >= 65536) break;
    if (!finite(format, a) || !finite(format, b) || !finite(format, c)) continue;
    ++done;
    const Quad x = value_of(format, t, a), y = value_of(format, t, b), z = value_of(format, t, c);
    const Rounding rounding = all_modes[n % 5];
    const std::uint64_t sign = patterns / 2;
    std::uint8_t flags = 0;
    // The sign of a zero result is tested apart; here it follows the operation.
    const auto nearest = [&](Quad v) { return round_by_search(format, t, v, false, rounding); };
    std::uint64_t got = fp_multiply(format, format, a, b, rounding, flags);
    ASSERT_EQ(got, x * y != 0 ? nearest(x * y) : (a ^ b) & sign) << std::hex << a << " * " << b;
    // Quad holds the sum exactly unless the operands lie too far apart, as two bf16 can.
    const Quad big = x * x > y * y ? x * x : y * y, small = x * x > y * y ? y * y : x * x;
    if (x + y != 0 && (small == 0 || big / small < power(180))) {
      got = fp_add(format, format, a, format, b, rounding, flags);
      ASSERT_EQ(got, nearest(x + y)) << std::hex << a << " + " << b;
    }
    if (format == FpFormat::bf16) continue;  // a fused product needs more than 113 bits
    if (x * y + z != 0) {
      got = fp_multiply_add(format, format, a, b, c, rounding, flags);
      ASSERT_EQ(got, nearest(x * y + z)) << std::hex << a << " * " << b << " + " << c;
    }
    if (x * y + z * x + y != 0) {
      got = fp_dot2_add(format, format, a, b, c, a, b, rounding, flags);
      ASSERT_EQ(got, nearest(x * y + z * x + y))
          << std::hex << a << " * " << b << " + " << c << " * " << a << " + " << b;
    }
  }
}

TEST_P(SmallFormat, ConversionsRoundToTheNearestValue) {
  const FpFormat format = GetParam();
  const Table t = table_of(format);
  std::mt19937_64 random(9);
  for (int n = 0; n < 50'000; ++n) {
    const auto bits = interesting<std::uint32_t>(random, 8, 23);
    const float f = std::bit_cast<float>(bits);
    if (!std::isfinite(f)) continue;
    const Rounding rounding = all_modes[n % 5];
    std::uint8_t flags = 0;
    ASSERT_EQ(fp_convert(format, FpFormat::f32, bits, rounding, flags),
              round_by_search(format, t, f, std::signbit(f), rounding))
        << std::hex << bits;
    const auto i = static_cast<std::int32_t>(random() >> (random() % 32));
    flags = 0;
    ASSERT_EQ(fp_from_integer(format, 32, true, static_cast<std::uint32_t>(i), rounding, flags),
              round_by_search(format, t, i, false, rounding))
        << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallFormat,
                         testing::Values(FpFormat::f16, FpFormat::bf16, FpFormat::f8,
                                         FpFormat::f8alt));

TEST(Arithmetic, ConvertsToIntegersAsRiscVWants) {
  struct {
    float value;
    bool is_signed;
    Rounding rounding;
    std::uint32_t want;
    std::uint8_t flags;
  } const cases[] = {
      {1.5F, true, Rounding::nearest_even, 2, fp_inexact},
      {2.5F, true, Rounding::nearest_even, 2, fp_inexact},
      {2.5F, true, Rounding::nearest_away, 3, fp_inexact},
      {-1.5F, true, Rounding::to_zero, 0xffffffff, fp_inexact},
      {-0.5F, true, Rounding::down, 0xffffffff, fp_inexact},
      {-0.5F, false, Rounding::to_zero, 0, fp_inexact},
      {-1.0F, false, Rounding::nearest_even, 0, fp_invalid},
      {3e9F, true, Rounding::nearest_even, 0x7fffffff, fp_invalid},
      {-3e9F, true, Rounding::nearest_even, 0x80000000, fp_invalid},
      {3e9F, false, Rounding::nearest_even, 3000000000U, 0},
      {INFINITY, false, Rounding::nearest_even, 0xffffffff, fp_invalid},
      {NAN, true, Rounding::nearest_even, 0x7fffffff, fp_invalid},
      {-2147483648.0F, true, Rounding::nearest_even, 0x80000000, 0},
  };
  for (const auto& c : cases) {
    std::uint8_t flags = 0;
    EXPECT_EQ(fp_to_integer(32, c.is_signed, FpFormat::f32, std::bit_cast<std::uint32_t>(c.value),
                            c.rounding, flags),
              c.want)
        << c.value;
    EXPECT_EQ(flags, c.flags) << c.value;
  }
}

TEST(Arithmetic, RoundsTiesAwayInF64) {
  // 1 + 2^-53 lies between 1 and the next value.
  std::uint8_t flags = 0;
  const auto one = std::bit_cast<std::uint64_t>(1.0), tiny = std::bit_cast<std::uint64_t>(0x1p-53);
  EXPECT_EQ(
      fp_add(FpFormat::f64, FpFormat::f64, one, FpFormat::f64, tiny, Rounding::nearest_even, flags),
      one);
  EXPECT_EQ(
      fp_add(FpFormat::f64, FpFormat::f64, one, FpFormat::f64, tiny, Rounding::nearest_away, flags),
      one + 1);
}

TEST(Arithmetic, UnderflowIsAfterRounding) {
  // (2 - 2^-52) * 2^-1022 * 1/2 rounds up to the smallest normal, but not with an unbounded
  // exponent to one place more: tiny only where the rounded value would be below.
  std::uint8_t flags = 0;
  const auto largest_below_2 = std::bit_cast<std::uint64_t>(0x1.fffffffffffffp0),
             half_least = std::bit_cast<std::uint64_t>(0x1p-1023);
  EXPECT_EQ(fp_multiply(FpFormat::f64, FpFormat::f64, largest_below_2, half_least,
                        Rounding::nearest_even, flags),
            std::bit_cast<std::uint64_t>(0x1p-1022));
  EXPECT_EQ(flags, fp_inexact | fp_underflow);
}

TEST(Arithmetic, MinimumAndMaximum) {
  constexpr std::uint64_t quiet = 0x7fc00000, signalling = 0x7f800001, one = 0x3f800000,
                          minus_zero = 0x80000000;
  struct {
    bool maximum;
    std::uint64_t a, b, want;
    std::uint8_t flags;
  } const cases[] = {
      {false, one, quiet, one, 0},           {true, quiet, one, one, 0},
      {false, quiet, quiet, quiet, 0},       {true, signalling, one, one, fp_invalid},
      {false, 0, minus_zero, minus_zero, 0}, {true, 0, minus_zero, 0, 0},
      {true, minus_zero, 0, 0, 0},           {false, one, 0, 0, 0},
  };
  for (const auto& c : cases) {
    std::uint8_t flags = 0;
    EXPECT_EQ(fp_min_max(FpFormat::f32, c.maximum, c.a, c.b, flags), c.want);
    EXPECT_EQ(flags, c.flags);
  }
}

}  // namespace
}  // namespace quern::snitch
