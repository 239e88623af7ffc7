// Samples of a piece of work: modelled cycles where a timing model counts them, wall clock always.
#pragma once

#include <chrono>
#include <vector>

#include "bench/target/json_line.h"
#include "bench/target/modelled_clock.h"

namespace quern::bench {

class Samples {
 public:
  // Runs `work` once and records it as `repeat` equal pieces.
  template <class Work>
  void take(int repeat, Work&& work) {
    TargetClock clock;
    const auto start = std::chrono::steady_clock::now();
    const ModelledClockRequest before = clock.read();
    work();
    const ModelledClockRequest after = clock.read();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds_.push_back(elapsed.count() / repeat);
    if (clock.timing() != Timing::modelled) return;
    cycles_.push_back(static_cast<double>(after.cycles - before.cycles) / repeat);
    instructions_.push_back(static_cast<double>(after.instructions - before.instructions) / repeat);
    unknown_ += after.unknown_instructions - before.unknown_instructions;
  }

  void write(JsonLine& line) const {
    line.numbers("seconds", seconds_);
    if (cycles_.empty()) return;
    line.numbers("cycles", cycles_);
    line.numbers("instructions", instructions_);
    line.integer("unknown_instructions", static_cast<long long>(unknown_));
  }

 private:
  std::vector<double> seconds_, cycles_, instructions_;
  std::uint64_t unknown_ = 0;
};

}  // namespace quern::bench
