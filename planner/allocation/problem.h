// The static allocation problem: buffers whose lifetimes are known give each an address, so that no
// two share an address at the same time and everything fits in a memory of a given capacity.
//
//   address
//   12 |  +----b1----+-------b2--------+                 A buffer is a rectangle: its lifespan is
//   given,
//      |  +----------+-----------------+--------b4----+  its height (size) is given, and only its
//      offset,
//    8 |  |             b3             |              |  the lower edge, is to be found.
//      |  +----------------------------+--------------+
//    4 |  |                     b5                    |
//    0 +--+----------+-----------------+--------------+--> time
//         0          3                 9              21
//
// Times and addresses are integers without unit. Intervals are half open: [start, end) and
// [offset, offset + size).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quern::planner::allocation {

struct Interval {
  std::int64_t lower = 0;
  std::int64_t upper = 0;  // not part of it
  bool operator==(const Interval&) const = default;
};

// A period inside the lifespan in which the buffer needs less than all of its memory.
struct Gap {
  Interval period;
  // What stays occupied meanwhile, counted from the buffer's offset; nothing if absent.
  std::optional<Interval> window = {};
  bool operator==(const Gap&) const = default;
};

struct Buffer {
  std::string id;
  Interval lifespan;
  std::int64_t size = 0;
  std::int64_t alignment = 1;               // the offset is a multiple of it
  std::optional<std::int64_t> offset = {};  // the address is prescribed
  std::optional<std::int64_t> hint = {};  // the address is suggested: tried first, not a constraint
  std::vector<Gap> gaps = {};             // any order, disjoint
  bool operator==(const Buffer&) const = default;
};

struct Problem {
  std::vector<Buffer> buffers;
};

// Offsets in the order of Problem::buffers.
struct Solution {
  std::vector<std::int64_t> offsets;
};

// The largest time, size, offset or sum of sizes that is accepted; sums of a few of them stay in 64
// bits.
inline constexpr std::int64_t largest_value = std::int64_t{1} << 60;

// The capacity that a solution needs: the highest end of a buffer.
std::int64_t height(const Problem& problem, const Solution& solution);

// What is wrong with one buffer by itself ("size: 0, expected a positive integer"); nothing if it
// is fit.
std::optional<std::string> defect(const Buffer& buffer);

}  // namespace quern::planner::allocation
