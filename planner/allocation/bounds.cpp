#include "planner/allocation/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace quern::planner::allocation {

LowerBound lower_bound(const Problem& problem, const Model& model) {
  LowerBound best;
  for (const Buffer& buffer : problem.buffers) {
    const std::int64_t end = buffer.offset.value_or(0) + buffer.size;
    if (end <= best.capacity) continue;
    best.capacity = end;
    best.reason = buffer.offset ? fmt::format("buffer '{}' ends at address {}", buffer.id, end)
                                : fmt::format("buffer '{}' has size {}", buffer.id, end);
  }
  std::vector<Member> fixed;
  for (int s = 0; s < model.sections(); ++s) {
    const auto members = model.members[s];
    fixed.clear();
    // Free buffers: all together, the smallest, and where the lowest can begin.
    constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();
    std::int64_t rest = 0, smallest = infinity, top = infinity;
    std::int64_t hidden = infinity;  // of the top buffer, above what it occupies here
    std::int64_t padding = 0;        // of the top buffer, that need not fit
    for (const Member& m : members) {
      hidden = std::min(hidden, model.size[m.buffer] - m.upper);
      padding = std::max(padding, model.size[m.buffer] * model.unit - model.address_size[m.buffer]);
      if (model.fixed[m.buffer] >= 0) {
        fixed.push_back(m);
        continue;
      }
      rest += m.upper - m.lower;
      smallest = std::min(smallest, m.upper - m.lower);
      top = std::min(top, m.lower);
    }
    if (fixed.size() == members.size()) top = 0;
    auto start = [&](const Member& m) { return model.fixed[m.buffer] + m.lower; };
    std::sort(fixed.begin(), fixed.end(),
              [&](const Member& x, const Member& y) { return start(x) < start(y); });
    for (const Member& m : fixed) {
      // The hole below a fixed one takes free buffers, unless it is too small for any.
      const std::int64_t hole = start(m) - top;
      if (hole >= smallest) rest -= std::min(rest, hole);
      top = std::max(top, start(m) + m.upper - m.lower);
    }
    top += rest;
    const std::int64_t needed = (top + hidden) * model.unit - padding;
    if (needed <= best.capacity) continue;
    best.capacity = needed;
    const auto span = [&] {  // a time at which all of them are live
      std::int64_t time = 0;
      for (const Member& m : members) {
        time = std::max(time, problem.buffers[m.buffer].lifespan.lower);
      }
      return time;
    }();
    best.reason =
        fmt::format("{} buffers live together about time {} need {}", members.size(), span, needed);
  }
  return best;
}

std::int64_t round_up(const Problem& problem, const Model& model, std::int64_t capacity) {
  // With sizes that are multiples of the unit every height is one.
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.size % model.unit != 0) return capacity;
  }
  return (capacity + model.unit - 1) / model.unit * model.unit;
}

}  // namespace quern::planner::allocation
