// The price of a candidate for one objective, lower is better, with an early way out once a
// candidate can no longer be accepted.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "planner/decode/decoder.h"
#include "planner/decode/peak.h"
#include "planner/model/plan.h"

namespace quern::planner {

struct Target {
  Objective objective = Objective::cycles;
  // For cycles: traffic beyond this is charged, so that speed is not bought with traffic without
  // end.
  std::int64_t traffic_allowance = std::numeric_limits<std::int64_t>::max();
  std::int64_t peak_floor = 0;  // residency that peak candidates are told apart above
};

class Evaluator {
 public:
  Evaluator(const Problem& problem, const Target& target);

  // Infinity if the price would exceed `limit`. `sequence()` then holds the candidate's operations.
  double price(const Genes& genes, double limit);
  const std::vector<int>& sequence() const { return sequence_; }
  // Of the last candidate priced to the end.
  const Outcome& outcome() const { return outcome_; }
  const PeakOutcome& peak() const { return peak_; }

 private:
  const Problem& problem_;
  Target target_;
  Linearizer linearizer_;
  Decoder decoder_;
  PeakMeter meter_;
  std::vector<int> sequence_;
  Outcome outcome_;
  PeakOutcome peak_;
};

}  // namespace quern::planner
