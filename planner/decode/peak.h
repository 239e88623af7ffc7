// Residency of an order without capacities: the peak objective.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/decode/problem.h"
#include "planner/model/plan.h"

namespace quern::planner {

struct PeakOutcome {
  std::int64_t violation = 0;  // positions beyond a tier's peak_live_limit, summed
  std::int64_t peak = 0;       // largest residency of the tiers that count
  std::int64_t mass = 0;  // residency above `floor`, summed over the positions: a finer measure
  bool complete = true;   // false: given up since the limit was passed

  bool operator<(const PeakOutcome& other) const {
    if (violation != other.violation) return violation < other.violation;
    if (peak != other.peak) return peak < other.peak;
    return mass < other.mass;
  }
};

class PeakMeter {
 public:
  explicit PeakMeter(const Problem& problem);
  PeakOutcome run(const std::vector<int>& sequence, std::int64_t floor,
                  std::int64_t peak_limit = INT64_MAX);

 private:
  const Problem& problem_;
  std::vector<int> users_, left_;
  std::vector<char> alive_;
  std::vector<int> live_;
};

// The order of all nodes that a sequence of operations stands for, without spills.
Plan order_only_plan(const Problem& problem, const std::vector<int>& sequence);

}  // namespace quern::planner
