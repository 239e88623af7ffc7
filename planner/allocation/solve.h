// The allocator: one call for "does it fit, and where does everything go?".
//
//   Problem problem;
//   problem.buffers.push_back({.id = "weights", .lifespan = {0, 90}, .size = 4096, .alignment =
//   64});
//   ...
//   const Outcome outcome = solve(problem, 128 << 10, {.nodes = 20'000});
//   if (outcome.verdict == Verdict::feasible) use(outcome.solution.offsets);
//
//        problem -> independent parts -> per part:  lower bound -> first fit in several orders ->
//                                                   exact search, restarted with other branchings,
//                                                   beside one long-running search that ends with a
//                                                   proof
//
// Deterministic for a seed as long as only `nodes` limits the search; seconds and `stop` depend on
// the machine. Every solution has passed verify() before it is returned.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "planner/allocation/problem.h"

namespace quern::planner::allocation {

struct Budget {
  // Placements and postponements tried by the exact search. A few thousand a buffer solve most
  // problems.
  std::int64_t nodes = std::numeric_limits<std::int64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
  bool (*stop)() = nullptr;  // asked every few milliseconds; true: come back (base/interrupt.h)
  std::uint64_t seed = 1;    // of the orders tried on restarts
};

enum class Verdict {
  feasible,    // solved and verified
  infeasible,  // proven
  undecided,   // the budget ended
};

struct Outcome {
  Verdict verdict = Verdict::undecided;
  Solution solution;             // if feasible
  std::int64_t height = 0;       // of the solution
  std::int64_t lower_bound = 0;  // no capacity below it is enough
  std::int64_t nodes = 0;
  double seconds = 0;  // wall clock
  std::string reason;  // why infeasible, in words
};

// Finds offsets that fit `capacity`, or proves that there are none. Throws bad_input for a
// defective buffer or a problem too large to be modelled.
Outcome solve(const Problem& problem, std::int64_t capacity, const Budget& budget = {});

struct Minimum {
  // feasible: a solution was found (the best so far unless `optimal`).
  // infeasible: fixed offsets contradict each other, or more than `limit` is needed.
  Verdict verdict = Verdict::undecided;
  Solution solution;
  std::int64_t height = 0;       // the smallest capacity found
  std::int64_t lower_bound = 0;  // no capacity below it is enough
  bool optimal = false;          // proven: height == lower_bound
  std::int64_t nodes = 0;
  double seconds = 0;
  std::string reason;
};

// Finds the smallest capacity, at most `limit`: from first fit down, from the lower bound up.
Minimum minimize(const Problem& problem, const Budget& budget = {},
                 std::int64_t limit = largest_value);

}  // namespace quern::planner::allocation
