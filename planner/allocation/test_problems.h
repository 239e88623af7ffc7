// Problems for tests: random ones of all kinds, ones with a solution that is known to exist because
// they were cut out of a full rectangle, and a judge of tiny ones that tries everything.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "planner/allocation/problem.h"

namespace quern::planner::allocation {

struct RandomShape {
  int buffers = 5;
  int times = 6;
  int largest_size = 5;
  double aligned = 0, fixed = 0, gaps = 0, windows = 0;  // shares of buffers
  int capacity = 12;                                     // for fixed offsets
};
Problem random_problem(const RandomShape& shape, std::uint32_t seed);

// A rectangle of times x capacity, cut `buffers - 1` times: full at every time, and feasible.
Problem cut_rectangle(int buffers, int times, std::int64_t capacity, std::uint32_t seed);

// The same with `welds` pairs of buffers, one ending when the other begins, joined to one: full at
// every time, and often infeasible.
Problem weld(Problem problem, int welds, std::uint32_t seed);

// Tries all offsets; occupancy is kept address by address and time by time. For capacities up
// to 63.
std::optional<Solution> brute_force(const Problem& problem, int capacity);

}  // namespace quern::planner::allocation
