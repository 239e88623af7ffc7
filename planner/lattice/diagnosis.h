// What memory costs a plan, in the three modes that LATTICE compares:
//
//   ignore   the order timed as if no address were ever shared: too fast, and wrong wherever a
//   command then
//            starts in memory that its last owner still holds (ownership violations)
//   freeze   the order as planned, waiting for the addresses
//   refine   critical-path moves that keep offsets, spills and reuse edges
#pragma once

#include <cstdint>

#include "planner/decode/problem.h"
#include "planner/model/plan.h"

namespace quern::planner {

struct Diagnosis {
  std::int64_t ignore_cycles = 0;
  std::int64_t ownership_violations = 0;  // reuse edges that `ignore` breaks
  std::int64_t reuse_edges = 0;
  std::int64_t freeze_cycles = 0;
  std::int64_t refine_cycles = 0;
  int refine_moves = 0;
};

Diagnosis diagnose(const Problem& problem, const Plan& plan);

}  // namespace quern::planner
