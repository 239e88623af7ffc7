// Golden files: every level of some kernels, as printed. After a wanted change:
// QUERN_UPDATE_GOLDEN=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "generator/snitch/generate.h"

namespace quern::generator::snitch {
namespace {

class Golden : public testing::TestWithParam<const char*> {};

std::string all_levels(const Generated& g) {
  std::string text;
  for (const std::string& nest : g.loop_nests) text += nest + "\n";
  for (const std::string& nest : g.stream_nests) text += nest + "\n";
  return text + g.program + "\n" + g.assembly;
}

TEST_P(Golden, EveryLevelIsAsWritten) {
  const std::filesystem::path file = std::filesystem::path(QUERN_SOURCE_DIR) /
                                     "generator/snitch/golden" / (std::string(GetParam()) + ".txt");
  const std::string text = all_levels(generate(parse_id(GetParam())));
  if (std::getenv("QUERN_UPDATE_GOLDEN") != nullptr) write_file(file, text);
  EXPECT_EQ(text, read_file(file));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Golden,
    testing::Values(
        // The published example through every step of the ablation.
        "snitch-f64-matmul-m1-n5-k200", "snitch-f64-matmul-m1-n5-k200-no-jam",
        "snitch-f64-matmul-m1-n5-k200-no-fuse-no-jam",
        "snitch-f64-matmul-m1-n5-k200-no-frep-no-fuse-no-jam",
        "snitch-f64-matmul-m1-n5-k200-no-replacement-no-frep-no-fuse-no-jam",
        "snitch-f64-matmul-m1-n5-k200-no-streams-no-replacement-no-frep-no-fuse-no-jam",
        // Tiles in the sequencer, regions, an integer loop, saved registers.
        "snitch-f64-matmul-m4-n16-k16", "snitch-f64-matmul-m5-n23-k7",
        "snitch-f64-matmul-m8-n8-k8-4x2", "snitch-f64-matmul-m4-n20-k4-1x20",
        "snitch-f64-dense-m4-n16-k8", "snitch-f64-conv3x3-m8-n40", "snitch-f64-max_pool3x3-m4-n4",
        "snitch-f64-dot-k130", "snitch-f64-fill-m4-n4",
        // Packed.
        "snitch-f32-matmul_t-m4-n16-k16", "snitch-f16-matmul_t-m4-n8-k64",
        "snitch-f32-matmul_t-m2-n5-k8", "snitch-f32-axpy-m5-n7", "snitch-f16-relu-m5-n7",
        "snitch-f16-dot-k37",
        // Packed along the output's row: operands staged row by row, and first.
        "snitch-f32-matmul-m6-n16-k9", "snitch-f32-dense-m4-n8-k8", "snitch-f16-matmul-m4-n8-k8",
        "snitch-f16-matmul_t-m4-n16-k16", "snitch-f32-conv3x3-m4-n8", "snitch-f16-conv3x3-m4-n8",
        "snitch-f32-max_pool3x3-m4-n4", "snitch-f32-sum_pool3x3-m7-n13",
        "snitch-f16-max_pool3x3-m5-n6", "snitch-f16-sum_pool3x3-m4-n8",
        // B transposed first; some columns as partial sums, the others prepared meanwhile.
        "snitch-f32-matmul-m6-n7-k8", "snitch-f32-matmul_t-m32-n32-k32",
        // What stays unpacked.
        "snitch-f32-conv3x3-m3-n5", "snitch-f16-matmul-m3-n5-k7"),
    [](const auto& golden) {
      std::string name = golden.param;
      for (char& c : name) {
        if (c == '-') c = '_';
      }
      return name;
    });

TEST(Generate, SameInputSameBytes) {
  const Point point = parse_id("snitch-f32-matmul_t-m4-n16-k16");
  EXPECT_EQ(generate(point).assembly, generate(point).assembly);
}

}  // namespace
}  // namespace quern::generator::snitch
