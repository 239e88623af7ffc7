// Target side of `quern calibrate`: runs the loops that micro_benchmarks.cpp has written, and
// memory loops.
//
// A loop function runs n iterations. The difference of a long and a short run is divided by the
// iterations, so that starting and stopping drop out. Prints one JSON line a loop:
//   {"name": "vector-fma m2 occupancy", "cycles": 2.0000, "timing": "modelled"}
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "bench/target/modelled_clock.h"

namespace quern::calibration {

struct Loop {
  const char* name;
  void (*run)(long iterations, void* area);
  double instructions;  // an iteration, over which the cycles are divided
};

struct Options {
  double clock_hz = 1e9;
  std::size_t l1 = 32768, l2 = 524288, line = 64;
};

class Driver {
 public:
  explicit Driver(const Options& options) : options_(options) {}

  bool modelled() const { return clock_.timing() == Timing::modelled; }

  // The best of a few tries; under a model one is enough, as all are equal.
  template <class Body>
  double cycles_per_iteration(Body body, long few, long many) {
    double best = 1e300;
    body(few);
    for (int i = 0; i < (modelled() ? 1 : 9); ++i) {
      const double start = cycles();
      body(few);
      const double middle = cycles();
      body(many);
      const double end = cycles();
      best = std::min(best, ((end - middle) - (middle - start)) / static_cast<double>(many - few));
    }
    return best;
  }

  void run(const Loop& loop) {
    alignas(4096) static unsigned char area[16384];
    const long scale = modelled() ? 1 : 500;
    print(loop.name,
          cycles_per_iteration([&](long n) { loop.run(n, area); }, 32 * scale, 160 * scale) /
              loop.instructions);
  }

  void run_memory() {
    print("load-latency l2", chase<1>(options_.l1 * 4));
    print("load-latency dram", chase<1>(options_.l2 * 4));
    // With 16 chains side by side all miss slots are in use: a step of all takes 16 / slots of the
    // latency, or 16 times the time of a line where that is more.
    print("chase-16 l2", chase<16>(options_.l1 * 4));
    print("chase-16 dram", chase<16>(options_.l2 * 4));
    print("read-line l2", sweep(options_.l2 / 2));
    print("read-line dram", sweep(options_.l2 * 4));
    print("write-line dram", fill(options_.l2 * 4));
  }

 private:
  double cycles() {
    return modelled() ? static_cast<double>(clock_.read().cycles)
                      : clock_.seconds() * options_.clock_hz;
  }
  void print(const char* name, double value) {
    std::printf("{\"name\": \"%s\", \"cycles\": %.4f, \"timing\": \"%s\"}\n", name, value,
                modelled() ? "modelled" : "measured");
    std::fflush(stdout);
  }

  // Cycles a step of `Chains` pointer chains (in registers) through random, separate cycles of
  // lines.
  template <int Chains>
  double chase(std::size_t bytes) {
    const std::size_t lines = bytes / options_.line;
    char* buffer = static_cast<char*>(std::aligned_alloc(4096, bytes));
    std::vector<std::size_t> order(lines);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    void* start[Chains];
    const std::size_t share = lines / Chains;
    for (int c = 0; c < Chains; ++c) {
      const auto at = [&](std::size_t i) {
        return buffer + order[static_cast<std::size_t>(c) * share + i % share] * options_.line;
      };
      for (std::size_t i = 0; i < share; ++i) *reinterpret_cast<void**>(at(i)) = at(i + 1);
      start[c] = at(0);
    }
    const long once = static_cast<long>(share);
    const double result = cycles_per_iteration(
        [&](long n) {
          void* at[Chains];
          for (int c = 0; c < Chains; ++c) at[c] = start[c];
          for (long i = 0; i < n; ++i) {
#pragma clang loop unroll(full)
            for (int c = 0; c < Chains; ++c) asm volatile("ld %0, 0(%0)" : "+r"(at[c])::"memory");
          }
        },
        once, 2 * once);
    std::free(buffer);
    return result;
  }

  double sweep(std::size_t bytes) {
    char* buffer = static_cast<char*>(std::aligned_alloc(4096, bytes));
    std::fill(buffer, buffer + bytes, 1);
    const double pass = cycles_per_iteration(
        [&](long n) {
          for (long i = 0; i < n; ++i)
            for (const char* p = buffer; p < buffer + bytes; p += options_.line)
              asm volatile("ld x0, 0(%0)" ::"r"(p));
        },
        1, 3);
    std::free(buffer);
    return pass / static_cast<double>(bytes / options_.line);
  }

  double fill(std::size_t bytes) {
    char* buffer = static_cast<char*>(std::aligned_alloc(4096, bytes));
    std::fill(buffer, buffer + bytes, 1);
    const double pass = cycles_per_iteration(
        [&](long n) {
          for (long i = 0; i < n; ++i)
            for (char* p = buffer; p < buffer + bytes; p += 64)
              asm volatile(
                  "sd x0, 0(%0)\nsd x0, 8(%0)\nsd x0, 16(%0)\nsd x0, 24(%0)\n"
                  "sd x0, 32(%0)\nsd x0, 40(%0)\nsd x0, 48(%0)\nsd x0, 56(%0)" ::"r"(p)
                  : "memory");
        },
        1, 3);
    std::free(buffer);
    return pass / static_cast<double>(bytes / options_.line);
  }

  Options options_;
  TargetClock clock_;
};

inline int main_of(int argc, char** argv, const Loop* loops, std::size_t count) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    if (key == "--clock-hz") options.clock_hz = std::atof(argv[i + 1]);
    if (key == "--l1") options.l1 = std::strtoull(argv[i + 1], nullptr, 10);
    if (key == "--l2") options.l2 = std::strtoull(argv[i + 1], nullptr, 10);
    if (key == "--line") options.line = std::strtoull(argv[i + 1], nullptr, 10);
  }
  Driver driver(options);
  for (std::size_t i = 0; i < count; ++i) driver.run(loops[i]);
  driver.run_memory();
  return 0;
}

}  // namespace quern::calibration
