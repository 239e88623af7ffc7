// Target side of `quern calibrate`: how a loop is timed, and what all loops share.
//
// The difference of a long and a short run is divided by the iterations, so that starting and
// stopping drop out; on a real board the best of a few tries counts, as noise only adds. One JSON
// line a loop:
//   {"name": "vector-fma m2 occupancy", "cycles": 2.0000, "timing": "modelled"}
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/target/modelled_clock.h"
#include "boards/timing/calibration/loop_shapes.h"

namespace quern::calibration {

// The board's caches, as its board file has them.
struct Options {
  double clock_hz = 1e9;
  std::size_t l1 = 32768, l2 = 524288, line = 64, l1_sets = 128, l2_sets = 512;
};

class Measuring {
 public:
  explicit Measuring(const Options& options) : options_(options) {}

  bool modelled() const { return clock_.timing() == Timing::modelled; }

  // body(n) runs n iterations; it is run once before.
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

  // A loop that goes through its data once in `once` iterations. A real board's clock wants longer
  // runs.
  template <class Body>
  double cycles_per_pass(Body body, long once) {
    const long passes = std::max(1L, (modelled() ? 512 : 20000) / once);
    return cycles_per_iteration(body, passes * once, 3 * passes * once);
  }

  void print(const std::string& name, double value) {
    std::printf("{\"name\": \"%s\", \"cycles\": %.4f, \"timing\": \"%s\"}\n", name.c_str(), value,
                modelled() ? "modelled" : "measured");
    std::fflush(stdout);
  }

  std::size_t near_bytes() const { return calibration::near_bytes(options_.l1, options_.l2); }
  std::size_t far_bytes() const { return calibration::far_bytes(options_.l2); }
  const Options& options() const { return options_; }

 private:
  double cycles() {
    return modelled() ? static_cast<double>(clock_.read().cycles)
                      : clock_.seconds() * options_.clock_hz;
  }

  Options options_;
  TargetClock clock_;
};

class Buffer {
 public:
  explicit Buffer(std::size_t bytes)
      : data_(static_cast<char*>(std::aligned_alloc(page_bytes, bytes))), bytes_(bytes) {
    if (!data_) {
      std::fprintf(stderr, "no memory for a buffer of %zu bytes\n", bytes);
      std::exit(1);
    }
    std::fill(data_, data_ + bytes, 0);
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  char* data_;
  std::size_t bytes_;
};

// 0 .. count-1 in bit-reversed order: 0 4 2 6 1 5 3 7. No three of them, in this order, are at
// equal distances (the first and the last of such three have the same parity and the middle one
// lies between them, so it has it too, and so on), so no prefetcher that waits for a distance to
// repeat ever sees a stream.
inline std::vector<std::size_t> scattered(std::size_t count) {
  int bits = 0;
  while (std::size_t{1} << bits < count) ++bits;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
    std::size_t reversed = 0;
    for (int b = 0; b < bits; ++b) reversed |= (i >> b & 1) << (bits - 1 - b);
    if (reversed < count) order.push_back(reversed);
  }
  return order;
}

// Waits for `p` and then `Divisions` divisions, and is p again.
template <int Divisions>
inline char* delayed(char* p) {
  asm volatile(".rept %c2\ndivu %0, %0, %1\n.endr" : "+r"(p) : "r"(1L), "i"(Divisions));
  return p;
}

// A chain of pointers through the offsets, again and again. `Divisions` slow each step down, so
// that what a prefetcher asks for has time to arrive. Cycles a step.
template <int Divisions>
double chase(Measuring& measuring, const Buffer& buffer, const std::vector<std::size_t>& offsets) {
  for (std::size_t i = 0; i < offsets.size(); ++i)
    *reinterpret_cast<char**>(buffer.data() + offsets[i]) =
        buffer.data() + offsets[(i + 1) % offsets.size()];
  return measuring.cycles_per_pass(
      [&](long n) {
        char* p = buffer.data() + offsets[0];
        if (Divisions == 0) {
          for (long i = 0; i < n; i += 16)
            asm volatile(".rept 16\nld %0, 0(%0)\n.endr" : "+r"(p)::"memory");
        } else {
          for (long i = 0; i < n; ++i) {
            asm volatile("ld %0, 0(%0)" : "+r"(p)::"memory");
            p = delayed<Divisions>(p);
          }
        }
      },
      static_cast<long>(offsets.size()));
}

// All lines of a buffer, a page after the other (so that a TLB does not show), scattered in each.
inline std::vector<std::size_t> all_lines(std::size_t bytes, std::size_t line) {
  std::vector<std::size_t> offsets;
  for (const std::size_t page : scattered(bytes / page_bytes))
    for (const std::size_t at : scattered(page_bytes / line))
      offsets.push_back(page * page_bytes + at * line);
  return offsets;
}

}  // namespace quern::calibration
