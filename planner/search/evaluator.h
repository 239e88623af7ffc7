// The price of a candidate for one objective, lower is better, with an early way out once a
// candidate can no longer be accepted.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "planner/decode/decoder.h"
#include "planner/decode/peak.h"
#include "planner/model/plan.h"
#include "planner/search/random.h"

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

  // Makes a candidate the base that others are compared with.
  double set_base(const Genes& genes, bool steady = false);
  // Infinity if the price would exceed `limit`, or seems to. `steady`: the genes are the base's but
  // for the order. `sequence()` then holds the candidate's operations.
  double price(const Genes& genes, double limit, bool steady);
  const std::vector<int>& sequence() const { return sequence_; }
  // A place in the base's anchors where something is lost (see sore_positions), or -1.
  int sore_place(Random& random) const;
  // What counts in the end for the latest candidate priced to the end. It differs from the price,
  // which is smoothed where the objective itself would leave a search on a plateau (peak).
  double rank() const;
  // Of the latest candidate priced to the end.
  const Outcome& outcome() const { return outcome_; }
  const PeakOutcome& peak() const { return peak_; }
  // Work done so far, in operations planned. It depends on the candidates alone, so a budget of
  // work ends a search at the same point on every machine.
  std::int64_t work() const { return work_ + decoder_.work() + meter_.work(); }

 private:
  double price_of_outcome() const;
  void linearize(const Genes& genes);

  const Problem& problem_;
  Target target_;
  Linearizer linearizer_;
  Decoder decoder_;
  PeakMeter meter_;
  std::vector<int> sequence_;
  std::vector<int> place_;  // by position of the base's sequence: anchors before it
  Outcome outcome_;
  PeakOutcome peak_;
  std::int64_t work_ = 0;  // of making sequences
};

}  // namespace quern::planner
