#include "planner/decode/peak.h"

#include <algorithm>

namespace quern::planner {

PeakMeter::PeakMeter(const Problem& problem) : problem_(problem) {
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    users_.push_back(static_cast<int>(problem.operations_of[buffer].size()));
  }
}

std::int64_t PeakMeter::step(int operation, std::int64_t& violation) {
  ++work_;
  const auto& tiers = problem_.machine->tiers;
  const auto operands = problem_.buffers_of[operation];
  for (int buffer : operands) {
    if (left_[buffer] != users_[buffer]) continue;  // alive already
    const Tier& tier = tiers[problem_.tier[buffer]];
    const int live = ++live_[problem_.tier[buffer]];
    if (tier.counts_in_peak) held_ += problem_.size[buffer];
    if (tier.peak_live_limit > 0 && live > tier.peak_live_limit) ++violation;
  }
  const std::int64_t held = held_;
  for (int buffer : operands) {
    if (--left_[buffer] > 0) continue;
    --live_[problem_.tier[buffer]];
    if (tiers[problem_.tier[buffer]].counts_in_peak) held_ -= problem_.size[buffer];
  }
  return held;
}

namespace {

constexpr int snapshot_count = 32;

void add(PeakOutcome& outcome, std::int64_t held, std::int64_t floor) {
  outcome.peak = std::max(outcome.peak, held);
  if (held > floor) outcome.mass += held - floor;
}

void add(PeakOutcome& outcome, const PeakOutcome& part) {
  outcome.peak = std::max(outcome.peak, part.peak);
  outcome.mass += part.mass;
  outcome.violation += part.violation;
}

}  // namespace

PeakOutcome PeakMeter::set_base(const std::vector<int>& sequence, std::int64_t floor) {
  const int count = static_cast<int>(sequence.size());
  const int spacing = count / snapshot_count + 1;
  floor_ = floor;
  left_ = users_;
  live_.assign(problem_.machine->tiers.size(), 0);
  held_ = 0;
  base_sequence_ = sequence;
  before_.assign(count + 1, {});
  behind_.assign(count + 1, {});
  snapshots_.resize((count + spacing - 1) / spacing);
  std::vector<PeakOutcome> single(count);
  for (int position = 0; position < count; ++position) {
    if (position % spacing == 0) snapshots_[position / spacing] = {left_, live_, held_};
    add(single[position], step(sequence[position], single[position].violation), floor_);
    before_[position + 1] = before_[position];
    add(before_[position + 1], single[position]);
  }
  for (int position = count; position-- > 0;) {
    behind_[position] = behind_[position + 1];
    add(behind_[position], single[position]);
  }
  sore_.clear();
  for (int position = 0; position < count; ++position) {
    if (single[position].peak == before_[count].peak || single[position].violation > 0) {
      sore_.push_back(position);
    }
  }
  return before_[count];
}

PeakOutcome PeakMeter::run_trial(const std::vector<int>& sequence, std::int64_t peak_limit) {
  const int count = static_cast<int>(sequence.size());
  const int spacing = count / snapshot_count + 1;
  const int from = static_cast<int>(
      std::mismatch(sequence.begin(), sequence.end(), base_sequence_.begin()).first -
      sequence.begin());
  if (from == count) return before_[count];
  int to = count;
  while (sequence[to - 1] == base_sequence_[to - 1]) --to;
  const Snapshot& snapshot = snapshots_[from / spacing];
  left_ = snapshot.left;
  live_ = snapshot.live;
  held_ = snapshot.held;
  int position = from / spacing * spacing;
  PeakOutcome outcome = before_[position];
  for (; position < to; ++position) {
    add(outcome, step(sequence[position], outcome.violation), floor_);
    if (outcome.peak > peak_limit) {
      outcome.complete = false;
      return outcome;
    }
  }
  add(outcome, behind_[to]);
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
