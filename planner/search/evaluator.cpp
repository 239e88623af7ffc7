#include "planner/search/evaluator.h"

#include <algorithm>

namespace quern::planner {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// One unit of traffic beyond the allowance costs as much as this many cycles.
constexpr double cycles_per_unit_beyond = 8;
// Ties: among plans of equal traffic the one with fewer evictions; never outweighs one unit.
constexpr double traffic_per_spill = 1e-6;
// A peak candidate is also charged for its average residency above the floor: what drags a long
// plateau down step by step, where the peak alone would not move until the last position has.
constexpr double peak_per_average_mass = 0.5;
constexpr double peak_per_mass_in_rank = 1e-9;
constexpr double peak_per_violation = 1e9;
// Putting an operation into a sequence takes about this share of the time that planning it takes.
constexpr int sequenced_per_planned = 4;

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

double Evaluator::price_of_outcome() const {
  if (target_.objective == Objective::peak) {
    const double average =
        static_cast<double>(peak_.mass) / static_cast<double>(problem_.operations());
    return static_cast<double>(peak_.peak) + peak_per_average_mass * average +
           peak_per_violation * static_cast<double>(peak_.violation);
  }
  const auto traffic = static_cast<double>(outcome_.traffic);
  if (target_.objective == Objective::traffic) {
    return traffic + traffic_per_spill * static_cast<double>(outcome_.spills);
  }
  const double beyond =
      std::max<double>(0, traffic - static_cast<double>(target_.traffic_allowance));
  return static_cast<double>(outcome_.cycles) + cycles_per_unit_beyond * beyond;
}

void Evaluator::linearize(const Genes& genes) {
  linearizer_.run(genes.anchors, sequence_);
  work_ += 1 + problem_.operations() / sequenced_per_planned;
}

int Evaluator::sore_place(Random& random) const {
  const std::vector<int>& sore =
      target_.objective == Objective::peak ? meter_.sore_positions() : decoder_.sore_positions();
  return sore.empty() ? -1 : place_[sore[random.below(static_cast<int>(sore.size()))]];
}

double Evaluator::rank() const {
  if (target_.objective != Objective::peak) return price_of_outcome();
  return static_cast<double>(peak_.peak) + peak_per_mass_in_rank * static_cast<double>(peak_.mass) +
         peak_per_violation * static_cast<double>(peak_.violation);
}

double Evaluator::set_base(const Genes& genes, bool steady) {
  linearize(genes);
  place_.clear();
  int place = 0;
  for (int operation : sequence_) {
    place_.push_back(place);
    if (!problem_.lazy[operation] && !problem_.eager[operation]) ++place;
  }
  if (target_.objective == Objective::peak) {
    peak_ = meter_.set_base(sequence_, target_.peak_floor);
  } else {
    outcome_ = decoder_.set_base(sequence_, genes, steady);
  }
  return price_of_outcome();
}

double Evaluator::price(const Genes& genes, double limit, bool steady) {
  linearize(genes);
  if (target_.objective == Objective::peak) {
    peak_ = meter_.run_trial(sequence_, as_limit(limit));
    return peak_.complete ? price_of_outcome() : infinity;
  }
  Limits limits;
  if (target_.objective == Objective::traffic) {
    limits.traffic = as_limit(limit);
  } else {
    limits.cycles = as_limit(limit);
  }
  outcome_ = decoder_.run_trial(sequence_, genes, steady, limits);
  return outcome_.complete ? price_of_outcome() : infinity;
}

}  // namespace quern::planner
