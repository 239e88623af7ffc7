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
#include "boards/toolchain/toolchain.h"

namespace quern::boards {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

// bpi-f3 with other costs for what calibration measures. Latencies of vector loads stay above their
// occupancy, where a loop can see them.
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
  Json& memory = timing["memory"];
  memory["miss_slots"]["value"] = between(2, 8);
  memory["l2_latency"]["value"] = between(15, 60);
  memory["dram_latency"]["value"] = between(150, 400);
  memory["dram_read_cycles"]["value"] = between(26, 40);
  memory["dram_write_cycles"]["value"] = between(16, 30);
  return board;
}

TEST(CalibrateSlow, RecoversRandomParameters) {
  const auto build = build_folder(root);
  ASSERT_TRUE(std::filesystem::exists(find_toolchain(build).sysroot))
      << "no sysroot (QUERN_SYSROOT)";
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const std::filesystem::path truth_file =
        testing::TempDir() + fmt::format("truth-{}.json", seed);
    const std::filesystem::path output =
        testing::TempDir() + fmt::format("calibrated-{}.json", seed);
    const Json truth = random_board(seed);
    write_file(truth_file, truth.dump(1));
    // The model is the board here, so the true file is what runs; what fit() writes comes from the
    // loops alone.
    const Board board = load_board(root, truth_file.string());
    const auto calibration = calibrate(board, "qemu", root, build, output);
    const timing::Parameters expected = timing::load_parameters(truth, "truth");
    ASSERT_GT(calibration.parameters.size(), 60u);
    int checked = 0;
    for (const auto& parameter : calibration.parameters) {
      const bool multiply = parameter.name == "multiply occupancy";
      EXPECT_LE(std::abs(parameter.residual()), multiply ? 0.05 : 0.03)
          << "seed " << seed << ": " << parameter.name;
      // `before` is the true value: the loops, not the starting point, decide `value`.
      if (parameter.name.ends_with("to use") || parameter.name.starts_with("vector-load")) continue;
      // `before` is the true value, or what a loop can see of it: a latency that is shorter than
      // the occupancy of its own instruction is hidden by it.
      double expected_value = parameter.before;
      const std::string latency = " latency";
      if (parameter.name.ends_with(latency)) {
        const std::string stem = parameter.name.substr(0, parameter.name.size() - latency.size());
        for (const auto& other : calibration.parameters) {
          if (other.name == stem + " occupancy")
            expected_value = std::max(expected_value, other.before);
        }
      }
      // Not within 3 % yet: the random chases see fewer miss slots than there are, and a
      // multiplication's loop carries its branch.
      double tolerance = 0.03 * expected_value;
      if (parameter.name == "miss-slots") tolerance = 2;
      if (multiply) tolerance = 0.05 * expected_value;
      EXPECT_NEAR(parameter.value, expected_value, tolerance)
          << "seed " << seed << ": " << parameter.name;
      ++checked;
    }
    EXPECT_GT(checked, 40);
  }
}

TEST(Fit, ReadsParametersOffLoops) {
  const Json board = read_json(root / "boards" / "bpi-f3.json");
  const auto calibration = timing::fit(board,
                                       {{"vector-fma m2 occupancy", 3.01},
                                        {"vector-fma m2 latency", 6.98},
                                        {"multiply occupancy", 1.25},
                                        {"load-latency l2", 51.2},
                                        {"miss-slots", 6}},
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
