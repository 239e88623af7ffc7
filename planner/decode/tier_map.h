// The addresses of one tier as a list of segments in address order. A free segment remembers when
// and by whom it was released: that is what a new owner has to wait for, and choosing the segment
// that has been free longest is what makes double buffering appear without asking for it.
//
//   0        128       256            512
//   | buf 7  | free @80 | free @310   | buf 9 ...
#pragma once

#include <cstdint>
#include <vector>

namespace quern::planner {

struct Segment {
  std::int64_t from = 0, to = 0;
  int buffer = -1;            // -1: free
  std::int64_t released = 0;  // of a free segment: when its last owner was gone
};

class TierMap {
 public:
  void reset(std::int64_t capacity) {
    segments_.clear();
    segments_.push_back({0, capacity, -1, 0});
  }

  const std::vector<Segment>& segments() const { return segments_; }

  // Gives the free range [from, to) to `buffer`.
  void occupy(std::int64_t from, std::int64_t to, int buffer);
  // Frees the range of `buffer`, which starts at `from`.
  void release(std::int64_t from, int buffer, std::int64_t time);

 private:
  std::size_t find(std::int64_t from) const;

  std::vector<Segment> segments_;
};

}  // namespace quern::planner
