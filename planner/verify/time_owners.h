// Ownership of addresses at every instant in time, whatever the order says: two stays that share an
// address must not overlap.
//
//   addresses  |#### a ####|                 a: from the start of its ALLOC or SPILL_IN
//              |     |#### b ####|           to the end of its FREE or SPILL_OUT
//              +-----^-------------- cycles  the clash
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace quern::planner::verify {

// One stay of a buffer in memory, from the node that acquires the range to the node that releases
// it.
struct Stay {
  int tier = 0;
  std::int64_t from = 0, to = 0;
  int acquire = -1, release = -1;
};

struct Clash {
  std::int64_t time = 0;
  int tier = 0;
  std::int64_t from = 0, to = 0;  // shared addresses
  int first = -1, second = -1;    // acquiring nodes
};

// The first instant at which an address has two owners. At one instant releases come before
// acquisitions. `start` and `finish` are by node.
std::optional<Clash> find_clash(const std::vector<Stay>& stays,
                                const std::vector<std::int64_t>& start,
                                const std::vector<std::int64_t>& finish);

}  // namespace quern::planner::verify
