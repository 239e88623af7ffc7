#include "planner/decode/decoder.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace quern::planner {
namespace {

constexpr int never = std::numeric_limits<int>::max();

// Positions between two snapshots. A snapshot holds every buffer, so large graphs get fewer.
int spacing_of(int operations) {
  const int snapshots = std::clamp(200'000 / std::max(1, operations), 8, 32);
  return operations / snapshots + 1;
}

bool all_zero(const std::vector<std::int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t v) { return v == 0; });
}

}  // namespace

Decoder::Decoder(const Problem& problem)
    : problem_(problem),
      timeless_(all_zero(problem.cycles) && all_zero(problem.in_cycles) &&
                all_zero(problem.out_cycles)),
      spacing_(spacing_of(problem.operations())) {
  tiers_.resize(problem.machine->tiers.size());
  for (std::int64_t units : problem.pair_traffic) largest_pair_ = std::max(largest_pair_, units);
  const int last = problem.operations() - 1;
  if (last >= 0) {
    next_of_entry_.resize(problem.buffers_of.begin_of(last) + problem.buffers_of[last].size());
  }
  pinned_.assign(problem.buffers(), -1);
  std::vector<std::int64_t> work(problem.machine->pipes.size(), 0);
  for (int operation = 0; operation <= last; ++operation) {
    work[problem.pipe[operation]] += problem.cycles[operation];
  }
  busiest_ = static_cast<int>(std::max_element(work.begin(), work.end()) - work.begin());
}

void Decoder::find_sore_positions() {
  sore_.clear();
  for (std::size_t position = 0; position < loses_.size(); ++position) {
    if (loses_[position] != 0) sore_.push_back(static_cast<int>(position));
  }
}

void Decoder::find_next_uses(const std::vector<int>& sequence, int from) {
  next_use_.assign(problem_.buffers(), never);
  for (int position = static_cast<int>(sequence.size()); position-- > from;) {
    const int operation = sequence[position];
    int entry = problem_.buffers_of.begin_of(operation);
    for (int buffer : problem_.buffers_of[operation]) {
      next_of_entry_[entry++] = next_use_[buffer];
      next_use_[buffer] = position;
    }
  }
}

void Decoder::start(const std::vector<int>& sequence) {
  outcome_ = {};
  buffers_.assign(problem_.buffers(), {});
  finish_.assign(problem_.operations(), 0);
  pipe_free_.assign(problem_.machine->pipes.size(), 0);
  remaining_.assign(problem_.machine->pipes.size(), 0);
  for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
    tiers_[tier].reset(problem_.machine->tiers[tier].capacity);
  }
  for (int operation : sequence) remaining_[problem_.pipe[operation]] += problem_.cycles[operation];
  residents_ = 0;
  position_ = 0;
}

std::int64_t Decoder::latest_finish() const {
  std::int64_t latest = 0;
  for (std::int64_t finish : finish_) latest = std::max(latest, finish);
  return latest;
}

Outcome Decoder::run(const std::vector<int>& sequence, const Genes& genes, const Limits& limits,
                     Plan* plan) {
  genes_ = &genes;
  plan_ = plan;
  if (plan_ != nullptr) *plan_ = {{}, std::vector<std::int64_t>(problem_.buffers(), 0), {}};
  start(sequence);
  find_next_uses(sequence, 0);
  const bool limited = limits.cycles != Limits{}.cycles || limits.traffic != Limits{}.traffic;
  for (; position_ < static_cast<int>(sequence.size()); ++position_) {
    execute(sequence[position_]);
    if (!limited) continue;
    const int pipe = problem_.pipe[sequence[position_]];
    if (outcome_.traffic > limits.traffic || pipe_free_[pipe] + remaining_[pipe] > limits.cycles) {
      outcome_.complete = false;
      return outcome_;
    }
  }
  outcome_.cycles = latest_finish();
  if (plan_ != nullptr) {  // buffers that nothing uses
    for (int buffer = 0; buffer < problem_.buffers(); ++buffer) {
      if (buffers_[buffer].state != State::unborn) continue;
      plan_->order.push_back(problem_.graph->buffers[buffer].alloc);
      plan_->order.push_back(problem_.graph->buffers[buffer].free);
    }
  }
  plan_ = nullptr;
  return outcome_;
}

void Decoder::save(Snapshot& snapshot) const {
  snapshot.position = position_;
  snapshot.buffers = buffers_;
  snapshot.pipe_free = pipe_free_;
  snapshot.remaining = remaining_;
  snapshot.tiers = tiers_;
  snapshot.outcome = outcome_;
  snapshot.residents = residents_;
}

void Decoder::restore(const Snapshot& snapshot) {
  position_ = snapshot.position;
  buffers_ = snapshot.buffers;
  pipe_free_ = snapshot.pipe_free;
  remaining_ = snapshot.remaining;
  tiers_ = snapshot.tiers;
  outcome_ = snapshot.outcome;
  residents_ = snapshot.residents;
  finish_ = base_finish_;
}

int Decoder::first_difference(const std::vector<int>& sequence) const {
  return static_cast<int>(
      std::mismatch(sequence.begin(), sequence.end(), base_sequence_.begin()).first -
      sequence.begin());
}

const Decoder::Snapshot& Decoder::snapshot_before(int position) const {
  return snapshots_[std::min<std::size_t>(position / spacing_, snapshots_.size() - 1)];
}

Outcome Decoder::set_base(const std::vector<int>& sequence, const Genes& genes, bool steady) {
  genes_ = &genes;
  plan_ = nullptr;
  const int count = static_cast<int>(sequence.size());
  int from = 0, to = count;
  if (steady && base_sequence_.size() == sequence.size()) {
    from = first_difference(sequence);
    if (from == count) return base_outcome_;
    while (sequence[to - 1] == base_sequence_[to - 1]) --to;
  }
  if (from > 0) {
    find_next_uses(sequence, snapshot_before(from).position);
    restore(snapshot_before(from));
  } else {
    start(sequence);
    find_next_uses(sequence, 0);
    base_traffic_.resize(count);
    base_residents_.resize(count);
    loses_.assign(count, 0);
    snapshots_.resize((count + spacing_ - 1) / spacing_);
  }
  for (; position_ < count; ++position_) {
    if (position_ % spacing_ == 0) save(snapshots_[position_ / spacing_]);
    const int operation = sequence[position_];
    const std::int64_t traffic = outcome_.traffic, idle_from = pipe_free_[busiest_];
    execute(operation);
    loses_[position_] = timeless_ ? outcome_.traffic > traffic
                                  : problem_.pipe[operation] == busiest_ &&
                                        finish_[operation] - problem_.cycles[operation] > idle_from;
    if (timeless_ && from > 0 && position_ >= to && residents_ == base_residents_[position_]) {
      // From here on everything is as before, but for what it cost to get here.
      const std::int64_t more = outcome_.traffic - base_traffic_[position_];
      for (int p = position_; p < count; ++p) base_traffic_[p] += more;
      for (Snapshot& snapshot : snapshots_) {
        if (snapshot.position > position_) snapshot.outcome.traffic += more;
      }
      base_outcome_.traffic += more;
      base_sequence_ = sequence;
      find_sore_positions();
      return base_outcome_;
    }
    base_traffic_[position_] = outcome_.traffic;
    base_residents_[position_] = residents_;
  }
  outcome_.cycles = latest_finish();
  base_sequence_ = sequence;
  base_finish_ = finish_;
  base_outcome_ = outcome_;
  find_sore_positions();
  return outcome_;
}

Outcome Decoder::run_trial(const std::vector<int>& sequence, const Genes& genes, bool steady,
                           const Limits& limits) {
  const int count = static_cast<int>(sequence.size());
  int from = 0, to = count;  // the order is the base's before `from` and from `to` on
  if (steady) {
    from = first_difference(sequence);
    if (from == count) return base_outcome_;
    while (sequence[to - 1] == base_sequence_[to - 1]) --to;
  }
  genes_ = &genes;
  plan_ = nullptr;
  const Snapshot& snapshot = snapshots_.front();
  const Snapshot& begin = steady ? snapshot_before(from) : snapshot;
  find_next_uses(sequence, begin.position);
  restore(begin);
  // How much later, or costlier, than the base at the same place a trial may be before it is given
  // up. What lies ahead can win some of it back, so traffic gets a few evictions on top and cycles
  // must stay late for a while.
  const std::int64_t patience = std::max(64, count / 32);
  const std::int64_t late =
      limits.cycles == Limits{}.cycles ? limits.cycles : limits.cycles - base_outcome_.cycles;
  const std::int64_t costly = limits.traffic == Limits{}.traffic
                                  ? limits.traffic
                                  : limits.traffic - base_outcome_.traffic + 4 * largest_pair_;
  std::int64_t late_for = 0;
  for (; position_ < count; ++position_) {
    const int operation = sequence[position_];
    execute(operation);
    const int pipe = problem_.pipe[operation];
    if (outcome_.traffic > limits.traffic || pipe_free_[pipe] + remaining_[pipe] > limits.cycles) {
      outcome_.complete = false;
      return outcome_;
    }
    if (position_ < to) continue;
    if (timeless_ && steady && residents_ == base_residents_[position_]) {
      outcome_.traffic += base_outcome_.traffic - base_traffic_[position_];
      outcome_.complete = outcome_.traffic <= limits.traffic;
      outcome_.cycles = 0;
      return outcome_;
    }
    late_for = finish_[operation] - base_finish_[operation] > late ? late_for + 1 : 0;
    if (late_for > patience || outcome_.traffic - base_traffic_[position_] > costly) {
      outcome_.complete = false;
      return outcome_;
    }
  }
  outcome_.cycles = latest_finish();
  return outcome_;
}

void Decoder::execute(int operation) {
  current_ = operation;
  ++work_;
  ++stamp_;
  const auto operands = problem_.buffers_of[operation];
  inputs_ready_ = 0;
  for (int before : problem_.predecessors[operation]) {
    inputs_ready_ = std::max(inputs_ready_, finish_[before]);
  }
  for (int buffer : operands) pinned_[buffer] = stamp_;
  for (int buffer : operands) {
    if (buffers_[buffer].state == State::away) bring_in(buffer);
  }
  for (int buffer : operands) {
    if (buffers_[buffer].state == State::unborn) bring_in(buffer);
  }
  // Placing a later operand may have moved an earlier one out in the worst case; gather_operands
  // then has brought all of them back, so everything is present here.
  const int pipe = problem_.pipe[operation];
  std::int64_t start = std::max(inputs_ready_, pipe_free_[pipe]);
  for (int buffer : operands) start = std::max(start, buffers_[buffer].present);
  const std::int64_t finish = start + problem_.cycles[operation];
  finish_[operation] = finish;
  pipe_free_[pipe] = finish;
  remaining_[pipe] -= problem_.cycles[operation];
  if (plan_ != nullptr) plan_->order.push_back(problem_.node_of[operation]);

  int entry = problem_.buffers_of.begin_of(operation);
  for (int buffer : operands) {
    buffers_[buffer].last_use = std::max(buffers_[buffer].last_use, finish);
    next_use_[buffer] = next_of_entry_[entry];
    if (!genes_->keep.empty()) buffers_[buffer].keep = genes_->keep[entry];
    ++entry;
    if (next_use_[buffer] != never) continue;
    buffers_[buffer].state = State::freed;
    leave(buffer, buffers_[buffer].last_use);
    if (plan_ != nullptr) plan_->order.push_back(problem_.graph->buffers[buffer].free);
  }
}

}  // namespace quern::planner
