// Simulated annealing of one candidate: change, price, keep if not much worse. How long it goes on
// is counted in work, not in seconds, so the seed determines the result; a stop from outside only
// cuts it short, and the best candidate so far stands.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>

#include "planner/search/evaluator.h"
#include "planner/search/moves.h"

namespace quern::planner {

struct Candidate {
  Genes genes;
  double rank = std::numeric_limits<double>::infinity();  // Evaluator::rank
};

// What all chains of a search share: when it must end whatever its budget, and how far it is.
class Monitor {
 public:
  using Clock = std::chrono::steady_clock;
  // `progress` (may be empty) is told the share of the work that is done and the candidates tried,
  // a few times a second.
  Monitor(std::function<bool()> interrupted, Clock::time_point deadline,
          std::function<void(double, std::int64_t)> progress)
      : interrupted_(std::move(interrupted)), deadline_(deadline), progress_(std::move(progress)) {}

  bool stopped() {
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
  void expect_work(std::int64_t work) { expected_ = work; }
  void note_work(std::int64_t work, std::int64_t candidates);
  // "budget", "time" or "interrupt": what ended the search.
  const char* reason() const {
    if (reason_ == Reason::interrupt) return "interrupt";
    return reason_ == Reason::time || cut_ ? "time" : "budget";
  }

 private:
  enum class Reason { none, time, interrupt };
  std::function<bool()> interrupted_;
  Clock::time_point deadline_;
  std::function<void(double, std::int64_t)> progress_;
  std::mutex telling_;
  Clock::time_point told_{};
  std::int64_t expected_ = 1;
  std::atomic<std::int64_t> done_ = 0, candidates_ = 0;
  std::atomic<Reason> reason_ = Reason::none;
  std::atomic<bool> cut_ = false;
};

struct Cooling {
  std::int64_t work = 0;       // see Evaluator::work
  double seconds = 0;          // cools down faster when the work would take longer than this
  double first = 0, last = 0;  // temperatures, in units of the price
};

// Improves `candidate` in place; returns the number of candidates tried.
std::int64_t anneal(const Problem& problem, const Structure& structure, const Target& target,
                    const Cooling& cooling, std::uint64_t seed, Monitor& monitor,
                    Candidate& candidate);

}  // namespace quern::planner
