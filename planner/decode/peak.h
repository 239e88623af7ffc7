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

// Like Decoder, the meter keeps a base: where an order equals the base's before and behind the
// changed part, only that part is walked.
class PeakMeter {
 public:
  explicit PeakMeter(const Problem& problem);
  PeakOutcome set_base(const std::vector<int>& sequence, std::int64_t floor);
  // Positions of the base where the residency is at its peak.
  const std::vector<int>& sore_positions() const { return sore_; }
  PeakOutcome run_trial(const std::vector<int>& sequence, std::int64_t peak_limit);
  // Operations walked so far by all runs: what a search counts as work.
  std::int64_t work() const { return work_; }

 private:
  struct Snapshot {
    std::vector<int> left, live;
    std::int64_t held = 0;
  };
  // Residency while the operation runs, and positions beyond limits it adds; then frees what is
  // done.
  std::int64_t step(int operation, std::int64_t& violation);

  const Problem& problem_;
  std::vector<int> users_, left_, live_;
  std::int64_t held_ = 0, floor_ = 0, work_ = 0;
  std::vector<int> base_sequence_, sore_;
  std::vector<PeakOutcome> before_, behind_;  // of the base: positions below p, positions from p on
  std::vector<Snapshot> snapshots_;
};

// The order of all nodes that a sequence of operations stands for, without spills.
Plan order_only_plan(const Problem& problem, const std::vector<int>& sequence);

}  // namespace quern::planner
