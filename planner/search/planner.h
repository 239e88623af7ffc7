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

struct SearchProgress {
  double share = 0;  // of the work
  std::int64_t candidates = 0;
};

struct PlanOptions {
  Objective objective = Objective::cycles;
  Pipeline pipeline = Pipeline::search;
  // How much to search, in units of the default. The budget is work (operations planned while
  // candidates are tried), so the same options make the same plan on any machine with any threads.
  double effort = 1;
  double time_limit = 0;  // seconds, only a cap on the effort; 0: the objective's default
  std::uint64_t seed = 1;
  int threads = 2;
  std::function<bool()> interrupted = {};  // true: stop, keep the best plan so far
  std::function<void(const SearchProgress&)> progress = {};  // told a few times a second
};

struct PlanResult {
  Plan plan;
  std::int64_t candidates = 0;  // tried
  // "budget": the whole effort was spent, so that trace, machine, seed and effort determine the
  // plan; "time" and "interrupt": the search was cut off, and the plan is the best found until
  // then.
  std::string stopped_by = "budget";
};

PlanResult make_plan(const Problem& problem, const PlanOptions& options);

}  // namespace quern::planner
