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

std::uint64_t hash_of(int buffer, std::int64_t offset) {
  std::uint64_t z = (static_cast<std::uint64_t>(buffer) << 32) ^ static_cast<std::uint64_t>(offset);
  z = (z + 0x9E3779B97F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 29)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 32);
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

// When the node that would take the range could start, as far as everything but the range goes.
std::int64_t Decoder::ready_time(int buffer) const {
  if (buffers_[buffer].state == State::away) {
    return std::max(pipe_free_[problem_.machine->transfer.in_pipe], buffers_[buffer].away_since);
  }
  return std::max(pipe_free_[problem_.pipe[current_]], inputs_ready_);
}

std::int64_t Decoder::range_released(int tier, std::int64_t from, std::int64_t to) const {
  std::int64_t released = 0;
  for (const Segment& segment : tiers_[tier].segments()) {
    if (segment.to <= from) continue;
    if (segment.from >= to) break;
    released = std::max(released, segment.released);
  }
  return released;
}

void Decoder::take(int buffer, std::int64_t from) {
  const int tier = problem_.tier[buffer];
  const std::int64_t size = problem_.size[buffer];
  std::int64_t released = 0;
  if (size > 0) {
    released = range_released(tier, from, from + size);
    tiers_[tier].occupy(from, from + size, buffer);
  }
  buffers_[buffer].offset = from;
  residents_ ^= hash_of(buffer, from);
  const bool reload = buffers_[buffer].state == State::away;
  if (reload) {
    const int pipe = problem_.machine->transfer.in_pipe;
    const std::int64_t start = std::max({pipe_free_[pipe], buffers_[buffer].away_since, released});
    buffers_[buffer].present = start + problem_.in_cycles[buffer];
    pipe_free_[pipe] = buffers_[buffer].present;
    buffers_[buffer].last_use = buffers_[buffer].present;
  } else {
    buffers_[buffer].present = released;
    buffers_[buffer].last_use = released;
  }
  buffers_[buffer].state = State::resident;
  if (plan_ == nullptr) return;
  if (reload) {
    for (std::size_t pair = plan_->spills.size(); pair-- > 0;) {
      if (plan_->spills[pair].buffer != buffer) continue;
      plan_->spills[pair].offset = from;
      plan_->order.push_back(problem_.graph->size() + 2 * static_cast<int>(pair) + 1);
      break;
    }
  } else {
    plan_->offsets[buffer] = from;
    plan_->order.push_back(problem_.graph->buffers[buffer].alloc);
  }
}

Decoder::Range Decoder::free_range(int buffer, std::int64_t ready) const {
  const int tier = problem_.tier[buffer];
  const std::int64_t size = problem_.size[buffer];
  if (size == 0) return {0};
  const auto& segments = tiers_[tier].segments();
  const Policy& policy = genes_->policy;
  const bool high = !genes_->high.empty() && genes_->high[buffer] != 0;
  Range best;
  double best_wait = 0;
  std::int64_t best_left = 0, best_age = 0;
  const auto consider = [&](std::int64_t from, std::int64_t released, std::int64_t left) {
    double wait = static_cast<double>(std::max<std::int64_t>(0, released - ready));
    if (wait <= policy.wait_tolerance) wait = 0;
    bool better = !best.found();
    if (!better && policy.time_first) {
      better = wait != best_wait   ? wait < best_wait
               : left != best_left ? left < best_left
                                   : (high ? from > best.from : released < best_age);
    } else if (!better) {
      better = left != best_left   ? left < best_left
               : wait != best_wait ? wait < best_wait
                                   : (high ? from > best.from : released < best_age);
    }
    if (!better) return;
    best = {from};
    best_wait = wait;
    best_left = left;
    best_age = released;
  };
  for (std::size_t i = 0; i < segments.size();) {
    if (segments[i].buffer >= 0) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < segments.size() && segments[end].buffer < 0) ++end;
    const std::int64_t from = segments[i].from, to = segments[end - 1].to;
    if (to - from >= size) {
      const std::int64_t left = to - from - size;
      for (std::size_t s = i; s < end && segments[s].from + size <= to; ++s) {
        std::int64_t released = 0;
        for (std::size_t k = s; k < end && segments[k].from < segments[s].from + size; ++k) {
          released = std::max(released, segments[k].released);
        }
        // A range inside the gap splits it; prefer its ends.
        const bool inside = segments[s].from != from && segments[s].from + size != to;
        consider(segments[s].from, released, inside ? left + size : left);
      }
      std::int64_t released = 0;
      for (std::size_t k = end; k-- > i && segments[k].to > to - size;) {
        released = std::max(released, segments[k].released);
      }
      consider(to - size, released, left);
    }
    i = end;
  }
  return best;
}

// Chooses the cheapest window to evict; false if every window holds an operand of the current
// operation.
bool Decoder::make_room(int buffer, std::int64_t ready, Range& range) {
  const int tier = problem_.tier[buffer];
  const std::int64_t size = problem_.size[buffer];
  const auto& segments = tiers_[tier].segments();
  const Policy& policy = genes_->policy;
  double best = std::numeric_limits<double>::infinity();
  const auto price = [&](int victim) {
    const double distance = next_use_[victim] - position_ + 1;
    const double fall = policy.distance_power == 1     ? distance
                        : policy.distance_power == 2   ? distance * distance
                        : policy.distance_power == 0.5 ? std::sqrt(distance)
                        : policy.distance_power == 4   ? distance * distance * distance * distance
                                                       : std::pow(distance, policy.distance_power);
    return static_cast<double>(problem_.pair_traffic[victim]) * buffers_[victim].keep / fall;
  };
  victims_.clear();
  for (std::size_t first = 0; first < segments.size(); ++first) {
    // The window from the start of `first`, and the one that ends with the end of its last segment.
    double sum = 0;
    std::int64_t released = 0;
    std::size_t last = first;
    bool good = true;
    for (;; ++last) {
      if (last == segments.size()) {
        good = false;
        break;
      }
      const Segment& segment = segments[last];
      if (segment.buffer >= 0) {
        if (pinned_[segment.buffer] == stamp_) {
          good = false;
          break;
        }
        sum += price(segment.buffer);
        released = std::max(released, std::max(buffers_[segment.buffer].last_use,
                                               buffers_[segment.buffer].present));
      } else {
        released = std::max(released, segment.released);
      }
      if (sum >= best) {
        good = false;
        break;
      }
      if (segment.to - segments[first].from >= size) break;
    }
    if (!good) continue;
    const double wait = static_cast<double>(std::max<std::int64_t>(0, released - ready));
    const double score = sum * (1 + policy.wait_weight * wait);
    if (score >= best) continue;
    best = score;
    // When the window is larger than needed, stay at the end that touches a victim only.
    const bool at_end = segments[first].buffer < 0 && segments[last].buffer >= 0;
    range.from = at_end ? segments[last].to - size : segments[first].from;
    victims_.clear();
    for (std::size_t s = first; s <= last; ++s) {
      if (segments[s].buffer >= 0 && segments[s].from < range.from + size &&
          segments[s].to > range.from) {
        victims_.push_back(segments[s].buffer);
      }
    }
  }
  if (!range.found()) return false;
  best_victims_ = victims_;
  for (int victim : best_victims_) evict(victim);
  return true;
}

void Decoder::leave(int buffer, std::int64_t time) {
  const std::int64_t offset = buffers_[buffer].offset;
  residents_ ^= hash_of(buffer, offset);
  if (problem_.size[buffer] > 0) tiers_[problem_.tier[buffer]].release(offset, buffer, time);
}

void Decoder::evict(int buffer) {
  const std::int64_t used = std::max(buffers_[buffer].last_use, buffers_[buffer].present);
  if (problem_.out_cycles[buffer] == 0) {
    buffers_[buffer].away_since =
        used;  // free of charge, and moved to just after the last use at the end
  } else {
    std::int64_t& pipe = pipe_free_[problem_.machine->transfer.out_pipe];
    buffers_[buffer].away_since = std::max(pipe, used) + problem_.out_cycles[buffer];
    pipe = buffers_[buffer].away_since;
  }
  leave(buffer, buffers_[buffer].away_since);
  buffers_[buffer].state = State::away;
  outcome_.traffic += problem_.pair_traffic[buffer];
  ++outcome_.spills;
  if (plan_ != nullptr) {
    plan_->order.push_back(problem_.graph->size() + 2 * static_cast<int>(plan_->spills.size()));
    plan_->spills.push_back({buffer, 0});
  }
}

void Decoder::bring_in(int buffer) {
  const std::int64_t ready = ready_time(buffer);
  Range range = free_range(buffer, ready);
  if (range.found() || make_room(buffer, ready, range)) {
    take(buffer, range.from);
  } else {
    gather_operands(current_, problem_.tier[buffer]);
  }
}

// The last resort against fragmentation: everything of the tier goes out, the operands come back
// side by side from address 0.
void Decoder::gather_operands(int operation, int tier) {
  const std::vector<Segment> segments = tiers_[tier].segments();
  for (const Segment& segment : segments) {
    if (segment.buffer >= 0) evict(segment.buffer);
  }
  std::int64_t from = 0;
  for (int operand : problem_.buffers_of[operation]) {
    if (problem_.tier[operand] != tier || buffers_[operand].state == State::resident) continue;
    take(operand, from);
    from += problem_.size[operand];
  }
}

}  // namespace quern::planner
