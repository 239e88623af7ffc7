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
    const auto start = std::chrono::steady_clock::now();
    const ModelledClock before = read_modelled_clock();
    work();
    const ModelledClock after = read_modelled_clock();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    seconds_.push_back(elapsed.count() / repeat);
    if (!before.valid() || !after.valid()) return;
    cycles_.push_back(static_cast<double>(after.cycles - before.cycles) / repeat);
    instructions_.push_back(static_cast<double>(after.instructions - before.instructions) / repeat);
    unknown_ += after.unknown_instructions - before.unknown_instructions;
  }

  void write(JsonLine& line, const std::string& prefix = "") const {
    line.numbers((prefix + "seconds").c_str(), seconds_);
    if (cycles_.empty()) return;
    line.numbers((prefix + "cycles").c_str(), cycles_);
    line.numbers((prefix + "instructions").c_str(), instructions_);
    line.integer((prefix + "unknown_instructions").c_str(), static_cast<long long>(unknown_));
  }

 private:
  std::vector<double> seconds_, cycles_, instructions_;
  std::uint64_t unknown_ = 0;
};

}  // namespace quern::bench
