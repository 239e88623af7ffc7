// Each fit by itself: times as a board with known parameters would give them, worked out by hand,
// and what is read off them. The closed loop through emulator and program is calibrate_test.
#include "boards/timing/calibration/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "boards/timing/calibration/gather.h"
#include "boards/timing/calibration/loop_shapes.h"

namespace quern::timing {
namespace {

const Json& start() {
  static const Json board =
      read_json(std::filesystem::path(QUERN_SOURCE_DIR) / "boards" / "bpi-f3.json");
  return board;
}

using Times = std::vector<Measurement>;

// prefix + first .. prefix + last, times of i.
template <class F>
void family(Times& times, const std::string& prefix, int first, int last, F&& of,
            const std::string& suffix = "") {
  for (int i = first; i <= last; ++i) times.push_back({prefix + std::to_string(i) + suffix, of(i)});
}

Json value(const Calibration& c, const std::string& key) {
  return c.board[Json::json_pointer("/timing/" + key + "/value")];
}

std::string kept(const Calibration& c, const std::string& key) {
  for (const FittedParameter& p : c.parameters)
    if (p.pointer == "/timing/" + key + "/value") return p.kept;
  return "not there";
}

TEST(Fit, ReadsCostsOffLoops) {
  const auto c = fit(start(),
                     {{"vector-fma m2 occupancy", 3.01},
                      {"vector-fma m2 latency", 6.98},
                      {"multiply occupancy", 1.25},
                      {"load latency", 3.02},
                      // vle takes 9 cycles longer than the ld in its place
                      {"load to vadd m4 to use", 71},
                      {"vector-load m4 to use", 80},
                      // the unit is busy for longer than the result takes: 5, not 8
                      {"vector-add m8 latency", 8},
                      {"load to vse m8 to use", 70},
                      {"vector-add m8 to use", 72}},
                     "measured");
  const auto p = load_parameters(c.board, "fitted");
  const auto costs = [&](InstructionClass k) { return p.classes[static_cast<std::size_t>(k)]; };
  EXPECT_EQ(costs(InstructionClass::vector_fma).occupancy[3 + 1][2], to_ticks(3));
  EXPECT_EQ(costs(InstructionClass::vector_fma).latency[3 + 1][2], to_ticks(7));
  EXPECT_EQ(costs(InstructionClass::vector_fma).occupancy[3 + 0][2], to_ticks(1));  // as before
  // Two integer units: the loop sees half of it.
  EXPECT_EQ(costs(InstructionClass::multiply).occupancy[3][3], to_ticks(2.5));
  EXPECT_EQ(costs(InstructionClass::vector_load).latency[3 + 2][2], to_ticks(12));
  EXPECT_EQ(costs(InstructionClass::vector_add).latency[3 + 3][2], to_ticks(5));
}

TEST(Fit, TellsTheOrderOfResults) {
  const struct {
    double adds, fld, vadd;  // cycles after an fdiv of 22
    const char* rule;
  } rows[] = {{64, 65, 65, "none"}, {64, 82, 82, "fp-and-vector"}, {85, 86, 85, "all"},
              {66, 67, 66, "none"}, {65, 80, 84, "fp-and-vector"}, {84, 84, 84, "all"}};
  for (const auto& row : rows) {
    const auto c = fit(start(),
                       {{"order adds", 64},
                        {"order fdiv", row.adds},
                        {"order fdiv fld", row.fld},
                        {"order fdiv vadd", row.vadd},
                        {"fp-divide-double latency", 22},
                        {"fp-add-double latency", 4},
                        {"fp-add-double to use", 70},
                        {"fp-load to use", 70},
                        {"vector-add m1 latency", 4}},
                       "measured");
    EXPECT_EQ(value(c, "issue/in_order_results"), row.rule) << row.adds << " " << row.fld;
  }
}

// Cycles of jumps and predictor loops: bubble 1, penalty 12, `history` branches, 2^bits counters.
Times branch_times(int history, int bits) {
  Times times = {{"jump", 2.1875}, {"jump-same", 6}, {"jump-other", 6 + 11}, {"branch-same", 160}};
  for (int n = 2; n <= 4; ++n) times.push_back({"jump " + std::to_string(n), 2.2});
  family(times, "branch-period-", 1, calibration::most_period,
         [&](int p) { return 7.0 * p + (p >= history + 2 ? 11 : 0); });
  family(times, "branch-distance-", calibration::first_site, calibration::last_site, [&](int b) {
    return 159.0 + (b < history ? 24 : b >= bits ? 12 : 0);
  });
  return times;
}

TEST(Fit, ReadsThePredictorOffItsKnees) {
  const struct {
    int history, bits;
    int expected_history, expected_bits;
  } rows[] = {{0, 8, 0, 8},     {3, 10, 3, 10},   {7, 7, 7, 7},   {10, 14, 10, 14},
              {12, 12, 12, 12}, {20, 20, 20, 20}, {5, 16, 5, 16}, {21, 30, 20, 20}};
  for (const auto& row : rows) {
    const auto c = fit(start(), branch_times(row.history, row.bits), "measured");
    EXPECT_EQ(value(c, "issue/taken_branch_bubble"), 1);
    EXPECT_EQ(value(c, "issue/mispredict_penalty"), 12);
    EXPECT_EQ(kept(c, "issue/taken_branch_ends_group"), "a bubble ends the group");
    EXPECT_EQ(value(c, "issue/predictor_history"), row.expected_history) << row.history;
    EXPECT_EQ(value(c, "issue/predictor_bits"), row.expected_bits) << row.bits;
  }
  // Where a wrong prediction costs nothing there is nothing to see.
  Times free = branch_times(3, 10);
  free[2].cycles = free[1].cycles;
  EXPECT_NE(kept(fit(start(), free, "measured"), "issue/predictor_bits"), "");
}

TEST(Fit, ReadsTheEndOfGroupsOffMixtures) {
  const auto groups = [&](double two, double three) {
    return fit(start(),
               {{"issue-width", 2.06},
                {"jump", 1.125},
                {"jump 2", two},
                {"jump 3", three},
                {"jump 4", 3.12}},
               "measured");
  };
  EXPECT_EQ(value(groups(2.12, 2.12), "issue/taken_branch_ends_group"), true);
  EXPECT_EQ(value(groups(1.56, 2.12), "issue/taken_branch_ends_group"), false);
  EXPECT_EQ(value(groups(1.06, 1.4), "issue/taken_branch_ends_group"), false);
}

TEST(Gather, CountsLinesAndSlots) {
  // Latency 100, a line every 10 cycles, L1 hit 3, three slots, no overhead.
  const GatherModel model{.slots = 3, .latency = 100, .hit = 3, .line = 10};
  EXPECT_EQ(model.cycles(1), 100);
  EXPECT_EQ(model.cycles(2), 110);
  EXPECT_EQ(model.cycles(3), 120);
  EXPECT_EQ(model.cycles(4), 197);  // the fourth begins when the first is there, 3 before its use
  EXPECT_EQ(model.cycles(5), 207);
}

// Memory: L2 `l2` cycles, DRAM 300, lines 8 and 30 (and 20 written), 4 slots; TLB of 64 and 25.
Times memory_times(int slots) {
  Times times = {{"load latency", 3},
                 {"load occupancy", 1},
                 {"load-latency l2", 40},
                 {"load-latency dram", 300 + 25 / 64.0}};
  const GatherModel near{.slots = slots, .latency = 40, .hit = 3, .line = 8, .step = 1},
      far{.slots = slots, .latency = 300, .hit = 3, .line = 30, .step = 1},
      dirty{.slots = slots, .latency = 300, .hit = 3, .line = 50, .step = 1};
  // 512 pages of DRAM against 64 entries: a walk for four steps.
  family(
      times, "gather-", 1, 16, [&](int k) { return near.cycles(k); }, " l2");
  family(
      times, "gather-", 1, 16, [&](int k) { return far.cycles(k) + 25 / 4.0; }, " dram");
  for (const int k : {1, 2, 4})
    times.push_back({fmt::format("dirty-{} dram", k), dirty.cycles(k) + 25 / 4.0});
  for (int n = 16; n <= 2048; n *= 2)
    times.push_back({fmt::format("tlb-{}", n), n <= 64 ? 40.0 : 65.0});
  family(times, "store-burst-", 1, 16, [&](int k) { return 5000.0 + k + (k > 5 ? 290 : 0); });
  return times;
}

TEST(Fit, ReadsMemoryOffItsLoops) {
  Times times = memory_times(4);
  family(times, "write-run-", 1, 16, [](int m) { return 1000.0 + m + (m > 6 ? 37 : 0); });
  family(
      times, "write-run-", 1, 16, [](int m) { return 1000.0 + m; }, " near");
  for (const char* how : {"scalar", "vector"}) {
    times.push_back({fmt::format("write-line l1 {}", how), 5});
    times.push_back({fmt::format("write-line l2 {}", how), 9});
    times.push_back({fmt::format("write-line dram {}", how), 22});
  }
  const auto c = fit(start(), times, "measured");
  const std::pair<const char*, Json> rows[] = {
      {"tlb_entries", 64},         {"tlb_walk", 25},
      {"l2_latency", 40},          {"dram_latency", 300},
      {"miss_slots", 4},           {"l2_read_cycles", 8.0},
      {"store_queue", 5},          {"combine_lines", false},
      {"streaming_after", 6},      {"l2_write_cycles", 9.0},
      {"dram_write_cycles", 22.0}, {"dram_read_cycles", 30.0}};
  for (const auto& [key, expected] : rows)
    EXPECT_EQ(value(c, std::string("memory/") + key), expected) << key;
}

TEST(Fit, KeepsWhatMemoryLoopsCannotShow) {
  Times times = memory_times(1);
  family(times, "write-run-", 1, 16, [](int m) { return 1000.0 + m; });
  family(
      times, "write-run-", 1, 16, [](int m) { return 1000.0 + m; }, " near");
  const auto c = fit(start(), times, "measured");
  EXPECT_EQ(value(c, "memory/miss_slots"), 1);
  EXPECT_EQ(value(c, "memory/streaming_after"), 0);
  for (const char* key : {"l2_read_cycles", "dram_read_cycles", "dram_write_cycles"}) {
    EXPECT_EQ(kept(c, std::string("memory/") + key), "one miss slot: lines never meet") << key;
    EXPECT_EQ(value(c, std::string("memory/") + key), start()["timing"]["memory"][key]["value"]);
  }
  EXPECT_EQ(kept(c, "memory/l2_write_cycles"), "no line goes past L1: nothing waits for it");
}

// The prefetcher follows `streams` streams up to `stride` lines, `distance` ahead.
Times prefetch_times(int streams, int stride, int distance, bool crosses) {
  const double hit = 100, miss = 140;
  Times times = {{"paced-hit", hit}, {"paced-miss", miss}};
  family(times, "prefetch-stride-", 1, calibration::most_stride, [&](int s) {
    if (streams == 0 || s > stride) return miss;
    return hit + (crosses ? 0 : (miss - hit) * s / 64);
  });
  family(times, "prefetch-streams-", 1, calibration::most_streams,
         [&](int n) { return n <= streams ? hit + 1 : miss; });
  family(times, "prefetch-ahead-", 1, calibration::most_ahead,
         [&](int d) { return hit + 3 + (streams > 0 && d <= distance ? 0 : (miss - hit) / 34); });
  times.push_back({"prefetch-page", hit + 3 + (crosses ? 0 : (miss - hit) / 34)});
  return times;
}

TEST(Fit, ReadsThePrefetcherOffItsLoops) {
  const struct {
    int streams, stride, distance;
    bool crosses;
  } rows[] = {{1, 1, 1, false}, {8, 16, 16, false}, {4, 48, 31, false}, {24, 33, 8, true}};
  for (const auto& row : rows) {
    const auto c = fit(start(), prefetch_times(row.streams, row.stride, row.distance, row.crosses),
                       "measured");
    EXPECT_EQ(value(c, "memory/prefetch_streams"), row.streams);
    EXPECT_EQ(value(c, "memory/prefetch_stride"), row.stride);
    EXPECT_EQ(value(c, "memory/prefetch_distance"), row.distance);
    EXPECT_EQ(value(c, "memory/prefetch_crosses_page"), row.crosses);
  }
  const auto none = fit(start(), prefetch_times(0, 1, 1, false), "measured");
  EXPECT_EQ(value(none, "memory/prefetch_streams"), 0);
  EXPECT_EQ(kept(none, "memory/prefetch_distance"), "there is no prefetcher");
}

// Noise never makes a board file that the model refuses.
TEST(Fit, RefusesWhatNoBoardCanBe) {
  for (const double cycles : {1e5, 400.0}) try {  // beyond any machine; slower than DRAM's 340
      fit(start(), {{"load-latency l2", cycles}}, "measured");
      ADD_FAILURE() << cycles;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::check_failed);
      EXPECT_NE(std::string(error.what()).find("/timing/memory/"), std::string::npos)
          << error.what();
    }
}

TEST(Fit, RefusesWhatIsNoMeasurement) {
  for (const char* line : {"{\"name\": \"x\"}", "Segmentation fault", "{\"name\": \"x\", \"cyc",
                           "{\"name\": \"x\", \"cycles\": nan}", "{\"name\": 1, \"cycles\": 1}",
                           "{\"name\": \"x\", \"cycles\": \"1\"}", "[]"}) {
    try {
      parse_measurements(std::string("{\"name\": \"y\", \"cycles\": 1}\n") + line);
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::check_failed);
      EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    }
  }
  EXPECT_TRUE(parse_measurements("").empty());
}

TEST(Fit, WantsEveryLoopOnceWithATime) {
  Times good;
  for (const std::string& name : calibration_loops()) good.push_back({name, 10});
  EXPECT_GT(good.size(), 350u);
  EXPECT_NO_THROW(check_measurements(good));

  const auto refused = [](const Times& times, const std::string& what) {
    try {
      check_measurements(times);
      ADD_FAILURE() << "accepted: " << what;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::check_failed);
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("nothing was written"), std::string::npos);
    }
  };
  refused({}, "no measurement");
  for (const std::size_t at : {std::size_t{0}, good.size() / 2, good.size() - 1}) {
    Times times = good;
    times.erase(times.begin() + static_cast<std::ptrdiff_t>(at));
    refused(times, good[at].name);  // missing
    for (const double cycles : {-3.0, 0.0, 1e7, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()}) {
      times = good;
      times[at].cycles = cycles;
      refused(times, good[at].name);
    }
    times = good;
    times.push_back(good[at]);
    refused(times, "measured twice");
  }
}

}  // namespace
}  // namespace quern::timing
