// The portfolio for one independent part of a problem and one capacity.
//
// Search effort on such problems is heavy-tailed: with one branching rule a problem takes two
// hundred nodes, with another it takes millions, and which is which differs from problem to
// problem. So many short searches with different rules (lengths after Luby et al. 1993) find
// solutions, and in turn with them one search that is never restarted proves that there is none.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "planner/allocation/bounds.h"
#include "planner/allocation/first_fit.h"
#include "planner/allocation/model.h"
#include "planner/allocation/solve.h"

namespace quern::planner::allocation {

// What is left of a Budget.
class Meter {
 public:
  explicit Meter(const Budget& budget);
  bool over() const;
  double seconds() const;
  std::int64_t nodes = 0;  // used
  const std::uint64_t seed;

 private:
  const Budget budget_;
  const std::chrono::steady_clock::time_point start_;
};

// Buffers that no other part is live together with.
struct Part {
  explicit Part(const Problem& whole, std::vector<int> indices);
  std::vector<int> index;  // in the whole problem
  Problem problem;
  Model model;
  LowerBound bound;
};
// The parts of a problem, in order of time.
std::vector<Part> split(const Problem& problem);

// Tries to solve `part` with `capacity`, for at most `nodes` nodes and as long as the meter allows.
// If feasible, `offsets` is set, in units of the model.
Verdict attempt(const Part& part, std::int64_t capacity, std::int64_t nodes, Meter& meter,
                std::vector<std::int64_t>& offsets);

// Orders for first fit, and priorities for the search; the first is the one to take if only one is
// tried.
std::vector<std::vector<int>> orders(const Part& part);

}  // namespace quern::planner::allocation
