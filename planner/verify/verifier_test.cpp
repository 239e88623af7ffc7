// The verifier against hand-computed plans, published figures of stable orders, and mutations of
// good plans: each kind of damage must be refused.
#include "planner/verify/verifier.h"

#include <gtest/gtest.h>

#include <functional>

#include "planner/synthetic/trace_builder.h"

namespace quern::planner::verify {
namespace {

// One tier of 4 units; moving s units takes 10 + s cycles on IN or OUT.
Machine small_machine() {
  Machine machine;
  machine.name = "small";
  machine.tiers = {{"M", 4, true, 0}};
  machine.pipes = {"IN", "OUT", "X"};
  machine.transfer = {
      .out_pipe = 1, .in_pipe = 0, .fixed_cycles = 10, .cycles_per_unit = 1, .backed_by = {"LOAD"}};
  return machine;
}

// nodes: 0 ALLOC a, 1 LOAD a, 2 ALLOC b, 3 MAKE b <- a, 4 ALLOC c, 5 LOAD c, 6 USE b c, 7 USE a,
//        8 FREE a, 9 FREE b, 10 FREE c; a, b, c are 2 units each, so only two fit.
Trace small_trace() {
  TraceBuilder t("small");
  const int a = t.buffer("M", 2);
  t.op("LOAD", "IN", 5, {a}, {});
  const int b = t.buffer("M", 2);
  t.op("MAKE", "X", 7, {b}, {a});
  const int c = t.buffer("M", 2);
  t.op("LOAD", "IN", 5, {c}, {});
  t.op("USE", "X", 3, {}, {b, c});
  t.op("USE", "X", 3, {}, {a});
  return t.finish();
}

// a goes out for c and comes back where b was: pair 0 is nodes 11 and 12.
//   0 ALLOC a @0 | 1 LOAD a 0..5 | 2 ALLOC b @2 | 3 MAKE 5..12 | 11 OUT a 12..12 | 4 ALLOC c @0 at
//   12 | 5 LOAD c 12..17 | 6 USE 17..20 | 9 FREE b 20 | 10 FREE c 20 | 12 IN a @2 20..32 | 7
//   USE 32..35 | 8 FREE a
Submission small_plan() {
  Submission plan;
  plan.schedule = {0, 1, 2, 3, 11, 4, 5, 6, 9, 10, 12, 7, 8};
  plan.memory = {{0, 0, 1}, {1, 2, 2}, {2, 0, 3}};
  plan.spills = {{0, 2, 1}};
  plan.has_memory = true;
  return plan;
}

class SmallPlan : public testing::Test {
 protected:
  Machine machine_ = small_machine();
  CommandGraph graph_ = build_command_graph(small_trace(), machine_);
  Verdict judge_it(const Submission& plan) { return judge(graph_, machine_, plan, false); }
};

TEST_F(SmallPlan, HandComputedFigures) {
  const Verdict verdict = judge_it(small_plan());
  ASSERT_TRUE(verdict.valid) << verdict.problems.front();
  EXPECT_EQ(verdict.peak, 4);
  EXPECT_EQ(verdict.traffic, 2);  // a is backed: one way only
  EXPECT_EQ(verdict.spills, 1);
  EXPECT_EQ(verdict.cycles, 35);
  // Without reuse edges c loads at 5..10, the reload takes 12..24, so the last USE is 24..27.
  EXPECT_EQ(verdict.cycles_no_reuse, 27);
  EXPECT_EQ(verdict.most_live_by_tier[0], 2);
}

TEST_F(SmallPlan, OrderOnly) {
  Submission plan;
  plan.schedule = {0, 1, 2, 3, 4, 5, 6, 9, 10, 7, 8};
  const Verdict verdict = judge(graph_, machine_, plan, true);
  ASSERT_TRUE(verdict.valid);
  EXPECT_EQ(verdict.peak, 6);
  EXPECT_FALSE(verdict.traffic.has_value());
  EXPECT_EQ(verdict.cycles, 18);  // LOADs 0..5, 5..10; MAKE 5..12, USE 12..15, 15..18
  Machine limited = machine_;
  limited.tiers[0].peak_live_limit = 2;
  EXPECT_FALSE(judge(graph_, limited, plan, true).valid);
  EXPECT_TRUE(judge(graph_, limited, plan, false).valid);
}

TEST_F(SmallPlan, MutationsAreRefused) {
  struct Mutation {
    const char* name;
    std::function<void(Submission&)> damage;
    const char* message;
  };
  const auto swap_nodes = [](Submission& plan, std::int64_t a, std::int64_t b) {
    std::iter_swap(std::find(plan.schedule.begin(), plan.schedule.end(), a),
                   std::find(plan.schedule.begin(), plan.schedule.end(), b));
  };
  const Mutation mutations[] = {
      {"overlapping buffers", [](Submission& p) { p.memory[1].offset = 1; }, "overlaps"},
      {"overlap after the reload",
       [&](Submission& p) {
         p.schedule = {0, 1, 2, 3, 11, 4, 5, 6, 9, 12, 10, 7, 8};
         p.spills[0].offset = 1;
       },
       "overlaps"},
      {"reload before the range is free",
       [](Submission& p) { p.schedule = {0, 1, 2, 3, 11, 4, 5, 12, 6, 9, 10, 7, 8}; }, "overlaps"},
      {"missing SPILL_IN", [](Submission& p) { std::erase(p.schedule, 12); }, "node 12 is missing"},
      {"use between out and in", [&](Submission& p) { swap_nodes(p, 7, 12); }, "which is spilled"},
      {"order against an edge", [&](Submission& p) { swap_nodes(p, 3, 6); }, "predecessor"},
      {"missing node", [](Submission& p) { std::erase(p.schedule, 7); }, "node 7 is missing"},
      {"node twice", [](Submission& p) { p.schedule.push_back(7); }, "twice"},
      {"unknown node", [](Submission& p) { p.schedule.push_back(13); }, "does not exist"},
      {"negative node", [](Submission& p) { p.schedule[0] = -1; }, "does not exist"},
      {"offset beyond the tier", [](Submission& p) { p.memory[0].offset = 3; }, "outside tier"},
      {"negative offset", [](Submission& p) { p.memory[0].offset = -1; }, "outside tier"},
      {"huge offset", [](Submission& p) { p.memory[0].offset = INT64_MAX; }, "outside tier"},
      {"reload beyond the tier", [](Submission& p) { p.spills[0].offset = 3; }, "outside tier"},
      {"placed twice", [](Submission& p) { p.memory[1].buffer = 0; }, "placed twice"},
      {"not placed", [](Submission& p) { p.memory.pop_back(); }, "no line in the memory file"},
      {"unknown buffer", [](Submission& p) { p.spills[0].buffer = 9; }, "no buffer 9"},
      {"another buffer's pair", [](Submission& p) { p.spills[0].buffer = 2; },
       "SPILL_OUT of buffer 2"},
      {"pair the wrong way round", [&](Submission& p) { swap_nodes(p, 11, 12); },
       "without its SPILL_OUT"},
      {"pair too many",
       [](Submission& p) {
         p.spills.push_back({1, 0, 2});
       },
       "is missing"},
      {"out before alloc",
       [](Submission& p) { p.schedule = {11, 0, 1, 2, 3, 4, 5, 6, 9, 10, 12, 7, 8}; },
       "not in memory"},
      {"freed while away",
       [](Submission& p) { p.schedule = {0, 1, 2, 3, 4, 5, 6, 9, 10, 7, 11, 8, 12}; }, "overlaps"},
      {"freed before the last use", [&](Submission& p) { swap_nodes(p, 7, 8); }, "predecessor"},
  };
  for (const Mutation& mutation : mutations) {
    Submission plan = small_plan();
    mutation.damage(plan);
    const Verdict verdict = judge_it(plan);
    EXPECT_FALSE(verdict.valid) << mutation.name;
    ASSERT_FALSE(verdict.problems.empty()) << mutation.name;
    EXPECT_NE(verdict.problems.front().find(mutation.message), std::string::npos)
        << mutation.name << ": " << verdict.problems.front();
  }
}

// A buffer that moved to another tier is caught by that tier's size and owners: the file format has
// no word for a type, so an offset is always judged in the buffer's own tier.
TEST(TypeChange, OffsetsAreJudgedInTheBuffersOwnTier) {
  Machine machine = small_machine();
  machine.tiers.push_back({"BIG", 100, true, 0});
  const CommandGraph graph = build_command_graph(small_trace(), machine);
  Submission plan = small_plan();
  plan.memory[1].offset = 50;  // would fit BIG
  EXPECT_FALSE(judge(graph, machine, plan, false).valid);
}

TEST(SpillChains, SecondPairWaitsForTheFirst) {
  // a is used three times with something else in between, twice evicted, reloaded at changing
  // offsets.
  Machine machine = small_machine();
  machine.tiers[0].capacity = 2;
  TraceBuilder t("chain");
  const int a = t.buffer("M", 2);  // 0
  t.op("LOAD", "IN", 5, {a}, {});  // 1
  for (int i = 0; i < 2; ++i) {
    t.op("USE", "X", 3, {}, {a});        // 2, 5
    const int other = t.buffer("M", 2);  // 3, 6
    t.op("LOAD", "IN", 5, {other}, {});  // 4, 7
  }
  t.op("USE", "X", 3, {}, {a});  // 8; FREE a 9, others 10, 11
  const CommandGraph graph = build_command_graph(t.finish(), machine);
  Submission plan;
  plan.has_memory = true;
  plan.memory = {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}};
  plan.spills = {{0, 0, 1}, {0, 0, 2}};
  plan.schedule = {0, 1, 2, 12, 3, 4, 10, 13, 5, 14, 6, 7, 11, 15, 8, 9};
  const Verdict verdict = judge(graph, machine, plan, false);
  ASSERT_TRUE(verdict.valid) << verdict.problems.front();
  EXPECT_EQ(verdict.traffic, 4);
  // LOAD 0-5 USE 5-8 OUT 8 LOAD 8-13 IN 13-25 USE 25-28 OUT 28 LOAD 28-33 IN 33-45 USE 45-48
  EXPECT_EQ(verdict.cycles, 48);
  std::swap(plan.schedule[3], plan.schedule[9]);  // pair 1 before pair 0
  EXPECT_FALSE(judge(graph, machine, plan, false).valid);
}

}  // namespace
}  // namespace quern::planner::verify
