// Generated kernels of every kind over odd sizes (kernel_check.h says what is checked).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/snitch/kernel_check.h"
#include "bench/snitch/program.h"
#include "bench/snitch/reference.h"

namespace quern::bench::snitch {
namespace {

using generator::snitch::parse_id;
using generator::snitch::Point;

TEST(SnitchKernels, ElementwiseOverOddSizes) {
  expect_right(
      kernel_ids({"fill", "sum", "relu", "axpy"}, {"m1-n1", "m1-n3", "m4-n4", "m5-n7", "m3-n37"}));
}

TEST(SnitchKernels, WindowsOverOddSizes) {
  expect_right(kernel_ids({"conv3x3", "max_pool3x3", "sum_pool3x3"},
                          {"m1-n1", "m4-n4", "m5-n7", "m31-n3", "m3-n31"}));
}

TEST(SnitchKernels, DotOverOddSizes) {
  expect_right(kernel_ids({"dot"}, {"k1", "k2", "k3", "k4", "k5", "k17", "k64", "k131"}));
}

TEST(SnitchKernels, ProductsOverOddSizes) {
  expect_right(kernel_ids({"matmul", "matmul_t", "dense"}, {"m1-n1-k1", "m1-n4-k4", "m2-n3-k2",
                                                            "m4-n8-k16", "m5-n7-k9", "m7-n26-k8"}));
}

TEST(SnitchKernels, SomeUnrollAndJams) {
  for (const char* jam : {"1x1", "1x4", "4x1", "2x3", "3x5", "1x29", "7x4", "5x5"}) {
    expect_right({fmt::format("snitch-f64-matmul-m7-n30-k5-{}", jam)});
  }
  for (const char* jam : {"1x2", "1x8", "3x4", "2x6"}) {
    expect_right({fmt::format("snitch-f32-matmul_t-m5-n14-k6-{}", jam)});
  }
}

TEST(Reference, SmallCasesByHand) {
  const Point point = parse_id("snitch-f64-matmul-m2-n2-k2");
  const Operands x = {{1, 2, 3, 4}, {5, 6, 7, 8}, {0, 0, 0, 0}};
  EXPECT_EQ(reference(point, x, 0), (std::vector<double>{19, 22, 43, 50}));
  EXPECT_EQ(reference(parse_id("snitch-f64-matmul_t-m2-n2-k2"), x, 0),
            (std::vector<double>{17, 23, 39, 53}));
  EXPECT_EQ(reference(parse_id("snitch-f64-dense-m2-n2-k2"), {x[0], x[1], x[2], {-20, -50}}, 0),
            (std::vector<double>{0, 0, 23, 0}));
  EXPECT_EQ(reference(parse_id("snitch-f64-axpy-m1-n2"), {{1, 2}, {10, 20}, {0, 0}}, 3),
            (std::vector<double>{13, 26}));
  const std::vector<double> image = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(reference(parse_id("snitch-f64-max_pool3x3-m1-n1"), {image, {0}}, 0),
            std::vector<double>{9});
  EXPECT_EQ(reference(parse_id("snitch-f64-sum_pool3x3-m1-n1"), {image, {0}}, 0),
            std::vector<double>{45});
  EXPECT_EQ(
      reference(parse_id("snitch-f64-conv3x3-m1-n1"), {image, {0, 0, 0, 0, 2, 0, 0, 0, 1}, {0}}, 0),
      std::vector<double>{19});
}

TEST(Program, HalfPrecisionBits) {
  using generator::snitch::ScalarType;
  EXPECT_EQ(bits_of(ScalarType::f16, 1), 0x3c00u);
  EXPECT_EQ(bits_of(ScalarType::f16, -15), 0xcb80u);
  EXPECT_EQ(bits_of(ScalarType::f16, 0), 0u);
  EXPECT_EQ(bits_of(ScalarType::f16, 60), 0x5380u);
  EXPECT_EQ(bits_of(ScalarType::f32, -2), 0xc0000000u);
}

}  // namespace
}  // namespace quern::bench::snitch
