// The GEMM around the kernels, with plain kernels: sizes around tile and block multiples,
// transposes, strides, beta.
#include "gemm/gemm.h"

#include <gtest/gtest.h>

#include <random>

#include "gemm/plain_kernel.h"
#include "gemm/verify.h"

namespace quern::gemm {
namespace {

std::vector<float> random_values(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> out(static_cast<std::size_t>(count));
  for (float& value : out) value = uniform(random);
  return out;
}

struct Problem {
  Transpose trans_a, trans_b;
  std::int64_t m, n, k, pad;  // pad: extra rows in each leading dimension
  float alpha, beta;
};

// Runs one problem with small blocks, so that every loop of gemm() turns more than once.
void expect_right(const Problem& p) {
  SCOPED_TRACE(testing::Message() << "ta " << int(p.trans_a) << " tb " << int(p.trans_b) << " m "
                                  << p.m << " n " << p.n << " k " << p.k << " pad " << p.pad
                                  << " alpha " << p.alpha << " beta " << p.beta);
  const std::int64_t lda = (p.trans_a == Transpose::no ? p.m : p.k) + p.pad;
  const std::int64_t ldb = (p.trans_b == Transpose::no ? p.k : p.n) + p.pad;
  const std::int64_t ldc = p.m + p.pad;
  const auto a = random_values(lda * (p.trans_a == Transpose::no ? p.k : p.m), 1);
  const auto b = random_values(ldb * (p.trans_b == Transpose::no ? p.n : p.k), 2);
  const auto c0 = random_values(ldc * p.n, 3);
  auto c = c0;
  Workspace workspace;
  const Blocking blocks{10, 9, 7};
  gemm<f32>(plain_family<f32, 5, 3>(), blocks, workspace, p.trans_a, p.trans_b, p.m, p.n, p.k,
            p.alpha, a.data(), lda, b.data(), ldb, p.beta, c.data(), ldc);
  const Verdict verdict =
      verify_elements<f32>(p.trans_a, p.trans_b, p.m, p.n, p.k, p.alpha, a.data(), lda, b.data(),
                           ldb, p.beta, c0.data(), c.data(), ldc);
  EXPECT_TRUE(verdict.correct) << "first wrong element " << verdict.wrong_row << ","
                               << verdict.wrong_column;
  for (std::int64_t j = 0; j < p.n; ++j) {
    for (std::int64_t i = p.m; i < ldc; ++i)
      ASSERT_EQ(c[j * ldc + i], c0[j * ldc + i]) << "wrote between columns";
  }
}

TEST(Gemm, SizesAroundTilesAndBlocks) {
  for (std::int64_t m : {1, 4, 5, 6, 10, 11, 23}) {
    for (std::int64_t n : {1, 2, 3, 4, 9, 10, 19}) {
      for (std::int64_t k : {1, 6, 7, 8, 15}) {
        expect_right({Transpose::no, Transpose::no, m, n, k, 0, 1, 0});
      }
    }
  }
}

TEST(Gemm, TransposesStridesAlphaBeta) {
  for (auto trans_a : {Transpose::no, Transpose::yes}) {
    for (auto trans_b : {Transpose::no, Transpose::yes}) {
      for (float alpha : {1.0f, -0.75f, 0.0f}) {
        for (float beta : {0.0f, 1.0f, 2.5f}) {
          expect_right({trans_a, trans_b, 17, 13, 40, 3, alpha, beta});
        }
      }
    }
  }
}

TEST(Gemm, NothingToMultiplyOnlyScales) {
  float c[] = {2, 3};
  Workspace workspace;
  gemm<f32>(plain_family<f32, 5, 3>(), {10, 9, 7}, workspace, Transpose::no, Transpose::no, 2, 1, 0,
            1, nullptr, 2, nullptr, 1, 0.5f, c, 2);
  EXPECT_EQ(c[0], 1);
  EXPECT_EQ(c[1], 1.5f);
  gemm<f32>(plain_family<f32, 5, 3>(), {10, 9, 7}, workspace, Transpose::no, Transpose::no, 0, 1, 4,
            1, nullptr, 1, nullptr, 4, 0, nullptr, 1);  // empty C: nothing is touched
}

TEST(Gemm, BetaZeroDoesNotReadC) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t k : {0, 9}) {
    const auto a = random_values(7 * 9, 1), b = random_values(9 * 4, 2);
    std::vector<float> c(7 * 4, nan);
    Workspace workspace;
    gemm<f32>(plain_family<f32, 5, 3>(), {10, 9, 7}, workspace, Transpose::no, Transpose::no, 7, 4,
              k, 1, a.data(), 7, b.data(), 9, 0, c.data(), 7);
    for (float value : c) EXPECT_FALSE(std::isnan(value));
  }
}

TEST(Pack, PanelsAreTheBlockColumnByColumn) {
  // A 3 x 2 block of a 4 x 3 matrix (column-major, values ij), panels of 2 rows: a full one and one
  // of 1 row.
  const float matrix[] = {0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32};
  float packed[6];
  pack_block<f32>(pack_pair<f32, 2>(), {matrix, 4, true}, 1, 1, 3, 2, packed);
  const float expected[] = {11, 21, 12, 22, 31, 32};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(packed[i], expected[i]) << i;
}

TEST(Pack, TransposingGivesTheSamePanels) {
  const std::int64_t width = 7, length = 41;  // more than two strips and a rest
  const auto rows = random_values(width * length, 5);
  std::vector<float> turned(rows.size()), from_rows(rows.size()), from_turned(rows.size());
  for (std::int64_t i = 0; i < width; ++i) {
    for (std::int64_t p = 0; p < length; ++p) turned[i * length + p] = rows[p * width + i];
  }
  pack_block<f32>(pack_pair<f32, 3>(), {rows.data(), width, true}, 0, 0, width, length,
                  from_rows.data());
  pack_block<f32>(pack_pair<f32, 3>(), {turned.data(), length, false}, 0, 0, width, length,
                  from_turned.data());
  EXPECT_EQ(from_rows, from_turned);
}

TEST(Blocking, FollowsTheAnalyticalModel) {
  // K1: L1 32 KB 4-way, L2 512 KB 16-way. 16x15 f32: floor(3 / (1 + 15/16)) = 1 way for A: k_c =
  // 8192 / 64 = 128. B's panel is 128*15*4 = 7680 B, 1 way of L2 (32 KB): 14 ways for A: m_c =
  // 14*32768 / 512 = 896. No L3: n_c = 4 MiB / 512 = 8192, down to a multiple of 15: 8190.
  const MemoryGeometry k1{{32768, 4, 64}, {524288, 16, 64}, {}};
  const Blocking b = analytical_blocking(k1, 16, 15, 4);
  EXPECT_EQ(b.k_c, 128);
  EXPECT_EQ(b.m_c, 896);
  EXPECT_EQ(b.n_c, 8190);
}

TEST(Blocking, BlocksFitTheirCachesForEveryTile) {
  const MemoryGeometry boards[] = {{{32768, 4, 64}, {524288, 16, 64}, {}},
                                   {{32768, 4, 64}, {262144, 16, 64}, {}},
                                   {{32768, 2, 64}, {}, {}},
                                   {{32768, 8, 64}, {1048576, 16, 64}, {16 << 20, 16, 64}}};
  for (const auto& memory : boards) {
    for (int m_r = 1; m_r <= 64; ++m_r) {
      for (int n_r = 1; n_r <= 32; ++n_r) {
        const Blocking b = analytical_blocking(memory, m_r, n_r, 4);
        ASSERT_LE((m_r + n_r) * b.k_c * 4, memory.l1.bytes);
        if (memory.l2.bytes > 0) {
          ASSERT_LE(b.m_c * b.k_c * 4 + n_r * b.k_c * 4, memory.l2.bytes);
        }
        ASSERT_EQ(b.m_c % m_r, 0);
        ASSERT_EQ(b.n_c % n_r, 0);
        ASSERT_GE(b.k_c, 1);
      }
    }
  }
}

TEST(Blocking, KIsCutIntoEqualParts) {
  EXPECT_EQ(fit_to_problem({896, 8190, 128}, 16, 15, 1024, 384, 130).k_c, 65);
  EXPECT_EQ(fit_to_problem({896, 8190, 128}, 16, 15, 1024, 384, 64).k_c, 64);
  EXPECT_EQ(fit_to_problem({896, 8190, 128}, 16, 15, 20, 384, 64).m_c, 32);
}

}  // namespace
}  // namespace quern::gemm
