// Every way in which a Snitch kernel's measurement can end, and the record that it leaves.
#include "tuner/snitch/measure.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "base/interrupt.h"

namespace quern::tuner::snitch {
namespace {

const std::filesystem::path kRoot = QUERN_SOURCE_DIR;

class SnitchRecords : public testing::Test {
 protected:
  SnitchRecords() : folder(testing::TempDir() + "/quern_tuner_snitch_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder);
  }
  ~SnitchRecords() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::vector<Measurement> measure(const std::vector<std::string>& ids,
                                   const std::string& simulator = {},
                                   std::chrono::milliseconds limit = std::chrono::minutes(1)) {
    boards::Session session(boards::load_board(kRoot, "snitch"), "", simulator);
    std::vector<generator::snitch::Point> points;
    for (const std::string& id : ids) points.push_back(generator::snitch::parse_id(id));
    std::vector<Measurement> all;
    measure_kernels(session, kRoot, folder, points, limit,
                    [&](const Measurement& m) { all.push_back(m); });
    return all;
  }
  // A simulator that a shell script stands for.
  std::string simulator(const std::string& text) {
    const auto file = folder / "simulator";
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file.string();
  }

  std::filesystem::path folder;
};

TEST_F(SnitchRecords, OfAGoodKernelHasItsFigures) {
  const Measurement measured = measure({"snitch-f64-axpy-m4-n8"}).at(0);
  const Record& r = measured.record;
  EXPECT_EQ(r.outcome, Outcome::ok) << r.reason;
  EXPECT_EQ(r.reason, "");
  EXPECT_EQ(r.id, "snitch-f64-axpy-m4-n8");
  EXPECT_EQ(r.board, "snitch");
  EXPECT_EQ(r.via, "verilator");
  EXPECT_EQ(r.timing, "rtl");
  EXPECT_EQ(r.what, "kernel");
  EXPECT_EQ(r.dtype, "f64");
  EXPECT_EQ(r.m, 4);
  EXPECT_EQ(r.n, 8);
  EXPECT_EQ(r.max_error, 0);
  ASSERT_EQ(r.cycles.size(), 1u);
  // 32 multiply-accumulates, one a cycle at best, at 1 GHz.
  EXPECT_GE(r.cycles[0], 32);
  EXPECT_LE(r.cycles[0], 64);
  EXPECT_DOUBLE_EQ(*r.gflops, 2 * 32 / r.cycles[0]);
  EXPECT_DOUBLE_EQ(*r.peak_fraction, 32 / r.cycles[0]);
  EXPECT_DOUBLE_EQ(*r.fpu_occupancy, 32 / r.cycles[0]);
  for (const char* key : {"quern", "compiler", "flags", "emulator", "board_file", "source"}) {
    EXPECT_TRUE(r.versions.contains(key)) << key;
  }
  EXPECT_EQ(to_json(record_from_json(to_json(r), "test")), to_json(r));
}

TEST_F(SnitchRecords, WithoutArithmeticHasNoGflops) {
  const Record r = measure({"snitch-f64-fill-m4-n4"}).at(0).record;
  EXPECT_EQ(r.outcome, Outcome::ok) << r.reason;
  EXPECT_FALSE(r.gflops);
  EXPECT_TRUE(r.peak_fraction);
}

// The program is right, as the interpreter has seen: whatever else happens lies with the simulator.
TEST_F(SnitchRecords, SayWhatASimulatorDid) {
  const struct {
    const char* script;
    Outcome outcome;
    const char* reason;  // a part of it
  } cases[] = {
      {"exit 1", Outcome::board_lost, "exit code 1"},
      {"exit 0", Outcome::board_lost, "it printed nothing"},
      {"echo no licence >&2; exit 3", Outcome::board_lost, "no licence"},
      {"echo RESULT 12", Outcome::board_lost, "RESULT 12"},
      {"echo RESULT 0 0 7", Outcome::board_lost, "RESULT 0 0 7"},
      {"kill -SEGV $$", Outcome::board_lost, "died of signal 11"},
      {"sleep 60", Outcome::timeout, "time limit"},
      {"echo RESULT 120 100 7", Outcome::wrong_result, "checksum 0x7"},
  };
  for (const auto& c : cases) {
    const Measurement measured =
        measure({"snitch-f64-relu-m1-n1"}, simulator(c.script), std::chrono::milliseconds(1000))
            .at(0);
    EXPECT_EQ(measured.record.outcome, c.outcome) << c.script;
    EXPECT_NE(measured.record.reason.find(c.reason), std::string::npos) << measured.record.reason;
    EXPECT_FALSE(measured.result.correct) << c.script;
    EXPECT_TRUE(measured.record.cycles.empty()) << c.script;
    EXPECT_EQ(measured.record.via, "simulator");
  }
}

// An exit code is the simulator's own affair once the program has reported.
TEST_F(SnitchRecords, TakeTheReportWhateverTheExitCode) {
  const Measurement own = measure({"snitch-f64-relu-m1-n1"}).at(0);
  const Measurement other = measure({"snitch-f64-relu-m1-n1"},
                                    simulator(std::string(QUERN_SNITCH_SIM) + " \"$1\"; exit 9"))
                                .at(0);
  EXPECT_EQ(other.record.outcome, Outcome::ok) << other.record.reason;
  EXPECT_EQ(other.record.cycles, own.record.cycles);
  EXPECT_NE(other.record.versions["emulator"], own.record.versions["emulator"]);
}

TEST_F(SnitchRecords, EndWithTheSimulator) {
  const std::vector<std::string> ids = {"snitch-f64-relu-m1-n1", "snitch-f64-relu-m1-n2"};
  EXPECT_EQ(measure(ids, simulator("exit 1")).size(), 1u);
  EXPECT_EQ(measure(ids, simulator("echo RESULT 2 1 0")).size(), 2u);
}

TEST_F(SnitchRecords, EndWhenInterrupted) {
  boards::Session session(boards::load_board(kRoot, "snitch"), "");
  const auto point = generator::snitch::parse_id("snitch-f64-relu-m1-n1");
  const InterruptGuard guard;
  int taken = 0;
  measure_kernels(session, kRoot, folder, {point, point}, std::chrono::minutes(1),
                  [&](const Measurement& m) {
                    EXPECT_EQ(m.record.outcome, Outcome::ok);
                    ++taken;
                    raise(SIGINT);
                  });
  clear_interrupt();
  EXPECT_EQ(taken, 1);
}

TEST_F(SnitchRecords, OfAnAblationAreOneAStep) {
  std::vector<std::string> ids;
  for (const auto& step :
       bench::snitch::ablation(generator::snitch::parse_id("snitch-f64-matmul-m1-n5-k4"))) {
    ids.push_back(id(step.point));
  }
  ASSERT_EQ(ids.size(), 6u);
  const auto all = measure(ids);
  ASSERT_EQ(all.size(), 6u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].record.outcome, Outcome::ok) << all[i].record.reason;
    EXPECT_EQ(all[i].record.id, ids[i]);
  }
  EXPECT_EQ(ids[5], "snitch-f64-matmul-m1-n5-k4");
  EXPECT_LT(all[5].record.cycles[0], all[0].record.cycles[0]);
}

}  // namespace
}  // namespace quern::tuner::snitch
