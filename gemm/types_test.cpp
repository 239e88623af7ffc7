// Every type: its numbers, packing, the plain kernels by hand-computed values, and whole problems
// against the reference.
#include <gtest/gtest.h>

#include <random>

#include "gemm/gemm.h"
#include "gemm/plain_kernel.h"
#include "gemm/verify.h"

namespace quern::gemm {
namespace {

TEST(BFloat16, RoundsToNearestTiesToEven) {
  const struct {
    std::uint32_t value;
    std::uint16_t rounded;
  } table[] = {
      {0x3f800000, 0x3f80},  // 1
      {0x3f808000, 0x3f80},  // half-way between 1 and the next: to the even one, below
      {0x3f808001, 0x3f81},  // a bit more
      {0x3f818000, 0x3f82},  // half-way: to the even one, above
      {0x3f817fff, 0x3f81}, {0xbf808000, 0xbf80},
      {0xbf818000, 0xbf82}, {0x3fffffff, 0x4000},  // carries into the exponent
      {0x7f7fffff, 0x7f80},  // the largest float is beyond the largest bfloat16: infinity
      {0x7f7f7fff, 0x7f7f},  // just below half-way
      {0x7f800000, 0x7f80}, {0xff800000, 0xff80},
      {0x00000001, 0x0000}, {0x00008001, 0x0001},  // subnormal
      {0x80000000, 0x8000}, {0x7f800001, 0x7fc0},  // NaNs stay NaNs, quiet, with their sign
      {0xff800001, 0xffc0}, {0x7fffffff, 0x7fff},
  };
  for (const auto& row : table) {
    EXPECT_EQ(bfloat16(std::bit_cast<float>(row.value)).bits, row.rounded) << std::hex << row.value;
  }
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {  // every bfloat16 is a float, and back
    bfloat16 value;
    value.bits = static_cast<std::uint16_t>(bits);
    const float wide = value;
    const auto back = bfloat16(wide).bits;
    ASSERT_EQ(back, std::isnan(wide) ? bits | 0x40 : bits);
  }
}

// Random values whose products and sums all types hold: quarters of -4..4, with real and imaginary
// parts.
template <class T>
std::vector<T> values(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double step = std::is_integral_v<T> ? 1 : 0.25;
  std::vector<T> out(static_cast<std::size_t>(count));
  for (T& value : out) {
    const double real = (static_cast<double>(random() % 17) - 8) * step;
    value = from_parts<T>(real, (static_cast<double>(random() % 17) - 8) * step);
  }
  return out;
}

template <class Types>
class AllTypes : public testing::Test {};
using Every = testing::Types<f32, f64, f16, f16f32, bf16, i8, cf32, cf64>;
TYPED_TEST_SUITE(AllTypes, Every);

TYPED_TEST(AllTypes, PlainKernelByHand) {
  using Sum = typename TypeParam::Sum;
  // (1 2; 3 4) * (5 6; 7 8) = (19 22; 43 50); times 2, plus 3 C.
  using Element = typename TypeParam::Element;
  const Element a[] = {Element(1), Element(3), Element(2), Element(4)};
  const Element b[] = {Element(5), Element(6), Element(7), Element(8)};
  typename TypeParam::Panel pa[8], pb[8];
  pack_block<TypeParam>(pack_pair<TypeParam, 2>(), {a, 2, true}, 0, 0, 2, 2, pa);
  pack_block<TypeParam>(pack_pair<TypeParam, 2>(), {b, 2, true}, 0, 0, 2, 2, pb);
  Sum c[] = {Sum(1), Sum(2), Sum(-9), Sum(3), Sum(4)};
  const Sum alpha(2), beta(3);
  plain_kernel<TypeParam, 2>(2, 2, &alpha, pa, pb, &beta, c, 3);
  EXPECT_EQ(c[0], Sum(41));
  EXPECT_EQ(c[1], Sum(92));
  EXPECT_EQ(c[2], Sum(-9)) << "between the columns";
  EXPECT_EQ(c[3], Sum(53));
  EXPECT_EQ(c[4], Sum(112));
}

TEST(Complex, PlainKernelByHand) {
  using C = std::complex<float>;
  // (1 + 2i)(3 - i) = 5 + 5i; (1 + 2i) * conj(3 - i) = 1 + 7i; times i, plus (1 - i)(2 + i) = 3 -
  // i.
  for (const bool conjugate : {false, true}) {
    const C a = {1, 2}, b = {3, -1}, alpha = {0, 1}, beta = {1, -1};
    C c = {2, 1};
    Workspace workspace;
    gemm<cf32>(plain_family<cf32, 1, 1>(), {1, 1, 1}, workspace, Transpose::no,
               conjugate ? Transpose::conjugate : Transpose::yes, 1, 1, 1, alpha, &a, 1, &b, 1,
               beta, &c, 1);
    EXPECT_EQ(c, conjugate ? C(-4, 0) : C(-2, 4));
  }
}

TEST(Complex, PanelsHoldRealPartsThenImaginaryOnes) {
  using C = std::complex<float>;
  const C a[] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12}};  // 3 x 2
  float panels[12];
  pack_block<cf32>(pack_pair<cf32, 2>(), {a, 3, true, true}, 0, 0, 3, 2, panels);
  const float expected[] = {1, 3, -2, -4, 7, 9, -8, -10, 5, -6, 11, -12};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(panels[i], expected[i]) << i;
}

TEST(Integers, WrapAndWiden) {
  const std::int8_t a[] = {-128, -128}, b[] = {-128, -128};
  Workspace workspace;
  std::int32_t c = 2147483647;
  gemm<i8>(plain_family<i8, 1, 1>(), {1, 1, 2}, workspace, Transpose::no, Transpose::no, 1, 1, 2, 1,
           a, 1, b, 2, 1, &c, 1);
  EXPECT_EQ(c, -2147483647 - 1 + 32767);  // 2^31 - 1 + 2 * 2^14, less 2^32
  c = 1 << 30;
  gemm<i8>(plain_family<i8, 1, 1>(), {1, 1, 2}, workspace, Transpose::no, Transpose::no, 1, 1, 0, 1,
           a, 1, b, 2, 4, &c, 1);
  EXPECT_EQ(c, 0);  // k = 0 scales modulo 2^32 too
  const std::int32_t before = 2147483647;
  c = -2147483647 - 1 + 32767;
  EXPECT_TRUE(
      verify_elements<i8>(Transpose::no, Transpose::no, 1, 1, 2, 1, a, 1, b, 2, 1, &before, &c, 1)
          .correct);
  ++c;
  EXPECT_FALSE(
      verify_elements<i8>(Transpose::no, Transpose::no, 1, 1, 2, 1, a, 1, b, 2, 1, &before, &c, 1)
          .correct);
}

TYPED_TEST(AllTypes, WholeProblemsMeetTheReference) {
  using Sum = typename TypeParam::Sum;
  using Element = typename TypeParam::Element;
  const Sum alphas[] = {Sum(1), from_parts<Sum>(-2, 1), Sum(0)};
  const Sum betas[] = {Sum(0), Sum(1), from_parts<Sum>(3, -1)};
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    const auto below = [&](int n) {
      return static_cast<std::int64_t>(random() % static_cast<unsigned>(n));
    };
    const std::int64_t m = 1 + below(24), n = 1 + below(20), k = below(40), pad = below(4);
    const auto trans_a = static_cast<Transpose>(below(3)),
               trans_b = static_cast<Transpose>(below(3));
    const Sum alpha = alphas[below(3)], beta = betas[below(3)];
    const bool ta = trans_a != Transpose::no, tb = trans_b != Transpose::no;
    const std::int64_t lda = std::max<std::int64_t>((ta ? k : m) + pad, 1);
    const std::int64_t ldb = std::max<std::int64_t>((tb ? n : k) + pad, 1), ldc = m + pad;
    const auto a = values<Element>(lda * (ta ? m : k) + 1, 1 + random());
    const auto b = values<Element>(ldb * (tb ? k : n) + 1, 2 + random());
    const auto c0 = values<Sum>(ldc * n, 3 + random());
    auto c = c0;
    Workspace workspace;
    gemm<TypeParam>(plain_family<TypeParam, 5, 3>(), {10, 9, 7}, workspace, trans_a, trans_b, m, n,
                    k, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), ldc);
    const auto check = [&](const std::vector<Sum>& computed) {
      // All values are quarters, all sums small: nothing is rounded (but in half-precision C).
      const auto tolerance =
          std::is_same_v<TypeParam, f16> ? std::optional<Tolerance>() : Tolerance::none();
      return verify_elements<TypeParam>(trans_a, trans_b, m, n, k, alpha, a.data(), lda, b.data(),
                                        ldb, beta, c0.data(), computed.data(), ldc, tolerance);
    };
    ASSERT_TRUE(check(c).correct) << "round " << round << " m " << m << " n " << n << " k " << k;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = m; i < ldc; ++i) ASSERT_EQ(c[j * ldc + i], c0[j * ldc + i]);
    }
    c[below(static_cast<int>(n)) * ldc + below(static_cast<int>(m))] += Sum(64);
    if (k < 16) {
      ASSERT_FALSE(check(c).correct);
    }
  }
}

TYPED_TEST(AllTypes, ConjugationMattersToComplexTypesOnly) {
  using Sum = typename TypeParam::Sum;
  const auto a = values<typename TypeParam::Element>(6, 1);
  const auto b = values<typename TypeParam::Element>(6, 2);
  std::vector<Sum> plain(4), conjugated(4);
  Workspace workspace;
  for (auto* c : {&plain, &conjugated}) {
    const auto trans = c == &plain ? Transpose::yes : Transpose::conjugate;
    gemm<TypeParam>(plain_family<TypeParam, 5, 3>(), {10, 9, 7}, workspace, trans, Transpose::no, 2,
                    2, 3, Sum(1), a.data(), 3, b.data(), 3, Sum(0), c->data(), 2);
  }
  EXPECT_EQ(plain != conjugated, TypeParam::complex);
}

template <class Types>
Verdict judge_one(typename Types::Element a, typename Types::Element b, double computed,
                  std::int64_t k = 1) {
  const auto c = from_parts<typename Types::Sum>(computed, 0);
  return verify_elements<Types>(Transpose::no, Transpose::no, 1, 1, k, 1, &a, 0, &b, 0, 0, nullptr,
                                &c, 1);
}

TEST(VerifyTypes, HalfSumsMayOverflow) {
  const auto h = [](float x) { return static_cast<half>(x); };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(judge_one<f16>(h(256), h(256), infinity).correct) << "65536 is beyond half";
  EXPECT_FALSE(judge_one<f16>(h(256), h(128), infinity).correct) << "32768 is not";
  EXPECT_FALSE(judge_one<f16f32>(h(256), h(256), infinity).correct) << "nor for sums in float";
  EXPECT_TRUE(judge_one<f16f32>(h(256), h(256), 65536).correct);
  EXPECT_FALSE(judge_one<f16>(h(std::numeric_limits<float>::infinity()), h(1), 65504).correct);
}

TEST(VerifyTypes, BoundsAreThoseOfTheSums) {
  // (1 + u)^5 - 1 for k = 1.
  EXPECT_NEAR(error_bound<f16>(1), std::pow(1 + 0x1p-11, 5) - 1, 1e-15);
  EXPECT_NEAR(error_bound<bf16>(1), std::pow(1 + 0x1p-24, 5) - 1, 1e-15);
  EXPECT_NEAR(error_bound<cf32>(1), std::pow(1 + 0x1p-24, 10) - 1, 1e-15);
  EXPECT_EQ(error_bound<i8>(1000), 0);
  EXPECT_TRUE(judge_one<f32>(3, 5, 15 * (1 + 4 * 0x1p-24)).correct);
  EXPECT_FALSE(judge_one<f32>(3, 5, 15 * (1 + 6 * 0x1p-23)).correct);
  EXPECT_TRUE(judge_one<f64>(3, 5, 15 * (1 + 2 * 0x1p-52)).correct);
  EXPECT_FALSE(judge_one<f64>(3, 5, 15 * (1 + 6 * 0x1p-52)).correct);
}

TEST(VerifyTypes, SubnormalsMustBeKept) {
  EXPECT_FALSE(judge_one<f32>(0x1p-70f, 0x1p-70f, 0).correct);  // 2^-140
  EXPECT_FALSE(judge_one<f16>(static_cast<half>(0x1p-10f), static_cast<half>(0x1p-10f), 0).correct);
  EXPECT_TRUE(judge_one<f32>(0x1p-70f, 0x1p-70f, 0x1p-140).correct);
}

TEST(VerifyTypes, DoubleReferenceIsBetterThanDouble) {
  // Sums that cancel: 2^60 + 1 - 2^60, where double itself loses the 1.
  const double a[] = {0x1p60, 1, -0x1p60}, b[] = {1, 1, 1};
  const double right = 1, wrong = 0;
  const auto exact =
      reference_element<f64>(Transpose::no, Transpose::no, 0, 0, 3, 1, a, 1, b, 3, 0, nullptr, 1);
  EXPECT_EQ(exact.value[0], 1);
  EXPECT_EQ(exact.magnitude[0], 0x1p61);
  for (const double* c : {&right, &wrong}) {  // both within the bound; only one if exact
    EXPECT_TRUE(
        verify_elements<f64>(Transpose::no, Transpose::no, 1, 1, 3, 1, a, 1, b, 3, 0, nullptr, c, 1)
            .correct);
    EXPECT_EQ(verify_elements<f64>(Transpose::no, Transpose::no, 1, 1, 3, 1, a, 1, b, 3, 0, nullptr,
                                   c, 1, Tolerance::none())
                  .correct,
              c == &right);
  }
}

TEST(VerifyTypes, ComplexPartsAreJudgedApart) {
  using C = std::complex<float>;
  const C a = {1, 2}, b = {3, -1};  // product 5 + 5i
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const struct {
    C computed;
    bool correct;
  } table[] = {
      {{5, 5}, true}, {{5, -5}, false}, {{4, 5}, false}, {{nan, 5}, false}, {{5, infinity}, false}};
  for (const auto& row : table) {
    EXPECT_EQ(verify_elements<cf32>(Transpose::no, Transpose::no, 1, 1, 1, 1, &a, 1, &b, 1, 0,
                                    nullptr, &row.computed, 1)
                  .correct,
              row.correct)
        << row.computed;
  }
  const C inf = {infinity, 0};
  for (const C computed : {C(infinity, nan), C(infinity, -infinity), C(nan, nan)}) {
    EXPECT_TRUE(verify_elements<cf32>(Transpose::no, Transpose::no, 1, 1, 1, 1, &inf, 1, &b, 1, 0,
                                      nullptr, &computed, 1)
                    .correct);
  }
}

TYPED_TEST(AllTypes, NanAndInfinitySpread) {
  if constexpr (!TypeParam::integer) {
    using Sum = typename TypeParam::Sum;
    using Element = typename TypeParam::Element;
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      std::vector<Element> a(12, Element(1)), b(12, Element(1));
      a[5] = from_parts<Element>(bad, 0);  // (2, 1) of 3 x 4
      std::vector<Sum> c(9), none(9);
      Workspace workspace;
      gemm<TypeParam>(plain_family<TypeParam, 5, 3>(), {10, 9, 7}, workspace, Transpose::no,
                      Transpose::no, 3, 3, 4, Sum(1), a.data(), 3, b.data(), 4, Sum(0), c.data(),
                      3);
      EXPECT_TRUE(verify_elements<TypeParam>(Transpose::no, Transpose::no, 3, 3, 4, Sum(1),
                                             a.data(), 3, b.data(), 4, Sum(0), none.data(),
                                             c.data(), 3)
                      .correct);
      for (int i = 0; i < 9; ++i) EXPECT_EQ(!std::isfinite(part(c[i], 0)), i % 3 == 2);
      c[2] = Sum(4);
      EXPECT_FALSE(verify_elements<TypeParam>(Transpose::no, Transpose::no, 3, 3, 4, Sum(1),
                                              a.data(), 3, b.data(), 4, Sum(0), none.data(),
                                              c.data(), 3)
                       .correct);
    }
  }
}

}  // namespace
}  // namespace quern::gemm
