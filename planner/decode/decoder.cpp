#include "planner/decode/decoder.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace quern::planner {
namespace {

constexpr int never = std::numeric_limits<int>::max();

}  // namespace

Decoder::Decoder(const Problem& problem) : problem_(problem) {
  tiers_.resize(problem.machine->tiers.size());
}

void Decoder::find_next_uses(const std::vector<int>& sequence) {
  next_use_.assign(problem_.buffers(), never);
  for (std::size_t position = sequence.size(); position-- > 0;) {
    const int operation = sequence[position];
    int entry = problem_.buffers_of.begin_of(operation);
    for (int buffer : problem_.buffers_of[operation]) {
      next_of_entry_[entry++] = next_use_[buffer];
      next_use_[buffer] = static_cast<int>(position);
    }
  }
}

Outcome Decoder::run(const std::vector<int>& sequence, const Genes& genes, const Limits& limits,
                     Plan* plan) {
  const int buffers = problem_.buffers();
  genes_ = &genes;
  plan_ = plan;
  outcome_ = {};
  state_.assign(buffers, State::unborn);
  offset_.assign(buffers, 0);
  present_.assign(buffers, 0);
  last_use_.assign(buffers, 0);
  away_since_.assign(buffers, 0);
  keep_.assign(buffers, 1.0F);
  pinned_.assign(buffers, -1);
  next_of_entry_.resize(problem_.operations() == 0
                            ? 0
                            : problem_.buffers_of.begin_of(problem_.operations() - 1) +
                                  problem_.buffers_of[problem_.operations() - 1].size());
  finish_.assign(problem_.operations(), 0);
  pipe_free_.assign(problem_.machine->pipes.size(), 0);
  remaining_.assign(problem_.machine->pipes.size(), 0);
  for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
    tiers_[tier].reset(problem_.machine->tiers[tier].capacity);
  }
  if (plan_ != nullptr) *plan_ = {{}, std::vector<std::int64_t>(buffers, 0), {}};
  for (int operation : sequence) remaining_[problem_.pipe[operation]] += problem_.cycles[operation];
  find_next_uses(sequence);

  const bool limited = limits.cycles != Limits{}.cycles || limits.traffic != Limits{}.traffic;
  for (position_ = 0; position_ < static_cast<int>(sequence.size()); ++position_) {
    execute(sequence[position_]);
    if (limited) {
      const int pipe = problem_.pipe[sequence[position_]];
      if (outcome_.traffic > limits.traffic ||
          pipe_free_[pipe] + remaining_[pipe] > limits.cycles) {
        outcome_.complete = false;
        return outcome_;
      }
    }
  }
  for (std::int64_t finish : finish_) outcome_.cycles = std::max(outcome_.cycles, finish);
  if (plan_ != nullptr) {  // buffers that nothing uses
    for (int buffer = 0; buffer < buffers; ++buffer) {
      if (state_[buffer] != State::unborn) continue;
      plan_->order.push_back(problem_.graph->buffers[buffer].alloc);
      plan_->order.push_back(problem_.graph->buffers[buffer].free);
    }
  }
  return outcome_;
}

void Decoder::execute(int operation) {
  current_ = operation;
  const auto operands = problem_.buffers_of[operation];
  inputs_ready_ = 0;
  for (int before : problem_.predecessors[operation]) {
    inputs_ready_ = std::max(inputs_ready_, finish_[before]);
  }
  for (int buffer : operands) pinned_[buffer] = position_;
  for (int buffer : operands) {
    if (state_[buffer] == State::away) bring_in(buffer);
  }
  for (int buffer : operands) {
    if (state_[buffer] == State::unborn) bring_in(buffer);
  }
  // Placing a later operand may have moved an earlier one out in the worst case; gather_operands
  // then has brought all of them back, so everything is present here.
  const int pipe = problem_.pipe[operation];
  std::int64_t start = std::max(inputs_ready_, pipe_free_[pipe]);
  for (int buffer : operands) start = std::max(start, present_[buffer]);
  const std::int64_t finish = start + problem_.cycles[operation];
  finish_[operation] = finish;
  pipe_free_[pipe] = finish;
  remaining_[pipe] -= problem_.cycles[operation];
  if (plan_ != nullptr) plan_->order.push_back(problem_.node_of[operation]);

  int entry = problem_.buffers_of.begin_of(operation);
  for (int buffer : operands) {
    last_use_[buffer] = std::max(last_use_[buffer], finish);
    next_use_[buffer] = next_of_entry_[entry];
    if (!genes_->keep.empty()) keep_[buffer] = genes_->keep[entry];
    ++entry;
    if (next_use_[buffer] != never) continue;
    state_[buffer] = State::freed;
    if (problem_.size[buffer] > 0) {
      tiers_[problem_.tier[buffer]].release(offset_[buffer], buffer, last_use_[buffer]);
    }
    if (plan_ != nullptr) plan_->order.push_back(problem_.graph->buffers[buffer].free);
  }
}

// When the node that would take the range could start, as far as everything but the range goes.
std::int64_t Decoder::ready_time(int buffer) const {
  if (state_[buffer] == State::away) {
    return std::max(pipe_free_[problem_.machine->transfer.in_pipe], away_since_[buffer]);
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
  offset_[buffer] = from;
  const bool reload = state_[buffer] == State::away;
  if (reload) {
    const int pipe = problem_.machine->transfer.in_pipe;
    const std::int64_t start = std::max({pipe_free_[pipe], away_since_[buffer], released});
    present_[buffer] = start + problem_.in_cycles[buffer];
    pipe_free_[pipe] = present_[buffer];
    last_use_[buffer] = present_[buffer];
  } else {
    present_[buffer] = released;
    last_use_[buffer] = released;
  }
  state_[buffer] = State::resident;
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
    const double fall = policy.distance_power == 1   ? distance
                        : policy.distance_power == 2 ? distance * distance
                                                     : std::pow(distance, policy.distance_power);
    return static_cast<double>(problem_.pair_traffic[victim]) * keep_[victim] / fall;
  };
  scratch_.clear();
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
        if (pinned_[segment.buffer] == position_) {
          good = false;
          break;
        }
        sum += price(segment.buffer);
        released =
            std::max(released, std::max(last_use_[segment.buffer], present_[segment.buffer]));
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
    scratch_.clear();
    for (std::size_t s = first; s <= last; ++s) {
      if (segments[s].buffer >= 0 && segments[s].from < range.from + size &&
          segments[s].to > range.from) {
        scratch_.push_back(segments[s].buffer);
      }
    }
  }
  if (!range.found()) return false;
  const std::vector<int> victims = scratch_;
  for (int victim : victims) evict(victim);
  return true;
}

void Decoder::evict(int buffer) {
  const std::int64_t used = std::max(last_use_[buffer], present_[buffer]);
  if (problem_.out_cycles[buffer] == 0) {
    away_since_[buffer] = used;  // free of charge, and moved to just after the last use at the end
  } else {
    std::int64_t& pipe = pipe_free_[problem_.machine->transfer.out_pipe];
    away_since_[buffer] = std::max(pipe, used) + problem_.out_cycles[buffer];
    pipe = away_since_[buffer];
  }
  if (problem_.size[buffer] > 0) {
    tiers_[problem_.tier[buffer]].release(offset_[buffer], buffer, away_since_[buffer]);
  }
  state_[buffer] = State::away;
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
    if (problem_.tier[operand] != tier || state_[operand] == State::resident) continue;
    take(operand, from);
    from += problem_.size[operand];
  }
}

}  // namespace quern::planner
