#include "planner/allocation/problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace quern::planner::allocation {

std::int64_t height(const Problem& problem, const Solution& solution) {
  std::int64_t top = 0;
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    top = std::max(top, solution.offsets[i] + problem.buffers[i].size);
  }
  return top;
}

namespace {

bool in_range(std::int64_t value, std::int64_t least) {
  return value >= least && value <= largest_value;
}

std::optional<std::string> gap_defect(const Buffer& buffer, const Gap& gap) {
  const auto& [lower, upper] = gap.period;
  if (lower >= upper) return fmt::format("gap {}-{}: expected start < end", lower, upper);
  if (lower < buffer.lifespan.lower || upper > buffer.lifespan.upper) {
    return fmt::format("gap {}-{}: outside the lifespan [{}, {})", lower, upper,
                       buffer.lifespan.lower, buffer.lifespan.upper);
  }
  if (gap.window && (gap.window->lower < 0 || gap.window->lower >= gap.window->upper ||
                     gap.window->upper > buffer.size)) {
    return fmt::format("gap {}-{}: window {}:{}, expected a part of 0:{}", lower, upper,
                       gap.window->lower, gap.window->upper, buffer.size);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> defect(const Buffer& buffer) {
  const auto& [start, end] = buffer.lifespan;
  if (!in_range(start, 0) || !in_range(end, 0)) {
    return fmt::format("lifespan [{}, {}): expected times from 0 to {}", start, end, largest_value);
  }
  if (start >= end) return fmt::format("lifespan [{}, {}): expected start < end", start, end);
  if (!in_range(buffer.size, 1)) {
    return fmt::format("size: {}, expected from 1 to {}", buffer.size, largest_value);
  }
  if (!in_range(buffer.alignment, 1)) {
    return fmt::format("alignment: {}, expected from 1 to {}", buffer.alignment, largest_value);
  }
  if (buffer.hint && !in_range(*buffer.hint, 0)) {
    return fmt::format("hint: {}, expected from 0 to {}", *buffer.hint, largest_value);
  }
  if (buffer.offset) {
    if (!in_range(*buffer.offset, 0)) {
      return fmt::format("offset: {}, expected from 0 to {}", *buffer.offset, largest_value);
    }
    if (*buffer.offset % buffer.alignment != 0) {
      return fmt::format("offset: {}, expected a multiple of the alignment {}", *buffer.offset,
                         buffer.alignment);
    }
  }
  for (const Gap& gap : buffer.gaps) {
    if (auto wrong = gap_defect(buffer, gap)) return wrong;
  }
  auto sorted = buffer.gaps;
  std::sort(sorted.begin(), sorted.end(),
            [](const Gap& a, const Gap& b) { return a.period.lower < b.period.lower; });
  for (std::size_t g = 1; g < sorted.size(); ++g) {
    if (sorted[g].period.lower < sorted[g - 1].period.upper) {
      return fmt::format("gap {}-{}: overlaps gap {}-{}", sorted[g].period.lower,
                         sorted[g].period.upper, sorted[g - 1].period.lower,
                         sorted[g - 1].period.upper);
    }
  }
  return std::nullopt;
}

}  // namespace quern::planner::allocation
