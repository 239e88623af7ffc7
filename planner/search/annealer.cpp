#include "planner/search/annealer.h"

#include <cmath>

namespace quern::planner {

std::int64_t anneal(const Problem& problem, const Structure& structure, const Target& target,
                    const Cooling& cooling, std::uint64_t seed, StopSign& stop,
                    Candidate& candidate) {
  Random random(seed);
  Neighbourhood neighbourhood(problem, structure);
  Evaluator evaluator(problem, target);
  const bool peak = target.objective == Objective::peak;
  Candidate current = candidate;
  Candidate trial = current;
  std::int64_t done = 0;
  for (; done < cooling.iterations; ++done) {
    if (done % 16 == 0 && stop.raised()) break;
    const double share = static_cast<double>(done) / static_cast<double>(cooling.iterations);
    const double temperature = cooling.first * std::pow(cooling.last / cooling.first, share);
    const bool placement = !peak && random.chance(0.15);
    if (placement) {
      trial.genes = current.genes;
      neighbourhood.change_placement(trial.genes, random, target.objective == Objective::cycles);
    } else {
      trial.genes.anchors = current.genes.anchors;
      neighbourhood.change_order(trial.genes.anchors, random);
    }
    const double limit = current.price - temperature * std::log(1 - random.unit());
    trial.price = evaluator.price(trial.genes, limit);
    if (trial.price <= limit) {
      trial.genes.anchors = anchors_of(problem, evaluator.sequence());
      current = trial;
      if (current.price < candidate.price) candidate = current;
    } else if (placement) {
      trial.genes = current.genes;
    }
  }
  return done;
}

}  // namespace quern::planner
