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
  std::vector<Member> stack;
  for (int s = 0; s < model.sections(); ++s) {
    const auto members = model.members[s];
    stack.assign(members.begin(), members.end());
    auto start = [&](const Member& m) {
      return std::max<std::int64_t>(0, model.fixed[m.buffer]) + m.lower;
    };
    std::sort(stack.begin(), stack.end(),
              [&](const Member& x, const Member& y) { return start(x) < start(y); });
    std::int64_t top = 0, padding = 0;
    std::int64_t above = std::numeric_limits<std::int64_t>::max();  // hidden part of the top buffer
    for (const Member& m : stack) {
      top = std::max(top, start(m)) + m.upper - m.lower;
      const std::int64_t hidden = model.size[m.buffer] - m.upper;
      above = std::min(above, hidden);
      padding = std::max(padding, model.size[m.buffer] * model.unit - model.address_size[m.buffer]);
    }
    const std::int64_t needed = (top + above) * model.unit - padding;
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
