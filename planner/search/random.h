// A small deterministic generator (splitmix64): the same seed gives the same plan on every machine,
// which the distributions of the standard library do not promise.
#pragma once

#include <cmath>
#include <cstdint>

namespace quern::planner {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // Uniform in [0, n); n > 0.
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double p) { return unit() < p; }
  // In [1, n], small values more often: the logarithm is uniform.
  int log_uniform(int n) {
    return n <= 1 ? 1
                  : static_cast<int>(std::exp(unit() * std::log(static_cast<double>(n) + 0.999)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace quern::planner
