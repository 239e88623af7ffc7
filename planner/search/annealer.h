// Simulated annealing of one candidate: change, price, keep if not much worse. The number of
// iterations is fixed beforehand, so the seed determines the result; a stop from outside only cuts
// it short, and the best candidate so far stands.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "planner/search/evaluator.h"
#include "planner/search/moves.h"

namespace quern::planner {

struct Candidate {
  Genes genes;
  double price = std::numeric_limits<double>::infinity();
};

// When a search must end whatever its iterations.
class StopSign {
 public:
  using Clock = std::chrono::steady_clock;
  StopSign(const std::atomic<bool>* interrupted, Clock::time_point deadline)
      : interrupted_(interrupted), deadline_(deadline) {}
  bool raised() {
    if (reason_ != Reason::none) return true;
    if (interrupted_ != nullptr && interrupted_->load(std::memory_order_relaxed)) {
      reason_ = Reason::interrupt;
    } else if (Clock::now() >= deadline_) {
      reason_ = Reason::time;
    }
    return reason_ != Reason::none;
  }
  const char* reason() const {
    return reason_ == Reason::none ? "iterations" : reason_ == Reason::time ? "time" : "interrupt";
  }

 private:
  enum class Reason { none, time, interrupt };
  const std::atomic<bool>* interrupted_;
  Clock::time_point deadline_;
  std::atomic<Reason> reason_ = Reason::none;
};

struct Cooling {
  std::int64_t iterations = 0;
  double first = 0, last = 0;  // temperatures, in units of the price
};

// Improves `candidate` in place; returns the iterations done.
std::int64_t anneal(const Problem& problem, const Structure& structure, const Target& target,
                    const Cooling& cooling, std::uint64_t seed, StopSign& stop,
                    Candidate& candidate);

}  // namespace quern::planner
