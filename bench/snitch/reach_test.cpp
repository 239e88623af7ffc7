// Cycles of generated kernels on the RTL against the published ones and against what the machine
// could do.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/json_file.h"
#include "bench/snitch/runner.h"

namespace quern::bench::snitch {
namespace {

using generator::snitch::info;
using generator::snitch::parse_id;
using generator::snitch::parse_kernel;
using generator::snitch::parse_type;
using generator::snitch::Point;

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

Point point_of(const Json& row) {
  Point point;
  point.kernel = parse_kernel(row.at("kernel").get<std::string>());
  point.type = parse_type(row.at("dtype").get<std::string>());
  point.m = row.at("m");
  point.n = row.at("n");
  point.k = row.at("k");
  return point;
}

// Every published kernel and shape, of the many products every 16th.
TEST(SnitchReach, NotSlowerThanPublished) {
  const Json rows = read_json(kRoot / "results/published/snitch_kernels.json").at("rows");
  int products = 0, compared = 0;
  for (const Json& row : rows) {
    const Point point = point_of(row);
    if (row.at("kernel") == "matmul" && products++ % 16 != 0) continue;
    const Result result = bench(point, setup());
    ASSERT_TRUE(result.correct) << result.id << ": " << result.failure;
    EXPECT_LE(*result.cycles, row.at("cycles").get<std::uint64_t>()) << result.id;
    ++compared;
  }
  EXPECT_GT(compared, 280);
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
  // The lanes' partial sums must be added: 2.5 instructions an output, so that k counts.
  const Result f32 = bench(parse_id("snitch-f32-matmul_t-m64-n64-k128"), setup());
  ASSERT_TRUE(f32.correct) << f32.failure;
  EXPECT_GE(*f32.peak_fraction(), 0.96);
}

TEST(SnitchReach, AblationAsPublished) {
  const Json published = read_json(kRoot / "results/published/snitch_ablation.json");
  const std::vector<AblationRow> rows =
      ablate(parse_id(published.at("kernel").get<std::string>()), setup());
  ASSERT_EQ(rows.size(), published.at("rows").size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& expected = published.at("rows")[i];
    const Result& result = rows[i].result;
    EXPECT_EQ(rows[i].step, expected.at("step"));
    ASSERT_TRUE(result.correct) << rows[i].step << ": " << result.failure;
    EXPECT_NEAR(*result.fpu_occupancy(), expected.at("fpu_occupancy").get<double>(), 0.02)
        << rows[i].step;
    EXPECT_EQ(result.loads, expected.at("loads")) << rows[i].step;
    EXPECT_EQ(result.stores, expected.at("stores")) << rows[i].step;
    EXPECT_EQ(result.freps, expected.at("freps")) << rows[i].step;
  }
}

}  // namespace
}  // namespace quern::bench::snitch
