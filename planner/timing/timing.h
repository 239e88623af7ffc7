// When every node of a plan runs: pipes are in order, everything else waits for its predecessors,
// its spill pair and, with reuse, for the addresses it takes over.
//
//   SPILL_OUT a ──reuse──► SPILL_IN b ──► MATMUL b
#pragma once

#include <cstdint>
#include <vector>

#include "planner/model/command_graph.h"
#include "planner/model/plan.h"

namespace quern::planner {

// A buffer's stay in memory, for maps and for reuse edges.
struct Residency {
  int buffer = 0;
  std::int64_t offset = 0;
  int acquire = -1, release = -1;  // node ids
};

struct PlanTiming {
  std::vector<std::int64_t> start, finish;  // by node id, spill nodes included
  std::int64_t cycles = 0;
  std::vector<std::pair<int, int>> reuse_edges;  // release node -> acquire node
  std::vector<Residency> residencies;
};

// The static part of a plan's timing: what each node waits for. The order may then be changed
// (refine) as long as it stays legal, and timed again.
class PlanConstraints {
 public:
  PlanConstraints(const CommandGraph& graph, const Machine& machine, const Plan& plan);

  int nodes() const { return nodes_; }
  int pipe_of(int node) const;  // -1: none
  std::int64_t cycles_of(int node) const;
  std::span<const int> before(int node, bool reuse) const {
    return reuse ? before_reuse_[node] : before_[node];
  }
  const std::vector<std::pair<int, int>>& reuse_edges() const { return reuse_edges_; }
  const std::vector<Residency>& residencies() const { return residencies_; }

  // Times an order that is legal for these constraints.
  PlanTiming time(const std::vector<int>& order, bool reuse) const;

 private:
  const CommandGraph& graph_;
  const Machine& machine_;
  int nodes_ = 0;
  std::vector<int> spill_buffer_;
  std::vector<std::pair<int, int>> reuse_edges_;
  std::vector<Residency> residencies_;
  Adjacency before_, before_reuse_;
};

PlanTiming time_plan(const CommandGraph& graph, const Machine& machine, const Plan& plan,
                     bool reuse = true);

// Numbers the spill pairs in the order of their SPILL_OUTs, as the result files need them.
Plan renumbered(const CommandGraph& graph, const Plan& plan);

// Moves every SPILL_OUT to just after the last use before it, so that it does not wait in its
// pipe's queue behind later commands, and numbers the pairs in order again.
Plan with_early_spill_outs(const CommandGraph& graph, const Plan& plan);

}  // namespace quern::planner
