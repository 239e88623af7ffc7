// Plans a graph for one objective: the front door of the room.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "planner/decode/problem.h"
#include "planner/model/plan.h"

namespace quern::planner {

enum class Pipeline {
  search,   // constructed orders, then local search over order, eviction prices and placement
  lattice,  // MPAS order, DLR repackaging, CPE refinement, as published
  stable,   // operations by node id, no search
};

struct PlanOptions {
  Objective objective = Objective::cycles;
  Pipeline pipeline = Pipeline::search;
  double time_limit = 0;        // seconds; 0: the objective's default
  std::int64_t iterations = 0;  // of all chains together; 0: what the time limit should allow
  std::uint64_t seed = 1;
  int threads = 2;
  std::function<bool()> interrupted = {};  // true: stop, keep the best plan so far
};

struct PlanResult {
  Plan plan;
  std::int64_t iterations = 0;
  // "iterations": the whole budget was used, so that seed, options and threads determine the plan;
  // "time" and "interrupt": the search was cut off, and the plan is the best one found until then.
  std::string stopped_by = "iterations";
};

PlanResult make_plan(const Problem& problem, const PlanOptions& options);

}  // namespace quern::planner
