#include "planner/search/planner.h"

#include "planner/decode/decoder.h"
#include "planner/decode/peak.h"
#include "planner/timing/timing.h"

namespace quern::planner {

PlanResult make_plan(const Problem& problem, const PlanOptions& options) {
  PlanResult result;
  Genes genes;
  genes.anchors = problem.anchors;
  genes.policy.time_first = options.objective == Objective::cycles;
  std::vector<int> sequence;
  Linearizer(problem).run(genes.anchors, sequence);
  if (options.objective == Objective::peak) {
    result.plan = order_only_plan(problem, sequence);
    return result;
  }
  Decoder(problem).run(sequence, genes, {}, &result.plan);
  result.plan = with_early_spill_outs(*problem.graph, result.plan);
  return result;
}

}  // namespace quern::planner
