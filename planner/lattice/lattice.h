// The pipeline that LATTICE describes (arXiv 2607.17422), kept as the reference to beat:
//
//   MPAS  memory-pressure-aware order: Kahn's algorithm; among ready commands FREE first, then
//         the smaller ALLOC, then the longer path to the end
//   DLR   deterministic linear repackaging along that order: best fit; tier-aware victims by cost
//         over distance; a reload just before its use
//   CPE   critical-path refinement: swaps of adjacent commands of one pipe on the critical path,
//         kept when the plan's offsets, spills and reuse edges stay valid and the makespan falls;
//         two passes, at most four moves
//
// Two points are not in the paper's description. The static key alone deadlocks on the narrow tiers
// (a feeder is allocated whose consumer waits for another), so an ALLOC is taken with its producer,
// feeders of a narrow tier with their consumer, and a command that would overfill a narrow tier
// waits as long as another is ready. And a victim's cost is the traffic of its pair, copies outside
// counted.
#pragma once

#include <vector>

#include "planner/decode/problem.h"
#include "planner/model/plan.h"

namespace quern::planner {

struct CpeLimits {
  int passes = 2;
  int moves = 4;
  int trials = 1'000'000;  // orders timed
};

// The operations in MPAS order. Narrow tiers (those that do not count in the peak) hold their
// capacity, or for `single_buffers` their peak_live_limit.
std::vector<int> mpas_sequence(const Problem& problem, bool single_buffers);

// The whole pipeline; for Objective::peak its order alone.
Plan lattice_plan(const Problem& problem, Objective objective);

// CPE on any plan: offsets, spills and reuse edges stay as they are, only the order within pipes
// changes. Returns the moves taken.
int refine_critical_path(const Problem& problem, Plan& plan, const CpeLimits& limits = {});

}  // namespace quern::planner
