// Every unroll and jam, every subset of the passes, random sizes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "bench/snitch/kernel_check.h"

namespace quern::bench::snitch {
namespace {

TEST(SnitchKernels, EveryUnrollAndJam) {
  for (int m_r = 1; m_r <= 29; ++m_r) {
    for (int n_r = 1; m_r * n_r <= 29; ++n_r) {
      expect_right({fmt::format("snitch-f64-matmul-m30-n31-k4-{}x{}", m_r, n_r)});
    }
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
