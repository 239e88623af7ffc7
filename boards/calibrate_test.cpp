// The closed loop: a modelled board whose parameters were drawn at random is calibrated like a real
// one, and the parameters come back.
#include "boards/calibrate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

#include "base/error.h"
#include "base/file.h"
#include "boards/timing/calibration/micro_benchmarks.h"
#include "boards/toolchain/toolchain.h"

namespace quern::boards {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

// bpi-f3 with other costs, units and widths. A parameter must be one that a program can see: as
// many miss slots as DRAM can keep busy, latencies of vector loads above their occupancy, and
// latencies that the register groups of the occupancy loop can hide.
Json random_board(unsigned seed) {
  std::mt19937 random(seed);
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  Json board = read_json(root / "boards" / "bpi-f3.json");
  Json& timing = board["timing"];
  for (Json& row : timing["instructions"]) {
    const std::string c = row["classes"][0];
    const auto lmul = [&](double first, double factor) {
      Json values = Json::array();
      for (int i = 0; i < 4; ++i) values.push_back(first * std::pow(factor, i));
      return values;
    };
    // With three independent groups left at LMUL 8, occupancy shows only if three of them hide the
    // latency.
    const auto rising = [](int first) { return Json{first, first, first + 1, first + 4}; };
    if (c == "multiply") row["latency"] = between(3, 9), row["occupancy"] = between(2, 3);
    if (c == "multiply-word" || c == "fp-add-single" || c == "fp-add-double" ||
        c == "fp-fma-single" || c == "fp-fma-double")
      row["latency"] = between(2, 9);
    if (c == "divide") row["latency"] = between(20, 60), row["occupancy"] = between(8, 20);
    if (c == "load") row["latency"] = between(2, 5);
    if (c == "fp-load") row["latency"] = between(3, 8);
    if (c == "vector-fma") {
      row["occupancy"] = lmul(between(1, 2), 2);
      row["latency"] = rising(between(4, 8));
    }
    if (c == "vector-add") {
      row["occupancy"] = lmul(between(1, 3), 2);
      row["latency"] = rising(between(4, 8));
    }
    if (c == "vector-load") {
      row["occupancy"] = lmul(between(4, 8) / 2.0, 2);
      row["latency"] = lmul(between(9, 14), 2);
      row.erase("fractional");
    }
    if (c == "vector-store") {
      row["occupancy"] = lmul(between(4, 9) / 2.0, 2);
      row.erase("fractional");
    }
  }
  for (const char* unit :
       {"integer", "load-store", "fp", "vector-memory", "vector-integer", "vector-fp"})
    timing["units"][unit]["value"] = between(1, 2);
  if (timing["units"]["integer"]["value"] == 2) timing["issue"]["width"]["value"] = between(2, 4);
  timing["issue"]["masked_factor"]["value"] = between(2, 6) / 2.0;
  Json& memory = timing["memory"];
  memory["l2_latency"]["value"] = between(15, 60);
  memory["dram_latency"]["value"] = between(150, 400);
  memory["dram_read_cycles"]["value"] = between(26, 40);
  memory["dram_write_cycles"]["value"] = between(16, 30);
  const int visible =
      memory["dram_latency"]["value"].get<int>() / memory["dram_read_cycles"]["value"].get<int>();
  memory["miss_slots"]["value"] = between(2, std::min(8, visible));
  return board;
}

// What a loop can see of a latency: the units that its chain keeps busy hide a shorter one.
double visible(const timing::Parameters& p, const timing::MicroBenchmark& benchmark) {
  const auto& costs = p.classes[static_cast<std::size_t>(benchmark.instruction_class)];
  const auto lmul = static_cast<std::size_t>(std::max(benchmark.lmul_log2, 0) + 3);
  const auto cycles = [](timing::Tick t) {
    return static_cast<double>(t) / static_cast<double>(timing::ticks_per_cycle);
  };
  const double latency = cycles(costs.latency[lmul][2]),
               occupancy = cycles(costs.occupancy[lmul][2]);
  if (benchmark.quantity == timing::Quantity::occupancy) return occupancy;
  return std::max(latency, occupancy / p.units[static_cast<std::size_t>(costs.unit)].count);
}

// The board of the truth is measured; the fit starts from the shipped board file and sees nothing
// but the loops.
TEST(CalibrateSlow, RecoversRandomParameters) {
  const auto build = build_folder(root);
  ASSERT_TRUE(std::filesystem::exists(find_toolchain(build).sysroot))
      << "no sysroot (QUERN_SYSROOT)";
  const Json start = read_json(root / "boards" / "bpi-f3.json");
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const std::filesystem::path truth_file =
        testing::TempDir() + fmt::format("truth-{}.json", seed);
    const std::filesystem::path output =
        testing::TempDir() + fmt::format("calibrated-{}.json", seed);
    const Json truth = random_board(seed);
    write_file(truth_file, truth.dump(1));
    const Board board = load_board(root, truth_file.string());
    const auto calibration = calibrate(board, "qemu", start, root, build, output);
    const timing::Parameters expected = timing::load_parameters(truth, "truth"),
                             found = timing::load_parameters(calibration.board, "calibrated");
    for (const auto& parameter : calibration.parameters)
      EXPECT_LE(std::abs(parameter.residual()), 0.03) << "seed " << seed << ": " << parameter.name;
    int checked = 0;
    const auto check = [&](double is, double should, const std::string& name) {
      EXPECT_NEAR(is, should, 0.03 * should) << "seed " << seed << ": " << name;
      ++checked;
    };
    for (const auto& benchmark : timing::micro_benchmarks())
      if (benchmark.quantity == timing::Quantity::latency ||
          benchmark.quantity == timing::Quantity::occupancy)
        check(visible(found, benchmark), visible(expected, benchmark), benchmark.name);
    for (const char* unit :
         {"integer", "load-store", "fp", "vector-memory", "vector-integer", "vector-fp"})
      check(found.units[static_cast<std::size_t>(found.unit_named(unit))].count,
            expected.units[static_cast<std::size_t>(expected.unit_named(unit))].count, unit);
    // Two integer units, one or two others: four instructions a cycle are the most that show.
    check(found.issue_width, expected.issue_width, "issue width");
    check(found.masked_factor, expected.masked_factor, "masked factor");
    const auto &a = found.memory, &b = expected.memory;
    check(a.l2_latency, b.l2_latency, "L2 latency");
    check(a.dram_latency, b.dram_latency, "DRAM latency");
    check(a.dram_read_cycles, b.dram_read_cycles, "DRAM read");
    check(a.dram_write_cycles, b.dram_write_cycles, "DRAM write");
    check(a.miss_slots, b.miss_slots, "miss slots");
    EXPECT_GE(checked, 60);
  }
}

TEST(Fit, ReadsParametersOffLoops) {
  const Json board = read_json(root / "boards" / "bpi-f3.json");
  const auto calibration = timing::fit(board,
                                       {{"vector-fma m2 occupancy", 3.01},
                                        {"vector-fma m2 latency", 6.98},
                                        {"multiply occupancy", 1.25},
                                        {"load-latency l2", 51.2},
                                        {"chase-16 l2", 51.2 * 16 / 6}},
                                       "measured");
  const auto parameters = timing::load_parameters(calibration.board, "fitted");
  const auto& fma =
      parameters.classes[static_cast<std::size_t>(timing::InstructionClass::vector_fma)];
  EXPECT_EQ(fma.occupancy[3 + 1][2], timing::to_ticks(3));
  EXPECT_EQ(fma.latency[3 + 1][2], timing::to_ticks(7));
  EXPECT_EQ(fma.occupancy[3 + 0][2], timing::to_ticks(1));  // not measured: as before
  // Two integer units: the loop sees half of it.
  EXPECT_EQ(parameters.classes[static_cast<std::size_t>(timing::InstructionClass::multiply)]
                .occupancy[3][3],
            timing::to_ticks(2.5));
  EXPECT_EQ(parameters.memory.l2_latency, 51);
  EXPECT_EQ(parameters.memory.miss_slots, 6);
}

TEST(Fit, RefusesWhatIsNoMeasurement) {
  EXPECT_THROW(timing::parse_measurements("{\"name\": \"x\"}"), Error);
  EXPECT_THROW(timing::parse_measurements("Segmentation fault"), Error);
  EXPECT_TRUE(timing::parse_measurements("").empty());
}

}  // namespace
}  // namespace quern::boards
