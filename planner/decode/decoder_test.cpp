// The decoder, its incremental base, the tier map and the peak meter.
#include "planner/decode/decoder.h"

#include <gtest/gtest.h>

#include "planner/decode/peak.h"
#include "planner/model/trace_reader.h"
#include "planner/search/moves.h"
#include "planner/synthetic/trace_builder.h"
#include "planner/timing/timing.h"

namespace quern::planner {
namespace {

const std::filesystem::path room = std::filesystem::path(QUERN_SOURCE_DIR) / "planner";

Machine npu() {
  return read_machine(room / "machines/davinci-npu.json", room / "machines/schema.json");
}

Problem without_times(Problem problem) {
  std::fill(problem.cycles.begin(), problem.cycles.end(), 0);
  std::fill(problem.in_cycles.begin(), problem.in_cycles.end(), 0);
  std::fill(problem.out_cycles.begin(), problem.out_cycles.end(), 0);
  return problem;
}

TEST(TierMap, SplitsAndMerges) {
  TierMap map;
  map.reset(100);
  map.occupy(10, 30, 1);
  map.occupy(30, 50, 2);
  ASSERT_EQ(map.segments().size(), 4U);  // 0-10 free, 1, 2, 50-100 free
  map.release(10, 1, 7);
  map.occupy(0, 20, 3);  // across the free 0-10 (since 0) and half of 10-30 (since 7)
  EXPECT_EQ(map.segments()[0].buffer, 3);
  EXPECT_EQ(map.segments()[1].from, 20);
  EXPECT_EQ(map.segments()[1].to, 30);
  EXPECT_EQ(map.segments()[1].released, 7);
  map.release(30, 2, 7);  // same time as its neighbour: one range
  EXPECT_EQ(map.segments()[1].to, 50);
  map.release(0, 3, 9);
  ASSERT_EQ(map.segments().size(), 3U);
  map.occupy(0, 100, 4);
  ASSERT_EQ(map.segments().size(), 1U);
}

TEST(Decoder, TimesAgreeWithTheTimedPlan) {
  const Machine machine = npu();
  for (const Trace& trace : {matmul_trace(4, 5, 6), attention_trace(3, 3, 1)}) {
    const CommandGraph graph = build_command_graph(trace, machine);
    const Problem problem = compile(graph, machine);
    std::vector<int> sequence;
    Genes genes;
    genes.anchors = problem.anchors;
    genes.policy.time_first = true;
    Linearizer(problem).run(genes.anchors, sequence);
    Plan plan;
    const Outcome outcome = Decoder(problem).run(sequence, genes, {}, &plan);
    EXPECT_EQ(outcome.spills, static_cast<std::int64_t>(plan.spills.size()));
    // Free evictions are timed as if they came right after the last use, where they are moved to.
    const std::int64_t cycles =
        time_plan(graph, machine, with_early_spill_outs(graph, plan)).cycles;
    EXPECT_NEAR(static_cast<double>(outcome.cycles), static_cast<double>(cycles),
                0.02 * static_cast<double>(cycles));
  }
}

// Trials and bases that reuse the state of an earlier base give the same figures as planning from
// scratch. (With prices that ignore the distance to the next use: otherwise the prefix that a trial
// keeps may have been planned for another future.)
TEST(Decoder, IncrementalEqualsWhole) {
  const Machine machine = npu();
  for (const Trace& trace :
       {matmul_trace(5, 4, 8), attention_trace(3, 4, 1), convolution_trace(6, 4, 200)}) {
    const CommandGraph graph = build_command_graph(trace, machine);
    const Problem timed = compile(graph, machine);
    const Structure structure(timed);
    for (const bool with_times : {true, false}) {
      const Problem problem = with_times ? timed : without_times(timed);
      Neighbourhood neighbourhood(problem, structure);
      Random random(3);
      Linearizer linearizer(problem);
      Decoder incremental(problem), whole(problem);
      Genes genes;
      genes.anchors = problem.anchors;
      genes.policy.distance_power = 0;
      std::vector<int> sequence;
      linearizer.run(genes.anchors, sequence);
      incremental.set_base(sequence, genes, false);
      for (int i = 0; i < 60; ++i) {
        Genes trial = genes;
        neighbourhood.change_order(trial.anchors, random);
        linearizer.run(trial.anchors, sequence);
        const Outcome expected = whole.run(sequence, trial);
        const Outcome found = incremental.run_trial(sequence, trial, true, {});
        EXPECT_EQ(found.traffic, expected.traffic) << trace.name;
        if (with_times) {
          EXPECT_EQ(found.cycles, expected.cycles) << trace.name;
        }
        if (i % 3 != 0) continue;
        genes = trial;
        const Outcome base = incremental.set_base(sequence, genes, true);
        EXPECT_EQ(base.traffic, expected.traffic) << trace.name;
        if (with_times) {
          EXPECT_EQ(base.cycles, expected.cycles) << trace.name;
        }
      }
    }
  }
}

TEST(PeakMeter, TrialsEqualBases) {
  const Machine machine = npu();
  const CommandGraph graph = build_command_graph(attention_trace(3, 3, 1), machine);
  const Problem problem = compile(graph, machine);
  const Structure structure(problem);
  Neighbourhood neighbourhood(problem, structure);
  Random random(5);
  Linearizer linearizer(problem);
  PeakMeter meter(problem), fresh(problem);
  std::vector<int> anchors = problem.anchors, sequence;
  linearizer.run(anchors, sequence);
  meter.set_base(sequence, 1000);
  for (int i = 0; i < 100; ++i) {
    neighbourhood.change_order(anchors, random);
    linearizer.run(anchors, sequence);
    const PeakOutcome trial = meter.run_trial(sequence, INT64_MAX);
    const PeakOutcome whole = fresh.set_base(sequence, 1000);
    EXPECT_EQ(trial.peak, whole.peak);
    EXPECT_EQ(trial.mass, whole.mass);
    EXPECT_EQ(trial.violation, whole.violation);
    if (i % 4 == 0) meter.set_base(sequence, 1000);
  }
}

}  // namespace
}  // namespace quern::planner
