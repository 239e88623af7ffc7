// Where the decoder puts a buffer, when that lets its command start, and what it evicts for it.
#include <algorithm>
#include <cmath>

#include "planner/decode/decoder.h"

namespace quern::planner {
namespace {

std::uint64_t hash_of(int buffer, std::int64_t offset) {
  std::uint64_t z = (static_cast<std::uint64_t>(buffer) << 32) ^ static_cast<std::uint64_t>(offset);
  z = (z + 0x9E3779B97F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 29)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 32);
}

}  // namespace

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
