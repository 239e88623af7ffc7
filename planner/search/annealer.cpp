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
  Genes current = candidate.genes;
  double current_price = evaluator.set_base(current);
  candidate.rank = evaluator.rank();
  Genes trial = current;
  std::int64_t done = 0, accepted = 0;
  const auto begin = StopSign::Clock::now();
  double time_share = 0;
  for (; done < cooling.iterations && candidate.rank > 0; ++done) {
    if (done % 16 == 0) {
      if (stop.raised()) break;
      const std::chrono::duration<double> spent = StopSign::Clock::now() - begin;
      time_share = spent.count() / cooling.seconds;
      if (time_share >= 1) {
        stop.note_time();
        break;
      }
    }
    // Time counts only once it runs short of the iterations, so that it cannot change a full run.
    double share = static_cast<double>(done) / static_cast<double>(cooling.iterations);
    if (time_share > share + 0.1) {
      share = time_share - 0.1;
      stop.note_time();
    }
    const double temperature = cooling.first * std::pow(cooling.last / cooling.first, share);
    const bool placement = !peak && random.chance(0.15);
    if (placement) {
      trial = current;
      neighbourhood.change_placement(trial, random, target.objective == Objective::cycles);
    } else {
      trial.anchors = current.anchors;
      const int at = random.chance(0.4) ? evaluator.sore_place(random) : -1;
      neighbourhood.change_order(trial.anchors, random, at);
    }
    const double limit = current_price - temperature * std::log(1 - random.unit());
    if (evaluator.price(trial, limit, !placement) <= limit) {
      trial.anchors = anchors_of(problem, evaluator.sequence());
      // A base keeps the evictions before the change, although some were chosen for how far away
      // uses were that the change has moved. Plans are judged whole before they count, and every
      // now and then anyway.
      const bool whole = placement || ++accepted % 256 == 0;
      current_price = evaluator.set_base(trial, !whole);
      if (placement)
        current = trial;
      else
        current.anchors = trial.anchors;
      if (evaluator.rank() < candidate.rank) {
        if (!peak && !whole) current_price = evaluator.set_base(trial);
        if (evaluator.rank() < candidate.rank) candidate = {current, evaluator.rank()};
      }
    } else if (placement) {
      trial = current;
    }
  }
  return done;
}

}  // namespace quern::planner
