// What follows from a placement or a postponement: raised offsets, and sections that cannot hold
// their buffers any more.
#include <algorithm>
#include <limits>

#include "planner/allocation/search.h"

namespace quern::planner::allocation {

constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();

bool Search::propagate() {
  // "Not first" raises in small steps for ever so long; the first waves do nearly all of the good.
  int strong_waves = strong_ ? 2 : 0;
  for (;;) {
    if (!raise_postponed()) return false;
    if (queue_.empty()) return true;
    wave_.swap(queue_);
    queue_.clear();
    for (const int section : wave_) touched_[section] = 0;
    for (const int section : wave_) {
      if (remaining_[section] == 0) continue;
      if (!bound_section(section) || (strong_waves > 0 && !not_first(section))) {
        weight_[section] += increment_;
        return false;
      }
    }
    --strong_waves;
  }
}

// A postponed buffer lies above one that is still to come and begins below its refused top.
bool Search::raise_postponed() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const int buffer : postponed_) {
      if (stage_[buffer] != postponed) continue;
      // Nothing to do unless something changed in one of its sections.
      std::int64_t changed_at = 0;
      for (const Occupancy& o : model_.occupancies[buffer]) {
        changed_at = std::max(changed_at, section_time_[o.section]);
      }
      if (changed_at <= buffer_time_[buffer]) continue;
      buffer_time_[buffer] = clock_;
      std::int64_t least = infinity;
      for (const Conflict& k : model_.conflicts[buffer]) {
        if (stage_[k.buffer] != placed && earliest_[k.buffer] < refused_[buffer] + k.above) {
          least = std::min(least, earliest_[k.buffer] + k.below);
        }
      }
      if (least == infinity) {
        const auto occupancies = model_.occupancies[buffer];
        for (const Occupancy& o : occupancies) {
          weight_[o.section] += increment_ / static_cast<double>(occupancies.size());
        }
        return false;
      }
      if (least > earliest_[buffer]) {
        if (!raise(buffer, least)) return false;
        changed = true;
      }
    }
  }
  return true;
}

// The least height of the stack of buffers to come, each from its `earliest`.
bool Search::bound_section(int section) {
  auto& stack = stack_[section];
  auto start = [&](const Member& m) { return earliest_[m.buffer] + m.lower; };
  for (std::size_t i = 1; i < stack.size(); ++i) {  // nearly sorted from the last time
    const Member member = stack[i];
    const std::int64_t at = start(member);
    std::size_t j = i;
    for (; j > 0 && start(stack[j - 1]) > at; --j) stack[j] = stack[j - 1];
    stack[j] = member;
  }
  std::int64_t top = 0, lowest = infinity;
  for (const Member& m : stack) {
    if (stage_[m.buffer] == placed) continue;
    lowest = std::min(lowest, start(m));
    top = std::max(top, start(m)) + m.upper - m.lower;
  }
  const std::int64_t slack = limit_[section] - top;
  if (slack < 0) return false;
  std::int64_t choices = 0;
  for (const Member& m : stack) {
    if (stage_[m.buffer] == placed) continue;
    if (start(m) > lowest + slack) break;
    ++choices;
  }
  if (slack != slack_[section]) {
    save(Change::slack, section, slack_[section]);
    slack_[section] = slack;
  }
  if (choices != choices_[section]) {
    save(Change::choices, section, choices_[section]);
    choices_[section] = choices;
  }
  return true;
}

// If a buffer below all of a set would make the stack too high, it lies above one of the set. The
// best sets are those of the buffers that end last.
bool Search::not_first(int section) {
  const auto& stack = stack_[section];
  const std::int64_t limit = limit_[section];
  // Only buffers that start so high that not all others can be above them; the last ones of the
  // stack.
  auto late = [&](std::int64_t start) { return start + remaining_[section] > limit; };
  auto last = stack.rbegin();
  while (stage_[last->buffer] == placed) ++last;
  if (!late(earliest_[last->buffer] + last->lower)) return true;

  endings_.clear();
  for (const Member& m : stack) {
    if (stage_[m.buffer] == placed) continue;
    endings_.push_back({earliest_[m.buffer] + m.upper, m.upper - m.lower, m.buffer, m.lower});
  }
  std::sort(endings_.begin(), endings_.end(),
            [](const Ending& x, const Ending& y) { return x.end > y.end; });
  sums_.assign(1, 0);
  for (const Ending& ending : endings_) sums_.push_back(sums_.back() + ending.size);
  for (std::size_t own = 0; own < endings_.size(); ++own) {
    const auto& [end, size, buffer, lower] = endings_[own];
    const std::int64_t start = end - size;
    if (!late(start)) continue;
    // The least k such that the buffer below the other ones of the first k is too high.
    const auto own_sum = sums_.begin() + static_cast<std::ptrdiff_t>(own) + 1;
    auto sum = std::upper_bound(sums_.begin(), own_sum, limit - end);
    if (sum == own_sum) sum = std::upper_bound(own_sum, sums_.end(), limit - start);
    if (sum == sums_.begin()) return false;
    if (sum == sums_.end()) continue;
    if (!raise(buffer, endings_[sum - sums_.begin() - 1].end - lower)) return false;
  }
  return true;
}

}  // namespace quern::planner::allocation
