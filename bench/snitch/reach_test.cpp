// Cycles of generated kernels on the RTL against the published ones and against what the machine
// could do.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <tuple>

#include "base/json_file.h"
#include "bench/snitch/published.h"

namespace quern::bench::snitch {
namespace {

using generator::snitch::parse_id;

const std::filesystem::path kRoot = QUERN_SOURCE_DIR;

Setup setup() {
  Setup result;
  result.root = kRoot;
  result.build = std::filesystem::temp_directory_path() /
                 ("quern_snitch_reach_test_" + std::to_string(::getpid()));
  result.simulate = rtl_simulator();
  return result;
}

class Scratch : public testing::Environment {
 public:
  void TearDown() override { std::filesystem::remove_all(setup().build); }
};
const auto* const kScratch = testing::AddGlobalTestEnvironment(new Scratch);

// Every published kernel and shape.
TEST(SnitchReach, NotSlowerThanPublished) {
  const std::vector<PublishedRow> rows =
      read_published(kRoot / "results/published/snitch_kernels.json", kRoot);
  EXPECT_GT(rows.size(), 1000u);
  for (const PublishedRow& row : rows) {
    const Result result = bench(row.point, setup());
    ASSERT_TRUE(result.correct) << result.id << ": " << result.failure;
    EXPECT_TRUE(reaches(row, result))
        << result.id << ": " << *result.cycles << " cycles, published " << row.cycles;
  }
}

TEST(SnitchReach, PublishedExample) {
  const Result result = bench(parse_id("snitch-f64-matmul-m1-n5-k200"), setup());
  ASSERT_TRUE(result.correct) << result.failure;
  EXPECT_LE(*result.cycles, 1045u);
}

TEST(SnitchReach, LargeProductsFillTheFpu) {
  const Result f64 = bench(parse_id("snitch-f64-matmul-m64-n64-k64"), setup());
  ASSERT_TRUE(f64.correct) << f64.failure;
  EXPECT_GE(*f64.peak_fraction(), 0.995);
  // Fractions of 2 or 4 multiply-accumulates a cycle.
  struct Case {
    const char* id;
    double fraction;
  };
  for (const Case& c : {Case{"snitch-f32-matmul-m64-n64-k64", 0.97},
                        {"snitch-f32-matmul-m32-n64-k128", 0.98},
                        {"snitch-f32-matmul_t-m64-n64-k64", 0.96},
                        {"snitch-f32-matmul_t-m64-n64-k128", 0.96},
                        {"snitch-f32-dense-m64-n64-k64", 0.96},
                        {"snitch-f16-matmul-m64-n64-k64", 0.86},
                        {"snitch-f16-matmul_t-m64-n64-k64", 0.90}}) {
    const Result result = bench(parse_id(c.id), setup());
    ASSERT_TRUE(result.correct) << result.failure;
    EXPECT_GE(*result.peak_fraction(), c.fraction) << c.id;
  }
}

// Cycles of f32 and f16 windows over those of f64. Sums of halves have to be converted.
TEST(SnitchReach, PackedPoolingAgainstDoubles) {
  const auto cycles = [](const std::string& id) {
    const Result result = bench(parse_id(id), setup());
    EXPECT_TRUE(result.correct) << result.failure;
    return static_cast<double>(result.cycles.value_or(1));
  };
  for (const auto& [kernel, f32, f16] :
       {std::tuple{"max_pool3x3", 0.65, 0.98}, {"sum_pool3x3", 0.77, 1.19}}) {
    for (const char* plane : {"m24-n24", "m25-n25"}) {
      const std::string rest = fmt::format("{}-{}", kernel, plane);
      const double f64 = cycles("snitch-f64-" + rest);
      EXPECT_LE(cycles("snitch-f32-" + rest), f32 * f64) << rest;
      EXPECT_LE(cycles("snitch-f16-" + rest), f16 * f64) << rest;
    }
  }
}

// Each step within two points of the published occupancy, or more in fewer cycles.
TEST(SnitchReach, AblationsAsPublished) {
  const Json published = read_json(kRoot / "results/published/snitch_ablation.json");
  for (const Json& ablation : published.at("ablations")) {
    const std::vector<AblationStep> steps =
        quern::bench::snitch::ablation(parse_id(ablation.at("kernel").get<std::string>()));
    ASSERT_EQ(steps.size(), ablation.at("rows").size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Json& expected = ablation.at("rows")[i];
      const Result result = bench(steps[i].point, setup());
      const std::string where = result.id + " " + steps[i].name;
      EXPECT_EQ(steps[i].name, expected.at("step"));
      ASSERT_TRUE(result.correct) << where << ": " << result.failure;
      const double occupancy = expected.at("fpu_occupancy");
      EXPECT_GE(*result.fpu_occupancy(), occupancy - 0.02) << where;
      if (*result.fpu_occupancy() > occupancy + 0.02) {
        EXPECT_LT(*result.cycles, expected.at("cycles").get<std::uint64_t>()) << where;
      }
      if (!expected.contains("loads")) continue;
      EXPECT_EQ(result.loads, expected.at("loads")) << where;
      EXPECT_EQ(result.stores, expected.at("stores")) << where;
      EXPECT_EQ(result.freps, expected.at("freps")) << where;
    }
  }
}

// What the interpreter cannot see: copies that race with streams, streams that race with each
// other.
TEST(SnitchReach, StagedKernelsAreRightInTime) {
  for (const char* type : {"f32", "f16"}) {
    for (const char* kernel :
         {"matmul-m1-n2-k8",      "matmul-m9-n4-k8",      "matmul-m8-n2-k16",
          "matmul-m7-n62-k8",     "matmul-m12-n8-k8-3x4", "dense-m5-n34-k8",
          "dense-m9-n2-k8",       "matmul_t-m5-n16-k8",   "matmul-m6-n7-k8",
          "matmul_t-m32-n34-k32", "matmul-m33-n32-k32",   "conv3x3-m1-n2",
          "conv3x3-m9-n6",        "conv3x3-m5-n86",       "max_pool3x3-m7-n4",
          "max_pool3x3-m3-n40",   "sum_pool3x3-m6-n2",    "sum_pool3x3-m4-n34",
          "max_pool3x3-m40-n1",   "sum_pool3x3-m100-n2",  "max_pool3x3-m11-n5",
          "sum_pool3x3-m7-n13",   "sum_pool3x3-m2-n100",  "max_pool3x3-m1-n131"}) {
      const Result result = bench(parse_id(fmt::format("snitch-{}-{}", type, kernel)), setup());
      EXPECT_TRUE(result.correct) << result.id << ": " << result.failure;
    }
  }
}

}  // namespace
}  // namespace quern::bench::snitch
