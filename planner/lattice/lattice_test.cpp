// The reference pipeline against hand-computed cases, and against the search it is there to
// measure.
#include "planner/lattice/lattice.h"

#include <gtest/gtest.h>

#include "planner/decode/peak.h"
#include "planner/lattice/diagnosis.h"
#include "planner/model/trace_reader.h"
#include "planner/search/planner.h"
#include "planner/synthetic/trace_builder.h"
#include "planner/timing/timing.h"

namespace quern::planner {
namespace {

const std::filesystem::path room = std::filesystem::path(QUERN_SOURCE_DIR) / "planner";

Machine npu() {
  return read_machine(room / "machines/davinci-npu.json", room / "machines/schema.json");
}

// One tier of 100 units, two compute pipes.
Machine two_pipes() {
  Machine machine;
  machine.name = "two-pipes";
  machine.tiers = {{"M", 100, true, 0}};
  machine.pipes = {"IN", "X", "Y"};
  machine.transfer = {
      .out_pipe = 0, .in_pipe = 0, .fixed_cycles = 10, .cycles_per_unit = 1, .backed_by = {}};
  return machine;
}

TEST(Mpas, TakesTheSmallerAllocationThenTheLongerPath) {
  // Three independent commands: 8 units; 4 units with a long follower; 4 units without.
  TraceBuilder t("mpas");
  const int big = t.buffer("M", 8), small = t.buffer("M", 4), lone = t.buffer("M", 4);
  t.op("MAKE", "X", 1, {big}, {});           // operation 0
  t.op("MAKE", "X", 1, {lone}, {});          // operation 1
  t.op("MAKE", "X", 1, {small}, {});         // operation 2
  t.op("USE", "X", 50, {}, {small, small});  // operation 3
  t.op("USE", "X", 1, {}, {big, lone});      // operation 4
  const Machine machine = two_pipes();
  const CommandGraph graph = build_command_graph(t.finish(), machine);
  Problem problem = compile(graph, machine);
  std::fill(problem.lazy.begin(), problem.lazy.end(), 0);
  // 2 (4 units, path 51) before 1 (4 units, path 2); 3 allocates nothing and comes at once; 0 last.
  EXPECT_EQ(mpas_sequence(problem, false), (std::vector<int>{2, 3, 1, 0, 4}));
}

TEST(Mpas, HoldsSingleBuffersOfNarrowTiers) {
  const Machine machine = npu();
  const CommandGraph graph = build_command_graph(attention_trace(3, 3, 1), machine);
  const Problem problem = compile(graph, machine);
  PeakMeter meter(problem);
  EXPECT_EQ(meter.set_base(mpas_sequence(problem, true), 0).violation, 0);
}

TEST(Cpe, SwapsNeighboursOnTheCriticalPathAndKeepsThePlan) {
  // X: first a long command nobody waits for, then the one that Y waits for. Swapping them saves 90
  // cycles.
  TraceBuilder t("cpe");
  const int a = t.buffer("M", 4), b = t.buffer("M", 4);
  t.op("LONG", "X", 90, {a}, {});
  t.op("SHORT", "X", 10, {b}, {});
  t.op("WAIT", "Y", 100, {b}, {});
  const Machine machine = two_pipes();
  const CommandGraph graph = build_command_graph(t.finish(), machine);
  const Problem problem = compile(graph, machine);
  Plan plan;
  plan.order = {0, 2, 5, 1, 3, 4, 6};  // ALLOC a, LONG, FREE a, ALLOC b, SHORT, WAIT, FREE b
  plan.offsets = {0, 4};
  EXPECT_EQ(time_plan(graph, machine, plan).cycles, 200);
  const Diagnosis before = diagnose(problem, plan);
  EXPECT_EQ(before.ignore_cycles, 200);
  EXPECT_EQ(before.freeze_cycles, 200);
  EXPECT_EQ(before.refine_cycles, 110);
  EXPECT_EQ(refine_critical_path(problem, plan), 1);
  EXPECT_EQ(time_plan(graph, machine, plan).cycles, 110);
  // The same addresses for both: b must wait for a, the swap would break the reuse edge and is not
  // taken.
  plan.order = {0, 2, 5, 1, 3, 4, 6};
  plan.offsets = {0, 0};
  EXPECT_EQ(diagnose(problem, plan).ownership_violations, 1);  // ALLOC b would not wait
  EXPECT_EQ(refine_critical_path(problem, plan), 0);
}

TEST(Diagnosis, CountsHandOversThatComeTooEarlyWithoutReuse) {
  // a is used for 90 cycles on X; b takes its place and is made on Y, which is free from the start.
  TraceBuilder t("early");
  const int a = t.buffer("M", 60), b = t.buffer("M", 60);
  t.op("LONG", "X", 90, {a}, {});
  t.op("OTHER", "Y", 50, {b}, {});
  const Machine machine = two_pipes();
  const CommandGraph graph = build_command_graph(t.finish(), machine);
  Plan plan;
  plan.order = {0, 2, 4, 1, 3, 5};
  plan.offsets = {0, 40};
  const Diagnosis diagnosis = diagnose(compile(graph, machine), plan);
  EXPECT_EQ(diagnosis.reuse_edges, 1);
  EXPECT_EQ(diagnosis.ownership_violations, 1);
  EXPECT_EQ(diagnosis.ignore_cycles, 90);
  EXPECT_EQ(diagnosis.freeze_cycles, 140);
}

// A short search already beats the pipeline on every given case and metric.
TEST(Lattice, IsBeatenByTheSearch) {
  const Machine machine = npu();
  for (const char* name : {"Matmul_Case0", "FlashAttention_Case0", "Conv_Case0"}) {
    const CommandGraph graph =
        build_command_graph(read_trace(room / "traces" / (std::string(name) + ".json")), machine);
    const Problem problem = compile(graph, machine);
    const auto spilled = [&](const Plan& plan) {
      std::int64_t units = 0;
      for (const Spill& pair : plan.spills) units += problem.pair_traffic[pair.buffer];
      return units;
    };
    PlanOptions options{.objective = Objective::traffic, .time_limit = 600};
    options.effort = 0.002;
    EXPECT_LT(spilled(make_plan(problem, options).plan),
              spilled(lattice_plan(problem, Objective::traffic)))
        << name;
    options.objective = Objective::cycles;
    EXPECT_LT(time_plan(graph, machine, make_plan(problem, options).plan).cycles,
              time_plan(graph, machine, lattice_plan(problem, Objective::cycles)).cycles)
        << name;
  }
}

}  // namespace
}  // namespace quern::planner
