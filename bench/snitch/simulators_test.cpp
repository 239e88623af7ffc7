// What a bench makes of the ways in which a simulator can end.
#include "bench/snitch/simulators.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace quern::bench::snitch {
namespace {

// A transport that answers what it is told.
class Answering : public boards::Transport {
 public:
  explicit Answering(boards::RunResult result) : result_(std::move(result)) {}
  std::string upload(const std::filesystem::path& file) override { return file.string(); }
  std::string scratch(std::string_view) override { return {}; }
  bool fetch(const std::string&, const std::filesystem::path&) override { return false; }
  boards::RunResult run(const boards::Program&) override { return result_; }

 private:
  boards::RunResult result_;
};

Simulated simulated(boards::Outcome outcome) {
  boards::RunResult result;
  result.outcome = outcome;
  result.output = "RESULT 2 1 0\n";
  result.reason = "because";
  return simulate_on(std::make_shared<Answering>(result))("program.elf");
}

TEST(SimulateOn, TakesTheConsoleOfARunThatEnded) {
  // The exit code of a simulator is its own affair.
  for (const auto outcome : {boards::Outcome::ok, boards::Outcome::nonzero_exit}) {
    const Simulated run = simulated(outcome);
    EXPECT_TRUE(run.ended);
    EXPECT_EQ(run.console, "RESULT 2 1 0\n");
    EXPECT_EQ(run.message, "");
  }
}

TEST(SimulateOn, SaysWhyARunDidNotEnd) {
  for (const auto outcome : {boards::Outcome::crash, boards::Outcome::illegal_instruction}) {
    const Simulated run = simulated(outcome);
    EXPECT_FALSE(run.ended);
    EXPECT_EQ(run.message, "because");
  }
}

TEST(SimulateOn, IsAnErrorWhenThereIsNoAnswer) {
  const std::pair<boards::Outcome, ExitCode> cases[] = {
      {boards::Outcome::unavailable, ExitCode::unavailable},
      {boards::Outcome::interrupted, ExitCode::interrupted},
      {boards::Outcome::timeout, ExitCode::budget_ended},
  };
  for (const auto& [outcome, code] : cases) {
    try {
      simulated(outcome);
      ADD_FAILURE() << boards::to_string(outcome);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), code);
    }
  }
}

}  // namespace
}  // namespace quern::bench::snitch
