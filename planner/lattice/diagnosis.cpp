#include "planner/lattice/diagnosis.h"

#include "planner/lattice/lattice.h"
#include "planner/timing/timing.h"

namespace quern::planner {

Diagnosis diagnose(const Problem& problem, const Plan& plan) {
  const CommandGraph& graph = *problem.graph;
  const Machine& machine = *problem.machine;
  Diagnosis diagnosis;
  const PlanTiming ignore = time_plan(graph, machine, plan, false);
  diagnosis.ignore_cycles = ignore.cycles;
  diagnosis.reuse_edges = static_cast<std::int64_t>(ignore.reuse_edges.size());
  for (const auto& [release, acquire] : ignore.reuse_edges) {
    if (ignore.start[acquire] < ignore.finish[release]) ++diagnosis.ownership_violations;
  }
  diagnosis.freeze_cycles = time_plan(graph, machine, plan, true).cycles;
  Plan refined = plan;
  diagnosis.refine_moves = refine_critical_path(problem, refined);
  diagnosis.refine_cycles = time_plan(graph, machine, refined, true).cycles;
  return diagnosis;
}

}  // namespace quern::planner
