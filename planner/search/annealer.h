// Simulated annealing of one candidate: change, price, keep if not much worse. The number of
// iterations is fixed beforehand, so the seed determines the result; a stop from outside only cuts
// it short, and the best candidate so far stands.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "planner/search/evaluator.h"
#include "planner/search/moves.h"

namespace quern::planner {

struct Candidate {
  Genes genes;
  double rank = std::numeric_limits<double>::infinity();  // Evaluator::rank
};

// When a search must end whatever its iterations.
class StopSign {
 public:
  using Clock = std::chrono::steady_clock;
  StopSign(std::function<bool()> interrupted, Clock::time_point deadline)
      : interrupted_(std::move(interrupted)), deadline_(deadline) {}
  bool raised() {
    if (reason_ != Reason::none) return true;
    if (interrupted_ && interrupted_()) {
      reason_ = Reason::interrupt;
    } else if (Clock::now() >= deadline_) {
      reason_ = Reason::time;
    }
    return reason_ != Reason::none;
  }
  // A chain ran out of its share of the time.
  void note_time() {
    if (reason_ == Reason::none) cut_ = true;
  }
  const char* reason() const {
    if (reason_ == Reason::none && cut_) return "time";
    return reason_ == Reason::none ? "iterations" : reason_ == Reason::time ? "time" : "interrupt";
  }

 private:
  enum class Reason { none, time, interrupt };
  std::function<bool()> interrupted_;
  Clock::time_point deadline_;
  std::atomic<Reason> reason_ = Reason::none;
  std::atomic<bool> cut_ = false;
};

struct Cooling {
  std::int64_t iterations = 0;
  double seconds = 0;          // cools down faster when the iterations would take longer than this
  double first = 0, last = 0;  // temperatures, in units of the price
};

// Improves `candidate` in place; returns the iterations done.
std::int64_t anneal(const Problem& problem, const Structure& structure, const Target& target,
                    const Cooling& cooling, std::uint64_t seed, StopSign& stop,
                    Candidate& candidate);

}  // namespace quern::planner
