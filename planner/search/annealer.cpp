#include "planner/search/annealer.h"

#include <cmath>

namespace quern::planner {

namespace {

// How far the work may lag behind the time before a chain hurries.
constexpr double slack = 0.2;

}  // namespace

void Monitor::note_work(std::int64_t work, std::int64_t candidates) {
  done_ += work;
  candidates_ += candidates;
  if (!progress_) return;
  const std::unique_lock lock(telling_, std::try_to_lock);
  const auto now = Clock::now();
  if (!lock || now - told_ < std::chrono::milliseconds(200)) return;
  told_ = now;
  progress_(std::min(1.0, static_cast<double>(done_) / static_cast<double>(expected_)),
            candidates_);
}

std::int64_t anneal(const Problem& problem, const Structure& structure, const Target& target,
                    const Cooling& cooling, std::uint64_t seed, Monitor& monitor,
                    Candidate& candidate) {
  Random random(seed);
  Neighbourhood neighbourhood(problem, structure);
  Evaluator evaluator(problem, target);
  const bool peak = target.objective == Objective::peak;
  Genes current = candidate.genes;
  double current_price = evaluator.set_base(current);
  candidate.rank = evaluator.rank();
  Genes trial = current;
  std::int64_t tried = 0, accepted = 0, told = 0;
  const auto begin = Monitor::Clock::now();
  double time_share = 0;
  for (; evaluator.work() < cooling.work && candidate.rank > 0; ++tried) {
    if (tried % 16 == 0) {
      if (monitor.stopped()) break;
      monitor.note_work(evaluator.work() - told, tried > 0 ? 16 : 0);
      told = evaluator.work();
      const std::chrono::duration<double> spent = Monitor::Clock::now() - begin;
      time_share = spent.count() / cooling.seconds;
      if (time_share >= 1) {
        monitor.note_time();
        break;
      }
    }
    // Time counts only once it runs short of the work, so that it cannot change a full run.
    double share = static_cast<double>(evaluator.work()) / static_cast<double>(cooling.work);
    if (time_share > share + slack) {
      share = time_share - slack;
      monitor.note_time();
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
  return tried;
}

}  // namespace quern::planner
