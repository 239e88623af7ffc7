// The allocator against a judge that tries everything, and on problems whose answer is known by
// construction.
#include "planner/allocation/solve.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "planner/allocation/disjunctive.h"
#include "planner/allocation/test_problems.h"
#include "planner/allocation/verify.h"

namespace quern::planner::allocation {
namespace {

std::string text(const Problem& problem) {
  std::string out;
  for (const Buffer& b : problem.buffers) {
    out += b.id + " [" + std::to_string(b.lifespan.lower) + "," + std::to_string(b.lifespan.upper) +
           ") size " + std::to_string(b.size) + " alignment " + std::to_string(b.alignment);
    if (b.offset) out += " fixed " + std::to_string(*b.offset);
    for (const Gap& g : b.gaps) {
      out += " gap " + std::to_string(g.period.lower) + "-" + std::to_string(g.period.upper);
      if (g.window) {
        out += "@" + std::to_string(g.window->lower) + ":" + std::to_string(g.window->upper);
      }
    }
    out += "\n";
  }
  return out;
}

struct Kind {
  const char* name;
  RandomShape shape;
  int cases;
};

class AllocationRandom : public testing::TestWithParam<Kind> {};

// For every capacity around the smallest: the same verdict as the judge, and valid solutions.
TEST_P(AllocationRandom, AgreesWithBruteForce) {
  const Kind& kind = GetParam();
  int feasible = 0, infeasible = 0;
  for (int seed = 1; seed <= kind.cases; ++seed) {
    const Problem problem = random_problem(kind.shape, static_cast<std::uint32_t>(seed));
    SCOPED_TRACE(std::string(kind.name) + " seed " + std::to_string(seed) + "\n" + text(problem));
    const Minimum minimum = minimize(problem, {}, kind.shape.capacity);
    std::optional<int> smallest;
    for (int capacity = kind.shape.capacity; capacity >= 1; --capacity) {
      if (!brute_force(problem, capacity)) break;
      smallest = capacity;
    }
    ASSERT_EQ(minimum.verdict == Verdict::feasible, smallest.has_value());
    ASSERT_NE(minimum.verdict, Verdict::undecided);
    const int tight = smallest.value_or(kind.shape.capacity + 1);
    if (smallest) {
      ++feasible;
      ASSERT_EQ(minimum.height, tight);
      ASSERT_EQ(minimum.lower_bound, tight);
      ASSERT_TRUE(minimum.optimal);
      ASSERT_EQ(verify(problem, minimum.solution, tight), std::nullopt);
    } else {
      ++infeasible;
    }
    for (int capacity = tight - 2; capacity <= std::min(tight + 1, kind.shape.capacity);
         ++capacity) {
      const Outcome outcome = solve(problem, capacity);
      ASSERT_EQ(outcome.verdict, capacity >= tight ? Verdict::feasible : Verdict::infeasible)
          << "capacity " << capacity;
      if (outcome.verdict == Verdict::feasible) {
        ASSERT_EQ(verify(problem, outcome.solution, capacity), std::nullopt);
      } else {
        ASSERT_FALSE(outcome.reason.empty());
      }
    }
  }
  EXPECT_GT(feasible, kind.cases / 4);  // the shapes are such that both happen
  if (kind.shape.fixed > 0) {
    EXPECT_GT(infeasible, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, AllocationRandom,
    testing::Values(Kind{"plain", {.buffers = 6}, 600},
                    Kind{
                        "many", {.buffers = 8, .times = 8, .largest_size = 4, .capacity = 14}, 300},
                    Kind{"alignment", {.buffers = 6, .aligned = 0.6, .capacity = 14}, 600},
                    Kind{"fixed", {.buffers = 5, .fixed = 0.3}, 600},
                    Kind{"gaps", {.buffers = 6, .gaps = 0.6}, 600},
                    Kind{"windows", {.buffers = 5, .gaps = 0.7, .windows = 1}, 600},
                    Kind{"everything",
                         {.buffers = 5,
                          .aligned = 0.3,
                          .fixed = 0.15,
                          .gaps = 0.5,
                          .windows = 0.5,
                          .capacity = 14},
                         1000}),
    [](const auto& kind) { return std::string(kind.param.name); });

// Full at every time: any waste ends a branch, and both verdicts occur.
TEST(AllocationSolve, WeldedRectanglesAgreeWithBruteForce) {
  int infeasible = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    const Problem problem = weld(cut_rectangle(12, 12, 12, seed), 10, seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text(problem));
    const bool expected = brute_force(problem, 12).has_value();
    const Outcome outcome = solve(problem, 12);
    ASSERT_EQ(outcome.verdict, expected ? Verdict::feasible : Verdict::infeasible);
    infeasible += !expected;
  }
  EXPECT_GT(infeasible, 0);
}

// The two exact searches judge larger problems alike.
TEST(AllocationSolve, AgreesWithTheDisjunctiveSearch) {
  int infeasible = 0;
  for (std::uint32_t seed = 1; seed <= 150; ++seed) {
    const Problem problem = weld(cut_rectangle(16, 14, 16, seed), 12, seed);
    const Model model(problem);
    Disjunctive search(model, model.latest_offsets(16));
    const auto state = search.run([&] { return search.nodes() < 200'000; });
    if (state == Disjunctive::State::stopped) continue;
    const bool expected = state == Disjunctive::State::found;
    ASSERT_EQ(solve(problem, 16).verdict, expected ? Verdict::feasible : Verdict::infeasible)
        << "seed " << seed << "\n"
        << text(problem);
    infeasible += !expected;
  }
  EXPECT_GT(infeasible, 3);
}

TEST(AllocationSolve, FindsThePackingOfACutRectangle) {
  struct Case {
    int buffers, times;
    std::int64_t capacity;
  };
  for (const Case& c : {Case{20, 40, 64}, {60, 100, 1024}, {120, 200, 4096}, {200, 200, 1 << 20}}) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const Problem problem = cut_rectangle(c.buffers, c.times, c.capacity, seed);
      const Outcome outcome = solve(problem, c.capacity, {.nodes = 1'000'000});
      EXPECT_EQ(outcome.verdict, Verdict::feasible) << c.buffers << " buffers, seed " << seed;
      EXPECT_EQ(outcome.height, c.capacity);
      const Outcome less = solve(problem, c.capacity - 1);
      EXPECT_EQ(less.verdict, Verdict::infeasible);
      EXPECT_EQ(less.nodes, 0);  // by the bound
    }
  }
}

// b2 fits only under the arch of b1: its offset is the higher one, its addresses the lower ones.
TEST(AllocationSolve, PlacesABufferUnderAnArch) {
  Problem problem;
  problem.buffers.push_back(
      {.id = "arch", .lifespan = {0, 3}, .size = 6, .gaps = {{{1, 2}, Interval{4, 6}}}});
  problem.buffers.push_back({.id = "under", .lifespan = {1, 2}, .size = 4});
  const Outcome outcome = solve(problem, 6);
  ASSERT_EQ(outcome.verdict, Verdict::feasible);
  EXPECT_EQ(outcome.solution.offsets, (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(solve(problem, 5).verdict, Verdict::infeasible);
}

// "foot" needs its lowest byte first and its highest one later; "plank" fits exactly between the
// two.
TEST(AllocationSolve, PlacesABufferBetweenTwoWindows) {
  Problem problem;
  problem.buffers.push_back({.id = "foot",
                             .lifespan = {0, 2},
                             .size = 6,
                             .gaps = {{{0, 1}, Interval{0, 1}}, {{1, 2}, Interval{5, 6}}}});
  problem.buffers.push_back({.id = "plank", .lifespan = {0, 2}, .size = 4});
  const Outcome outcome = solve(problem, 6);
  ASSERT_EQ(outcome.verdict, Verdict::feasible);
  EXPECT_EQ(outcome.solution.offsets, (std::vector<std::int64_t>{0, 1}));
  problem.buffers[1].size = 5;
  EXPECT_EQ(solve(problem, 6).verdict, Verdict::infeasible);
  EXPECT_EQ(minimize(problem).height, 11);  // one above all of the other
}

TEST(AllocationSolve, ResultsAreTheSameForASeed) {
  const Problem problem = cut_rectangle(150, 200, 1 << 20, 7);
  const Outcome first = solve(problem, 1 << 20, {.seed = 5});
  const Outcome second = solve(problem, 1 << 20, {.seed = 5});
  EXPECT_EQ(first.solution.offsets, second.solution.offsets);
  EXPECT_EQ(first.nodes, second.nodes);
}

TEST(AllocationSolve, TakesGoodHints) {
  Problem problem = cut_rectangle(60, 100, 1024, 3);
  const Outcome solved = solve(problem, 1024);
  ASSERT_EQ(solved.verdict, Verdict::feasible);
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    problem.buffers[b].hint = solved.solution.offsets[b];
  }
  const Outcome again = solve(problem, 1024);
  EXPECT_EQ(again.nodes, 0);
  EXPECT_EQ(again.solution.offsets, solved.solution.offsets);
}

TEST(AllocationSolve, StopsWhenTold) {
  const Problem problem = weld(cut_rectangle(120, 100, 4096, 2), 60, 2);
  const Outcome no_nodes = solve(problem, 4096, {.nodes = 1});
  EXPECT_EQ(no_nodes.verdict, Verdict::undecided);
  EXPECT_TRUE(no_nodes.solution.offsets.empty());
  const Outcome stopped = solve(problem, 4096, {.stop = [] { return true; }});
  EXPECT_EQ(stopped.verdict, Verdict::undecided);
  const Minimum best = minimize(problem, {.nodes = 1});
  EXPECT_EQ(best.verdict, Verdict::feasible);  // of first fit
  EXPECT_FALSE(best.optimal);
  EXPECT_EQ(best.lower_bound, 4096);
  EXPECT_EQ(verify(problem, best.solution, best.height), std::nullopt);
}

TEST(AllocationSolve, EmptyAndIdleProblems) {
  EXPECT_EQ(solve({}, 0).verdict, Verdict::feasible);
  EXPECT_EQ(minimize({}).height, 0);
  Problem idle;  // a gap as long as the lifespan: it needs no memory, but an address in range
  idle.buffers.push_back({.id = "idle", .lifespan = {0, 2}, .size = 3, .gaps = {{{0, 2}, {}}}});
  EXPECT_EQ(solve(idle, 3).verdict, Verdict::feasible);
  EXPECT_EQ(solve(idle, 2).verdict, Verdict::infeasible);
}

TEST(AllocationSolve, SaysWhyItIsInfeasible) {
  Problem large;
  large.buffers.push_back({.id = "big", .lifespan = {0, 2}, .size = 30});
  EXPECT_EQ(solve(large, 20).reason, "buffer 'big' has size 30; the capacity is 20");
  Problem fixed;
  fixed.buffers.push_back({.id = "x", .lifespan = {0, 2}, .size = 3, .offset = 1});
  fixed.buffers.push_back({.id = "y", .lifespan = {1, 3}, .size = 3, .offset = 2});
  const Outcome clash = solve(fixed, 20);
  EXPECT_EQ(clash.verdict, Verdict::infeasible);
  EXPECT_EQ(clash.reason, "buffers 'x' and 'y' have fixed addresses that overlap");
}

TEST(AllocationSolve, RefusesDefectiveBuffers) {
  Problem problem;
  problem.buffers.push_back({.id = "x", .lifespan = {2, 2}, .size = 3});
  EXPECT_THROW(solve(problem, 20), Error);
  problem.buffers[0] = {.id = "x", .lifespan = {0, 2}, .size = largest_value};
  problem.buffers.push_back(problem.buffers[0]);
  EXPECT_THROW(solve(problem, 20), Error);
}

}  // namespace
}  // namespace quern::planner::allocation
