// quern plan and quern alloc as a user meets them: exit codes, messages that name the place, result
// files whole or absent, the same plan from the same seed.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json_file.h"
#include "base/process.h"

namespace quern {
namespace {

const std::string traces = std::string(QUERN_SOURCE_DIR) + "/planner/traces/";
const std::string matmul = traces + "Matmul_Case0.json";
const std::string attention = traces + "FlashAttention_Case0.json";

class PlanCommand : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              fmt::format("quern_plan_{}_{}", getpid(), test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static ProcessResult quern(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), QUERN_PROGRAM);
    return run_process(arguments, {});
  }
  std::string file(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    return (folder_ / name).string();
  }
  std::string path(const std::string& name) { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(PlanCommand, BadInputEndsWith2AndNamesThePlace) {
  const std::string cycle = file("cycle.json", R"({"Nodes": [
    {"Id": 0, "Op": "EXP", "Pipe": "VECTOR", "Cycles": 1, "Bufs": []},
    {"Id": 1, "Op": "EXP", "Pipe": "VECTOR", "Cycles": 1, "Bufs": []}],
    "Edges": [[0, 1], [1, 0]]})");
  const std::string broken = file("broken.json", "{\"Nodes\": [\n{\"Id\": 0,}]}");
  const std::string csv =
      file("t_Nodes.csv", "Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs\n0,EXP,,,,X\n");
  file("t_Edges.csv", "StartNodeId,EndNodeId\n");
  const std::string problem = file("p.csv", "id,lower,upper,size\na,0,5,nan\n");
  const struct {
    std::vector<std::string> arguments;
    const char* expected;
  } cases[] = {
      {{"plan", cycle}, "node 0: the graph has a cycle: 0 -> 1 -> 0"},
      {{"plan", broken}, "line 2"},
      {{"plan", csv}, "t_Nodes.csv:2: 6 fields, expected 8"},
      {{"plan", path("missing.json")}, "missing.json: cannot read"},
      {{"plan"}, "TRACE is missing"},
      {{"plan", matmul, "--max-nodes", "100"}, "more than 100 nodes"},
      {{"plan", matmul, "--machine", "cray"}, "there are accel, davinci-npu, snitch-cluster"},
      {{"plan", matmul, "--machine", "snitch-cluster"}, "unknown tier \"L0C\""},
      {{"plan", matmul, "--effort", "nan"}, "--effort"},
      {{"plan", matmul, "--time-limit", "-1"}, "--time-limit"},
      {{"plan", matmul, "--seed", "-1"}, "--seed"},
      {{"plan", matmul, "--objective", "speed"}, "speed"},
      {{"plan", matmul, "--out", "/proc/none"}, "/proc/none"},
      {{"plan", matmul, "--objective", "peak", "--map", path("m.svg")}, "--map"},
      {{"plan", "verify", matmul, path("nowhere")}, "Matmul_Case0_schedule.txt"},
      {{"alloc", problem, "--capacity", "10"}, "p.csv:2: size: 'nan'"},
  };
  for (const auto& c : cases) {
    const ProcessResult result = quern(c.arguments);
    EXPECT_EQ(result.status, static_cast<int>(ExitCode::bad_input)) << c.expected;
    EXPECT_NE(result.errors.find(c.expected), std::string::npos)
        << c.expected << " in " << result.errors;
    EXPECT_LT(result.errors.size(), 1000U);
    EXPECT_EQ(result.output, "");
  }
}

TEST_F(PlanCommand, PlansVerifyAndSeedsRepeat) {
  std::vector<std::string> schedules;
  for (const char* threads : {"1", "3"}) {
    const ProcessResult plan =
        quern({"plan", attention, "--objective", "cycles", "--effort", "0.002", "--seed", "7",
               "--threads", threads, "--out", path("plans"), "--diagnose", "--timeline",
               path("t.json"), "--map", path("m.svg"), "--json"});
    ASSERT_EQ(plan.status, 0) << plan.errors;
    EXPECT_EQ(plan.errors, "");  // no progress bar where there is no terminal
    const Json body = Json::parse(plan.output);
    for (const char* key : {"peak", "traffic", "spills", "cycles", "lower_bound", "valid",
                            "seconds", "gap", "lower_bounds", "gaps", "diagnosis"}) {
      EXPECT_TRUE(body.contains(key)) << key;
    }
    EXPECT_EQ(body["stopped_by"], "budget");
    EXPECT_EQ(body["timing"], "modelled");
    EXPECT_GE(body["cycles"], body["lower_bound"]);
    schedules.push_back(read_file(folder_ / "plans/Problem3/FlashAttention_Case0_schedule.txt"));
    EXPECT_NE(read_file(folder_ / "m.svg").find("modelled"), std::string::npos);
    EXPECT_TRUE(Json::parse(read_file(folder_ / "t.json")).contains("traceEvents"));
  }
  EXPECT_EQ(schedules[0], schedules[1]);
  EXPECT_EQ(quern({"plan", "verify", attention, path("plans")}).status, 0);
}

TEST_F(PlanCommand, EveryPlanKeptWhenTimeEnds) {
  const ProcessResult plan = quern({"plan", matmul, "--objective", "traffic", "--effort", "1000",
                                    "--time-limit", "0.2", "--out", path("plans"), "--json"});
  EXPECT_EQ(plan.status, static_cast<int>(ExitCode::budget_ended));
  EXPECT_NE(plan.errors.find("the time limit ended the search"), std::string::npos);
  EXPECT_EQ(Json::parse(plan.output)["stopped_by"], "time");
  EXPECT_EQ(quern({"plan", "verify", matmul, path("plans")}).status, 0);
}

// Damaged, half-written and foreign result files: exit 1 with words, or 2 with the line.
TEST_F(PlanCommand, VerifyJudgesAnyonesFiles) {
  ASSERT_EQ(quern({"plan", matmul, "--objective", "traffic", "--pipeline", "stable", "--out",
                   path("plans")})
                .status,
            0);
  const auto from = folder_ / "plans/Problem2";
  const std::string schedule = read_file(from / "Matmul_Case0_schedule.txt");
  const std::string memory = read_file(from / "Matmul_Case0_memory.txt");
  const std::string spill = read_file(from / "Matmul_Case0_spill.txt");
  const struct {
    std::string schedule, memory, spill;
    int code;
    const char* expected;
  } rows[] = {
      {schedule, memory, spill, 0, "valid"},
      {schedule.substr(0, schedule.size() / 2), memory, spill, 1, "missing from the schedule"},
      {schedule + "0\n", memory, spill, 1, "node 0 is given twice"},
      {schedule + "-5\n", memory, spill, 1, "node -5 does not exist"},
      {"", memory, spill, 1, "missing from the schedule"},
      {schedule, memory, "", 1, "does not exist"},
      {schedule, memory + "99999:0\n", spill, 1, "there is no buffer 99999"},
      {schedule, memory, spill + "1:99999999999999999999\n", 2, "expected BufId:Offset"},
      {schedule, "nan:1\n" + memory, spill, 2, "Matmul_Case0_memory.txt:1"},
      {std::string(100, '\x01'), memory, spill, 2, "expected one node id, found \"????"},
  };
  for (const auto& row : rows) {
    file("h/Matmul_Case0_schedule.txt", row.schedule);
    file("h/Matmul_Case0_memory.txt", row.memory);
    file("h/Matmul_Case0_spill.txt", row.spill);
    const ProcessResult result = quern({"plan", "verify", matmul, path("h")});
    EXPECT_EQ(result.status, row.code) << row.expected;
    EXPECT_NE((result.output + result.errors).find(row.expected), std::string::npos)
        << row.expected << " in " << result.output << result.errors;
  }
  // The files of another trace under this trace's names.
  for (const char* kind : {"schedule", "memory", "spill"}) {
    file(fmt::format("other/FlashAttention_Case0_{}.txt", kind),
         read_file(from / fmt::format("Matmul_Case0_{}.txt", kind)));
  }
  EXPECT_EQ(quern({"plan", "verify", attention, path("other")}).status, 1);
}

TEST_F(PlanCommand, AllocSaysWhatIsProven) {
  const std::string d =
      std::string(QUERN_SOURCE_DIR) + "/planner/allocation/testdata/D.1048576.csv";
  const ProcessResult result = quern({"alloc", d, "--minimize", "--time-limit", "0.3", "--json"});
  EXPECT_EQ(result.status, static_cast<int>(ExitCode::budget_ended));
  const Json body = Json::parse(result.output);
  EXPECT_FALSE(body["optimal"].get<bool>());
  EXPECT_EQ(body["lower_bound"], 986112);
  EXPECT_GT(body["gap"], 0.0);
  EXPECT_LT(body["gap"], 0.2);
}

}  // namespace
}  // namespace quern
