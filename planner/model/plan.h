// A plan: what a run of the machine needs to know, and what the result files hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quern::planner {

enum class Objective { peak, traffic, cycles };

// An eviction: the nodes SPILL_OUT (id N + 2k) and SPILL_IN (id N + 2k + 1), k being the place in
// Plan::spills and N the number of commands. SPILL_IN may put the buffer elsewhere.
struct Spill {
  int buffer = 0;
  std::int64_t offset = 0;
};

struct Plan {
  std::vector<int> order;  // node ids, every command and spill node once
  std::vector<std::int64_t>
      offsets;  // by buffer, of its ALLOC; empty for an order-only (peak) plan
  std::vector<Spill> spills;

  bool has_memory() const { return !offsets.empty(); }
};

}  // namespace quern::planner
