#include "planner/timing/timing.h"

#include <algorithm>

#include "base/error.h"
#include "planner/decode/tier_map.h"

namespace quern::planner {

PlanConstraints::PlanConstraints(const CommandGraph& graph, const Machine& machine,
                                 const Plan& plan)
    : graph_(graph), machine_(machine) {
  const int commands = graph.size();
  nodes_ = commands + 2 * static_cast<int>(plan.spills.size());
  for (const Spill& spill : plan.spills) spill_buffer_.push_back(spill.buffer);

  const int buffers = static_cast<int>(graph.buffers.size());
  std::vector<std::pair<int, int>> before;  // node, what it waits for
  for (int node = 0; node < commands; ++node) {
    for (int other : graph.predecessors[node]) before.emplace_back(node, other);
  }
  std::vector<int> latest_in(buffers, -1), stay(buffers, -1);
  std::vector<std::vector<int>> used(buffers);
  // Per tier, who released each free range: TierMap keeps a "time"; here it is the releasing node.
  std::vector<TierMap> tiers(machine.tiers.size());
  for (std::size_t t = 0; t < tiers.size(); ++t) tiers[t].reset(machine.tiers[t].capacity);

  const auto acquire = [&](int node, int buffer, std::int64_t offset) {
    if (!plan.has_memory()) return;
    const Buffer& facts = graph.buffers[buffer];
    const std::int64_t end = offset + facts.size;
    if (facts.size > 0) {
      for (const Segment& segment : tiers[facts.tier].segments()) {
        if (segment.to <= offset) continue;
        if (segment.from >= end) break;
        QUERN_CHECK(segment.buffer < 0);
        if (segment.released > 0) {
          reuse_edges_.emplace_back(static_cast<int>(segment.released) - 1, node);
        }
      }
      tiers[facts.tier].occupy(offset, end, buffer);
    }
    stay[buffer] = static_cast<int>(residencies_.size());
    residencies_.push_back({buffer, offset, node, -1});
  };
  const auto release = [&](int node, int buffer) {
    if (!plan.has_memory()) return;
    Residency& residency = residencies_[stay[buffer]];
    residency.release = node;
    const Buffer& facts = graph.buffers[buffer];
    if (facts.size > 0) tiers[facts.tier].release(residency.offset, buffer, node + 1);
  };

  for (int node : plan.order) {
    if (node >= commands) {
      const int buffer = spill_buffer_[(node - commands) / 2];
      if ((node - commands) % 2 == 0) {
        before.emplace_back(node, graph.buffers[buffer].alloc);
        if (latest_in[buffer] >= 0) before.emplace_back(node, latest_in[buffer]);
        for (int use : used[buffer]) before.emplace_back(node, use);
        used[buffer].clear();
        latest_in[buffer] = node + 1;
        release(node, buffer);
      } else {
        before.emplace_back(node, node - 1);
        acquire(node, buffer, plan.spills[(node - commands) / 2].offset);
      }
      continue;
    }
    const Command& command = graph.commands[node];
    if (command.kind == CommandKind::alloc) {
      acquire(node, command.buffer, plan.has_memory() ? plan.offsets[command.buffer] : 0);
    } else if (command.kind == CommandKind::free) {
      if (latest_in[command.buffer] >= 0) before.emplace_back(node, latest_in[command.buffer]);
      release(node, command.buffer);
    } else {
      for (int buffer : graph.buffers_of[node]) {
        if (latest_in[buffer] >= 0) before.emplace_back(node, latest_in[buffer]);
        used[buffer].push_back(node);
      }
    }
  }
  std::sort(reuse_edges_.begin(), reuse_edges_.end());
  reuse_edges_.erase(std::unique(reuse_edges_.begin(), reuse_edges_.end()), reuse_edges_.end());
  before_ = Adjacency(nodes_, before);
  for (const auto& [releaser, acquirer] : reuse_edges_) before.emplace_back(acquirer, releaser);
  before_reuse_ = Adjacency(nodes_, before);
}

int PlanConstraints::pipe_of(int node) const {
  const int commands = graph_.size();
  if (node < commands) return graph_.commands[node].pipe;
  return (node - commands) % 2 == 0 ? machine_.transfer.out_pipe : machine_.transfer.in_pipe;
}

std::int64_t PlanConstraints::cycles_of(int node) const {
  const int commands = graph_.size();
  if (node < commands) return graph_.commands[node].cycles;
  const Buffer& buffer = graph_.buffers[spill_buffer_[(node - commands) / 2]];
  return (node - commands) % 2 == 0 ? machine_.out_cycles(buffer.size, buffer.backed)
                                    : machine_.in_cycles(buffer.size);
}

PlanTiming PlanConstraints::time(const std::vector<int>& order, bool reuse) const {
  PlanTiming timing;
  timing.start.assign(nodes_, 0);
  timing.finish.assign(nodes_, 0);
  std::vector<std::int64_t> pipe_free(machine_.pipes.size(), 0);
  for (int node : order) {
    std::int64_t start = 0;
    for (int other : before(node, reuse)) start = std::max(start, timing.finish[other]);
    const int pipe = pipe_of(node);
    if (pipe >= 0) start = std::max(start, pipe_free[pipe]);
    timing.start[node] = start;
    timing.finish[node] = start + cycles_of(node);
    if (pipe >= 0) pipe_free[pipe] = timing.finish[node];
    timing.cycles = std::max(timing.cycles, timing.finish[node]);
  }
  return timing;
}

PlanTiming time_plan(const CommandGraph& graph, const Machine& machine, const Plan& plan,
                     bool reuse) {
  const PlanConstraints constraints(graph, machine, plan);
  PlanTiming timing = constraints.time(plan.order, reuse);
  timing.reuse_edges = constraints.reuse_edges();
  timing.residencies = constraints.residencies();
  return timing;
}

Plan with_early_spill_outs(const CommandGraph& graph, const Plan& plan) {
  const int commands = graph.size();
  const auto is_out = [&](int node) { return node >= commands && (node - commands) % 2 == 0; };
  // For each SPILL_OUT, the node it can follow: the last one before it that uses the buffer or
  // brings it in.
  std::vector<int> touched(graph.buffers.size(), -1);
  std::vector<std::pair<int, int>> follows;
  for (int node : plan.order) {
    if (is_out(node)) {
      follows.emplace_back(touched[plan.spills[(node - commands) / 2].buffer], node);
    } else if (node >= commands) {
      touched[plan.spills[(node - commands) / 2].buffer] = node;
    } else if (graph.commands[node].kind == CommandKind::alloc) {
      touched[graph.commands[node].buffer] = node;
    } else {
      for (int buffer : graph.buffers_of[node]) touched[buffer] = node;
    }
  }
  const Adjacency outs(commands + 2 * static_cast<int>(plan.spills.size()), follows);

  Plan moved{{}, plan.offsets, plan.spills};
  moved.order.reserve(plan.order.size());
  for (int node : plan.order) {
    if (is_out(node)) continue;
    moved.order.push_back(node);
    moved.order.insert(moved.order.end(), outs[node].begin(), outs[node].end());
  }
  return renumbered(graph, moved);
}

Plan renumbered(const CommandGraph& graph, const Plan& plan) {
  const int commands = graph.size();
  Plan result{{}, plan.offsets, {}};
  result.order.reserve(plan.order.size());
  std::vector<int> number(plan.spills.size(), -1);
  for (int node : plan.order) {
    if (node < commands) {
      result.order.push_back(node);
      continue;
    }
    const int pair = (node - commands) / 2;
    const bool out = (node - commands) % 2 == 0;
    if (out) {
      number[pair] = static_cast<int>(result.spills.size());
      result.spills.push_back(plan.spills[pair]);
    }
    result.order.push_back(commands + 2 * number[pair] + (out ? 0 : 1));
  }
  return result;
}

}  // namespace quern::planner
