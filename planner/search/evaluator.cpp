#include "planner/search/evaluator.h"

#include <algorithm>

namespace quern::planner {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// One unit of traffic beyond the allowance costs as much as this many cycles.
constexpr double cycles_per_unit_beyond = 8;
// Ties: among plans of equal traffic the faster one; small enough never to outweigh one unit.
constexpr double traffic_per_cycle = 1e-8;
constexpr double peak_per_mass = 1e-9;
constexpr double peak_per_violation = 1e9;

std::int64_t as_limit(double limit) {
  return limit >= 9e15 ? std::numeric_limits<std::int64_t>::max() - 1
                       : static_cast<std::int64_t>(limit) + 1;
}

}  // namespace

Evaluator::Evaluator(const Problem& problem, const Target& target)
    : problem_(problem),
      target_(target),
      linearizer_(problem),
      decoder_(problem),
      meter_(problem) {}

double Evaluator::price(const Genes& genes, double limit) {
  linearizer_.run(genes.anchors, sequence_);
  if (target_.objective == Objective::peak) {
    peak_ = meter_.run(sequence_, target_.peak_floor, as_limit(limit));
    if (!peak_.complete) return infinity;
    return static_cast<double>(peak_.peak) + peak_per_mass * static_cast<double>(peak_.mass) +
           peak_per_violation * static_cast<double>(peak_.violation);
  }
  Limits limits;
  if (target_.objective == Objective::traffic) {
    limits.traffic = as_limit(limit);
  } else {
    limits.cycles = as_limit(limit);
  }
  outcome_ = decoder_.run(sequence_, genes, limits);
  if (!outcome_.complete) return infinity;
  const auto traffic = static_cast<double>(outcome_.traffic);
  const auto cycles = static_cast<double>(outcome_.cycles);
  if (target_.objective == Objective::traffic) return traffic + traffic_per_cycle * cycles;
  const double beyond =
      std::max<double>(0, traffic - static_cast<double>(target_.traffic_allowance));
  return cycles + cycles_per_unit_beyond * beyond;
}

}  // namespace quern::planner
