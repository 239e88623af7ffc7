// Every unroll and jam, every subset of the passes, random sizes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "base/error.h"
#include "bench/snitch/kernel_check.h"
#include "generator/snitch/generate.h"

namespace quern::bench::snitch {
namespace {

TEST(SnitchKernels, EveryUnrollAndJam) {
  for (int m_r = 1; m_r <= 29; ++m_r) {
    for (int n_r = 1; m_r * n_r <= 29; ++n_r) {
      expect_right({fmt::format("snitch-f64-matmul-m30-n31-k4-{}x{}", m_r, n_r)});
    }
  }
}

// Right, or refused with what ran out.
TEST(SnitchKernels, UnrollAndJamsOfEveryTypeOverOddSizes) {
  int right = 0, refused = 0;
  for (const char* kernel : {"f64-matmul-m7-n13-k5", "f32-matmul-m7-n16-k5", "f16-matmul-m7-n16-k6",
                             "f32-matmul_t-m5-n13-k8", "f16-matmul_t-m5-n14-k8",
                             "f32-dense-m5-n10-k9", "f32-conv3x3-m5-n12", "f16-conv3x3-m5-n12",
                             "f64-dense-m5-n9-k3", "f16-max_pool3x3-m4-n12"}) {
    for (int m_r : {1, 2, 3, 4, 7}) {
      for (int n_r : {1, 2, 3, 4, 6, 8, 16}) {
        const std::string id = fmt::format("snitch-{}-{}x{}", kernel, m_r, n_r);
        try {
          (void)generator::snitch::generate(generator::snitch::parse_id(id));
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::bad_input) << id;
          EXPECT_NE(std::string(error.what()).find("out of floating-point registers"),
                    std::string::npos)
              << id << ": " << error.what();
          ++refused;
          continue;
        }
        if ((m_r + n_r) % 2 == 0 || m_r * n_r > 20) expect_right({id});
        ++right;
      }
    }
  }
  EXPECT_GT(right, 200);
  EXPECT_GT(refused, 10);
}

// Every kernel and type; each of the sizes in every place, mixed so that all differ.
TEST(SnitchKernels, EveryKernelOverMixedSizes) {
  constexpr std::array kSizes = {1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 31};
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const int m = kSizes[i], n = kSizes[(3 * i + 2) % 11], k = kSizes[(5 * i + 7) % 11];
    const std::string plane = fmt::format("m{}-n{}", m, n);
    expect_right(kernel_ids(
        {"fill", "sum", "relu", "axpy", "conv3x3", "max_pool3x3", "sum_pool3x3"}, {plane}));
    expect_right(kernel_ids({"matmul", "matmul_t", "dense"}, {fmt::format("{}-k{}", plane, k)}));
    expect_right(kernel_ids({"dot"}, {fmt::format("k{}", k)}));
    // The same with some passes off.
    const char* off = std::array{"-no-jam", "-no-frep", "-no-fuse", "-no-replacement-no-frep",
                                 "-no-streams"}[i % 5];
    expect_right(kernel_ids({"matmul", "dense"}, {fmt::format("{}-k{}", plane, k)}, off));
    expect_right(kernel_ids({"conv3x3", "max_pool3x3"}, {plane}, off));
  }
}

TEST(SnitchKernels, EverySubsetOfThePasses) {
  for (int subset = 0; subset < 32; ++subset) {
    std::string suffix;
    int bit = 0;
    for (const char* pass : {"streams", "replacement", "frep", "fuse", "jam"}) {
      if ((subset >> bit++ & 1) == 0) suffix += fmt::format("-no-{}", pass);
    }
    for (const char* kernel : {"matmul-m3-n6-k8", "dense-m3-n6-k8", "conv3x3-m3-n6",
                               "max_pool3x3-m3-n6", "sum_pool3x3-m3-n6", "axpy-m3-n6", "dot-k9"}) {
      expect_right({fmt::format("snitch-f64-{}{}", kernel, suffix)});
    }
    expect_right({"snitch-f32-matmul_t-m3-n6-k8" + suffix, "snitch-f16-dot-k9" + suffix});
  }
}

TEST(SnitchKernels, RandomSizes) {
  std::uint32_t state = 12345;
  const auto random = [&](std::uint32_t most) {
    state = state * 1664525 + 1013904223;
    return 1 + (state >> 8) % most;
  };
  for (int i = 0; i < 45; ++i) {
    const char* type = std::array{"f64", "f32", "f16"}[i % 3];
    const std::string sizes = fmt::format("m{}-n{}", random(24), random(40));
    expect_right({fmt::format("snitch-{}-matmul-{}-k{}", type, sizes, random(40)),
                  fmt::format("snitch-{}-dense-{}-k{}", type, sizes, random(40)),
                  fmt::format("snitch-{}-matmul_t-{}-k{}", type, sizes, random(40)),
                  fmt::format("snitch-{}-conv3x3-{}", type, sizes),
                  fmt::format("snitch-{}-max_pool3x3-{}", type, sizes)});
  }
}

}  // namespace
}  // namespace quern::bench::snitch
