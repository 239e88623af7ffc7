// Each rule of the exact search by itself is complete: it finds what exists and proves the rest.
#include "planner/allocation/search.h"

#include <gtest/gtest.h>

#include "planner/allocation/test_problems.h"
#include "planner/allocation/verify.h"

namespace quern::planner::allocation {
namespace {

class AllocationEachRule : public testing::TestWithParam<std::tuple<Branching, bool>> {};

TEST_P(AllocationEachRule, AgreesWithBruteForce) {
  const auto [branching, strong] = GetParam();
  int feasible = 0, infeasible = 0;
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    const Problem problem = random_problem(
        {.buffers = 6, .aligned = 0.3, .fixed = 0.1, .gaps = 0.3, .capacity = 12}, seed);
    const Model model(problem);
    ASSERT_TRUE(model.ordered);
    for (const int capacity : {8, 10, 12}) {
      Search search(model, model.latest_offsets(capacity));
      search.restart(branching, std::vector<double>(problem.buffers.size(), 0), strong);
      // In small slices: stopping and going on changes nothing.
      auto state = Search::State::running;
      while (state == Search::State::running) state = search.run(3);
      const bool expected = brute_force(problem, capacity).has_value();
      ASSERT_EQ(state, expected ? Search::State::found : Search::State::exhausted)
          << "seed " << seed << " capacity " << capacity;
      if (expected) {
        ASSERT_EQ(verify(problem, model.solution(search.offsets()), capacity), std::nullopt);
      }
      (expected ? feasible : infeasible) += 1;
    }
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(infeasible, 100);
}

TEST_P(AllocationEachRule, AgreesOnFullRectangles) {
  const auto [branching, strong] = GetParam();
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const Problem problem = weld(cut_rectangle(12, 12, 12, seed), 10, seed);
    const Model model(problem);
    Search search(model, model.latest_offsets(12));
    search.restart(branching, std::vector<double>(problem.buffers.size(), 0), strong);
    const auto state = search.run(1'000'000);
    ASSERT_EQ(state, brute_force(problem, 12) ? Search::State::found : Search::State::exhausted)
        << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, AllocationEachRule,
                         testing::Combine(testing::Values(Branching::lowest, Branching::scarce,
                                                          Branching::scarce_choices,
                                                          Branching::tight),
                                          testing::Bool()));

}  // namespace
}  // namespace quern::planner::allocation
