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

// Rows of whole words: packed along the row, copies of X staged. 17 words are a prime, 43 more than
// one tile can take.
TEST(SnitchKernels, PackedWindows) {
  for (const char* type : {"f32", "f16"}) {
    for (const char* kernel : {"conv3x3-m1-n4", "conv3x3-m5-n34", "conv3x3-m7-n86",
                               "max_pool3x3-m1-n4", "max_pool3x3-m3-n12", "sum_pool3x3-m5-n34"}) {
      expect_right({fmt::format("snitch-{}-{}", type, kernel)});
    }
  }
}

// Rows of whole words: packed along the row, A staged row by row (k odd for f32, B interleaved for
// f16). Several regions, single rows, one word a row.
TEST(SnitchKernels, PackedProducts) {
  for (const char* sizes : {"m1-n8-k4", "m5-n8-k12", "m7-n62-k6", "m8-n2-k16", "m9-n34-k8"}) {
    expect_right(kernel_ids({"matmul", "dense"}, {sizes}));
    expect_right({fmt::format("snitch-f16-matmul_t-{}", sizes)});
  }
  expect_right({"snitch-f32-matmul-m5-n8-k13", "snitch-f32-dense-m3-n12-k9",
                "snitch-f32-matmul-m6-n12-k7-2x4", "snitch-f16-dense-m6-n12-k8-3x4",
                // Some columns as partial sums, the others prepared meanwhile.
                "snitch-f32-matmul_t-m32-n34-k32", "snitch-f16-matmul_t-m31-n40-k36",
                "snitch-f16-matmul-m64-n32-k32"});
}

// One tile and several, last tiles that overlap the end of a row, chunks and a rest of rows, one
// output a row; the smallest are not packed.
TEST(SnitchKernels, FoldedWindows) {
  expect_right(kernel_ids({"max_pool3x3", "sum_pool3x3"},
                          {"m1-n1", "m2-n2", "m9-n1", "m7-n13", "m5-n8", "m17-n3", "m2-n131"}));
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
