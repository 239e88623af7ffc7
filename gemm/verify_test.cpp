// The verifiers must notice what goes wrong in kernels, and must not cry over rounding.
#include "gemm/verify.h"

#include <gtest/gtest.h>

namespace quern::gemm {
namespace {

constexpr auto N = Transpose::no;

struct Small {
  std::int64_t m = 33, n = 17, k = 29;
  std::vector<float> a, b, c;
  Small() : a(m * k), b(k * n), c(m * n) {
    fill_with_small_integers(a.data(), m * k, 1);
    fill_with_small_integers(b.data(), k * n, 2);
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t p = 0; p < k; ++p) c[j * m + i] += a[p * m + i] * b[j * k + p];
      }
    }
  }
  Verdict elements() const {
    return verify_elements<f32>(N, N, m, n, k, 1, a.data(), m, b.data(), k, 0, nullptr, c.data(),
                                m);
  }
  Verdict product() const {
    return verify_product<f32>(N, N, m, n, k, a.data(), m, b.data(), k, c.data(), m);
  }
};

TEST(Verify, ExactProductHasNoError) {
  const Small s;
  EXPECT_TRUE(s.elements().correct);
  EXPECT_EQ(s.elements().max_error, 0);
  EXPECT_TRUE(s.product().correct);
}

TEST(Verify, OneWrongElementAnywhereIsFound) {
  for (std::int64_t at : {0, 32, 33, 280, 33 * 17 - 1}) {
    for (float wrong : {1.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), 0.5f,
                        std::numeric_limits<float>::infinity()}) {
      Small s;
      s.c[at] += wrong;
      EXPECT_FALSE(s.elements().correct) << at << " " << wrong;
      EXPECT_FALSE(s.product().correct) << at << " " << wrong;
      EXPECT_EQ(s.elements().wrong_row, at % 33);
      EXPECT_EQ(s.elements().wrong_column, at / 33);
    }
  }
}

TEST(Verify, MissingLastTermIsFound) {
  Small s;
  for (std::int64_t i = 0; i < s.m; ++i) s.c[i] -= s.a[(s.k - 1) * s.m + i] * s.b[s.k - 1];
  EXPECT_FALSE(s.elements().correct);
  EXPECT_FALSE(s.product().correct);
}

TEST(Verify, TwoErrorsThatCancelInTheSumAreFound) {
  Small s;
  s.c[5] += 1;
  s.c[33 + 5] -= 1;  // same row
  EXPECT_FALSE(s.product().correct);
}

TEST(Verify, RoundingIsWithinTheBound) {
  // 1 + 2^-24 rounds to 1: relative error 2^-24 of the magnitude, below (1 + 4) * 2^-24.
  const float a[] = {1, std::ldexp(1.0f, -24)}, b[] = {1, 1};
  float c = 1;
  auto check = [&] {
    return verify_elements<f32>(N, N, 1, 1, 2, 1, a, 1, b, 2, 0, nullptr, &c, 1);
  };
  EXPECT_TRUE(check().correct);
  EXPECT_NEAR(check().max_error, std::ldexp(1.0, -24), 1e-12);
  c = 1 + 8 * std::numeric_limits<float>::epsilon();
  EXPECT_FALSE(check().correct);
}

TEST(Verify, NanMustMeetNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float a[] = {nan}, b[] = {1};
  float c = nan;
  EXPECT_TRUE(verify_elements<f32>(N, N, 1, 1, 1, 1, a, 1, b, 1, 0, nullptr, &c, 1).correct);
  c = 0;
  EXPECT_FALSE(verify_elements<f32>(N, N, 1, 1, 1, 1, a, 1, b, 1, 0, nullptr, &c, 1).correct);
}

}  // namespace
}  // namespace quern::gemm
