#include "planner/allocation/first_fit.h"

#include <algorithm>

namespace quern::planner::allocation {

FirstFit first_fit(const Model& model, const std::vector<std::int64_t>& latest,
                   const std::vector<int>& order) {
  FirstFit result;
  auto& offsets = result.offsets;
  offsets.assign(model.buffers(), -1);
  struct Range {
    std::int64_t lower, upper;  // offsets strictly between are taken
  };
  std::vector<Range> taken;
  auto put = [&](int b) {
    taken.clear();
    for (const Conflict& k : model.conflicts[b]) {
      const std::int64_t other = offsets[k.buffer];
      if (other >= 0) taken.push_back({other - k.above, other + k.below});
    }
    std::sort(taken.begin(), taken.end(),
              [](const Range& x, const Range& y) { return x.lower < y.lower; });
    const bool fixed = model.fixed[b] >= 0;
    std::int64_t offset = fixed ? model.fixed[b] : 0;
    for (const Range& range : taken) {
      if (range.lower >= offset) break;
      if (range.upper > offset) offset = model.aligned(b, range.upper);
    }
    if (offset > latest[b] || (fixed && offset != model.fixed[b])) {
      result.left_over.push_back(b);
    } else {
      offsets[b] = offset;
    }
  };
  for (const int b : order) {
    if (model.fixed[b] >= 0) put(b);
  }
  for (const int b : order) {
    if (model.fixed[b] < 0) put(b);
  }
  return result;
}

}  // namespace quern::planner::allocation
