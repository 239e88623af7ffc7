// What the planner must reach on the given traces with its default effort, and that it beats the
// lattice pipeline on traces that nothing was tuned on, up to eight times as large. Slow.
#include <gtest/gtest.h>

#include "planner/model/trace_reader.h"
#include "planner/search/planner.h"
#include "planner/synthetic/trace_builder.h"
#include "planner/verify/verifier.h"

namespace quern::planner {
namespace {

const std::filesystem::path room = std::filesystem::path(QUERN_SOURCE_DIR) / "planner";

verify::Verdict planned(const CommandGraph& graph, const Machine& machine,
                        const PlanOptions& options) {
  PlanOptions patient = options;
  patient.time_limit = 100'000;  // the effort decides, on however busy a machine
  const PlanResult result = make_plan(compile(graph, machine), patient);
  EXPECT_EQ(result.stopped_by, "budget");
  return verify::judge(graph, machine, verify::as_submission(graph, result.plan),
                       options.objective == Objective::peak);
}

struct Reach {
  const char* name;
  std::int64_t peak, traffic, cycles;
};

class GivenTraces : public testing::TestWithParam<Reach> {};

TEST_P(GivenTraces, ReachTheirFigures) {
  const Machine machine =
      read_machine(room / "machines/davinci-npu.json", room / "machines/schema.json");
  const CommandGraph graph = build_command_graph(
      read_trace(room / "traces" / (std::string(GetParam().name) + ".json")), machine);
  const auto peak = planned(graph, machine, {.objective = Objective::peak});
  EXPECT_TRUE(peak.valid);
  EXPECT_LE(peak.peak, GetParam().peak);
  const auto traffic = planned(graph, machine, {.objective = Objective::traffic});
  EXPECT_TRUE(traffic.valid);
  EXPECT_LE(traffic.traffic, GetParam().traffic);
  const auto cycles = planned(graph, machine, {.objective = Objective::cycles});
  EXPECT_TRUE(cycles.valid);
  EXPECT_LE(cycles.cycles, GetParam().cycles);
  EXPECT_LE(*cycles.traffic * 10, GetParam().traffic * 14);
}

// The best public figures of each case; for cycles a target below them.
INSTANTIATE_TEST_SUITE_P(Reach, GivenTraces,
                         testing::Values(Reach{"Matmul_Case0", 9216, 12416, 95000},
                                         Reach{"FlashAttention_Case0", 4498, 3584, 34500},
                                         Reach{"Conv_Case0", 6912, 43782, 405000}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Unseen, NeverWorseThanLattice) {
  const Machine machine =
      read_machine(room / "machines/davinci-npu.json", room / "machines/schema.json");
  for (const Trace& trace :
       {matmul_trace(4, 4, 4), matmul_trace(12, 3, 9), matmul_trace(16, 16, 16),
        attention_trace(2, 6, 2), attention_trace(8, 8, 1), convolution_trace(6, 4, 160),
        convolution_trace(8, 3, 420), convolution_trace(60, 10, 96), odd_trace(3, 1500),
        odd_trace(6, 700), odd_trace(7, 2500)}) {
    const CommandGraph graph = build_command_graph(trace, machine);
    for (Objective objective : {Objective::peak, Objective::traffic, Objective::cycles}) {
      PlanOptions options{.objective = objective, .effort = 0.1};
      const auto verdict = planned(graph, machine, options);
      EXPECT_TRUE(verdict.valid) << trace.name;
      options.pipeline = Pipeline::lattice;
      const auto lattice = planned(graph, machine, options);
      if (!lattice.valid) continue;  // no order of its own respects the narrow tiers
      if (objective == Objective::peak) {
        EXPECT_LE(verdict.peak, lattice.peak) << trace.name;
      } else if (objective == Objective::traffic) {
        EXPECT_LE(verdict.traffic, lattice.traffic) << trace.name;
      } else {
        EXPECT_LT(verdict.cycles, lattice.cycles) << trace.name;
      }
    }
  }
}

}  // namespace
}  // namespace quern::planner
