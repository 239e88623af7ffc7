#include "planner/decode/peak.h"

#include <algorithm>

namespace quern::planner {

PeakMeter::PeakMeter(const Problem& problem) : problem_(problem) {
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    users_.push_back(static_cast<int>(problem.operations_of[buffer].size()));
  }
}

PeakOutcome PeakMeter::run(const std::vector<int>& sequence, std::int64_t floor,
                           std::int64_t peak_limit) {
  const auto& tiers = problem_.machine->tiers;
  PeakOutcome outcome;
  left_ = users_;
  alive_.assign(problem_.buffers(), 0);
  live_.assign(tiers.size(), 0);
  std::int64_t held = 0;
  for (int operation : sequence) {
    for (int buffer : problem_.buffers_of[operation]) {
      if (alive_[buffer] != 0) continue;
      alive_[buffer] = 1;
      const Tier& tier = tiers[problem_.tier[buffer]];
      const int live = ++live_[problem_.tier[buffer]];
      if (tier.counts_in_peak) held += problem_.size[buffer];
      if (tier.peak_live_limit > 0 && live > tier.peak_live_limit) ++outcome.violation;
    }
    outcome.peak = std::max(outcome.peak, held);
    if (held > floor) outcome.mass += held - floor;
    if (outcome.peak > peak_limit) {
      outcome.complete = false;
      return outcome;
    }
    for (int buffer : problem_.buffers_of[operation]) {
      if (--left_[buffer] > 0) continue;
      --live_[problem_.tier[buffer]];
      if (tiers[problem_.tier[buffer]].counts_in_peak) held -= problem_.size[buffer];
    }
  }
  return outcome;
}

Plan order_only_plan(const Problem& problem, const std::vector<int>& sequence) {
  const CommandGraph& graph = *problem.graph;
  Plan plan;
  plan.order.reserve(graph.size());
  std::vector<int> left(problem.buffers());
  std::vector<char> alive(problem.buffers(), 0);
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    left[buffer] = static_cast<int>(problem.operations_of[buffer].size());
    if (left[buffer] > 0) continue;
    plan.order.push_back(graph.buffers[buffer].alloc);
    plan.order.push_back(graph.buffers[buffer].free);
  }
  for (int operation : sequence) {
    for (int buffer : problem.buffers_of[operation]) {
      if (alive[buffer] == 0) plan.order.push_back(graph.buffers[buffer].alloc);
      alive[buffer] = 1;
    }
    plan.order.push_back(problem.node_of[operation]);
    for (int buffer : problem.buffers_of[operation]) {
      if (--left[buffer] == 0) plan.order.push_back(graph.buffers[buffer].free);
    }
  }
  return plan;
}

}  // namespace quern::planner
