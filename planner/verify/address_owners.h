// Who owns which addresses of one tier: a map of the half-open ranges that partition [0, capacity).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace quern::planner::verify {

class AddressOwners {
 public:
  static constexpr int nobody = -1;

  explicit AddressOwners(std::int64_t capacity) : end_(capacity) { ranges_[0] = {}; }

  // The resident buffer of any address of [from, to), or `nobody` if all are free.
  int resident_in(std::int64_t from, std::int64_t to) const {
    for (auto at = first(from); at != ranges_.end() && at->first < to; ++at) {
      if (at->second.resident != nobody) return at->second.resident;
    }
    return nobody;
  }

  // Makes `buffer` the resident of [from, to) and appends to `releases` the nodes that last
  // released an address of it.
  void acquire(std::int64_t from, std::int64_t to, int buffer, std::vector<int>& releases) {
    split(from);
    split(to);
    for (auto at = ranges_.find(from); at != ranges_.end() && at->first < to;) {
      if (at->second.released_by != nobody) releases.push_back(at->second.released_by);
      at = at->first == from ? std::next(at) : ranges_.erase(at);
    }
    if (from < to) ranges_[from] = {buffer, nobody};
  }

  void release(std::int64_t from, std::int64_t to, int node) {
    if (from < to) ranges_[from] = {nobody, node};
  }

 private:
  struct Range {
    int resident = nobody;
    int released_by = nobody;
  };

  std::map<std::int64_t, Range>::const_iterator first(std::int64_t from) const {
    return std::prev(ranges_.upper_bound(from));
  }
  void split(std::int64_t at) {
    if (at >= end_) return;
    const auto range = std::prev(ranges_.upper_bound(at));
    if (range->first != at) ranges_.emplace(at, range->second);
  }

  std::int64_t end_;
  std::map<std::int64_t, Range> ranges_;  // by first address
};

}  // namespace quern::planner::verify
