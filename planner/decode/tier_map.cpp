#include "planner/decode/tier_map.h"

#include <algorithm>

#include "base/error.h"

namespace quern::planner {

std::size_t TierMap::find(std::int64_t from) const {
  const auto at = std::upper_bound(segments_.begin(), segments_.end(), from,
                                   [](std::int64_t x, const Segment& s) { return x < s.from; });
  return static_cast<std::size_t>(at - segments_.begin()) - 1;
}

void TierMap::occupy(std::int64_t from, std::int64_t to, int buffer) {
  std::size_t first = find(from), last = first;
  while (segments_[last].to < to) ++last;
  const Segment head = segments_[first], tail = segments_[last];
  const bool keep_head = head.from < from, keep_tail = to < tail.to;
  // [first, last] becomes: rest of head, the buffer, rest of tail.
  const std::size_t old_count = last - first + 1;
  const std::size_t new_count = 1 + (keep_head ? 1 : 0) + (keep_tail ? 1 : 0);
  const auto at = segments_.begin() + static_cast<std::ptrdiff_t>(first);
  if (new_count > old_count) {
    segments_.insert(at, new_count - old_count, Segment{});
  } else if (new_count < old_count) {
    segments_.erase(at, at + static_cast<std::ptrdiff_t>(old_count - new_count));
  }
  std::size_t i = first;
  if (keep_head) segments_[i++] = {head.from, from, -1, head.released};
  segments_[i++] = {from, to, buffer, 0};
  if (keep_tail) segments_[i] = {to, tail.to, -1, tail.released};
}

void TierMap::release(std::int64_t from, int buffer, std::int64_t time) {
  const std::size_t i = find(from);
  QUERN_CHECK(segments_[i].from == from && segments_[i].buffer == buffer);
  segments_[i].buffer = -1;
  segments_[i].released = time;
  // Neighbours that became free at the same time are one range.
  const auto mergeable = [&](std::size_t a, std::size_t b) {
    return segments_[a].buffer < 0 && segments_[b].buffer < 0 &&
           segments_[a].released == segments_[b].released;
  };
  const auto merge_with_next = [&](std::size_t a) {
    segments_[a].to = segments_[a + 1].to;
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(a) + 1);
  };
  if (i + 1 < segments_.size() && mergeable(i, i + 1)) merge_with_next(i);
  if (i > 0 && mergeable(i - 1, i)) merge_with_next(i - 1);
}

}  // namespace quern::planner
