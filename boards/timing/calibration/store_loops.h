// Target side of `quern calibrate`: stores.
//
//   store-burst-k      k stores to k lines of DRAM, then a long pause: nothing waits until the
//                      store queue is full
//   write-run-m, write-run-m near
//                      m whole lines of L2 are written, one after the other; after a pause the last
//                      of them is read, or a line that L1 has for certain. The times differ where
//                      the line went past L1.
//   write-line L scalar, vector
//                      a buffer of level L is written from end to end: cycles a line
#pragma once

#include "boards/timing/calibration/measuring.h"
#include "boards/timing/calibration/memory_loops.h"

namespace quern::calibration {

inline constexpr int pause = 1024;  // divisions

// Each step has a page of its own, `next`, so that its lines have not been touched for long; the
// last quarter of the buffer is what L2 may still have from before.
template <int Count>
void store_bursts(Measuring& measuring, const Buffer& far, std::size_t& next) {
  if constexpr (Count <= most_stores) {
    const std::size_t line = measuring.options().line;
    const std::size_t pages = far.size() / page_bytes / 4 * 3, places = 256 / line;
    measuring.print("store-burst-" + std::to_string(Count),
                    measuring.cycles_per_iteration(
                        [&](long n) {
                          for (long i = 0; i < n; ++i) {
                            char* p = far.data() + next % pages * page_bytes + 2048 +
                                      next / pages % places * line;
                            ++next;
                            p = delayed<pause>(p);
                            store_lines<0, Count>(p, true);
                          }
                        },
                        8, 24));
    store_bursts<Count + 1>(measuring, far, next);
  }
}

// `read`: offset in the page of what is read after the pause. One function for both, not inlined,
// so that branches are predicted alike.
[[gnu::noinline]] inline double write_run(Measuring& measuring, const Buffer& near, int run,
                                          std::size_t read) {
  const std::size_t line = measuring.options().line;
  const long pages = static_cast<long>(near.size() / page_bytes);
  const auto order = scattered(static_cast<std::size_t>(pages));
  return measuring.cycles_per_pass(
      [&](long n) {
        std::size_t waits = 0;  // stays 0
        for (long i = 0; i < n; ++i) {
          char* page =
              near.data() + order[static_cast<std::size_t>(i % pages)] * page_bytes + waits;
          char* end = page + static_cast<std::size_t>(run) * line;
          for (char* p = page; p < end; p += 8) asm volatile("sd x0, 0(%0)" ::"r"(p) : "memory");
          // Somewhere else, and not the whole line: ends the run.
          asm volatile("sd x0, 8(%0)" ::"r"(page + page_bytes - line) : "memory");
          const char* from = delayed<pause>(page + read);
          // Its use waits here, not behind what the compiler puts between.
          asm volatile("ld %0, 8(%1)\nadd %0, %0, %0" : "=&r"(waits) : "r"(from) : "memory");
        }
      },
      pages);
}

// Cycles a line. Vector stores at LMUL 8 take fewer instructions, where they are fast.
inline double write_lines(Measuring& measuring, char* begin, std::size_t bytes, bool vector) {
  char* const end = begin + bytes;
  const long scale = measuring.modelled() ? 1 : 10;
  const double pass = measuring.cycles_per_iteration(
      [&](long n) {
        for (long i = 0; i < n; ++i) {
          if (vector) {
            std::size_t step;
            asm volatile("vsetvli %0, x0, e8, m8, ta, ma" : "=r"(step));
            for (char* p = begin; p < end; p += step)
              asm volatile("vse8.v v8, (%0)" ::"r"(p) : "memory");
          } else {
            for (char* p = begin; p < end; p += 64)
              asm volatile(
                  "sd x0, 0(%0)\nsd x0, 8(%0)\nsd x0, 16(%0)\nsd x0, 24(%0)\n"
                  "sd x0, 32(%0)\nsd x0, 40(%0)\nsd x0, 48(%0)\nsd x0, 56(%0)" ::"r"(p)
                  : "memory");
          }
        }
      },
      scale, 3 * scale);
  return pass / static_cast<double>(bytes / measuring.options().line);
}

inline void read_lines(const char* begin, std::size_t bytes) {
  for (const char* p = begin; p < begin + bytes; p += 64) asm volatile("ld x0, 0(%0)" ::"r"(p));
}

inline void run_store_loops(Measuring& measuring) {
  {
    const Buffer far(measuring.far_bytes());
    std::size_t next = 0;
    store_bursts<1>(measuring, far, next);
  }
  const Buffer near(measuring.near_bytes());
  for (int run = 1; run <= most_run; ++run) {
    const std::string name = "write-run-" + std::to_string(run);
    const std::size_t line = measuring.options().line;
    measuring.print(name,
                    write_run(measuring, near, run, static_cast<std::size_t>(run - 1) * line));
    measuring.print(name + " near", write_run(measuring, near, run, page_bytes - line));
  }
  // In L1 to begin with, or not: what goes past L1 does not take anything's place there.
  const Buffer other(measuring.near_bytes()), far(measuring.far_bytes());
  for (const bool vector : {false, true}) {
    const std::string how = vector ? " vector" : " scalar";
    const std::size_t held = measuring.options().l1 / 2;
    read_lines(near.data(), held);
    measuring.print("write-line l1" + how, write_lines(measuring, near.data(), held, vector));
    read_lines(other.data(), other.size());
    measuring.print("write-line l2" + how,
                    write_lines(measuring, near.data(), near.size(), vector));
    measuring.print("write-line dram" + how,
                    write_lines(measuring, far.data(), far.size(), vector));
  }
}

}  // namespace quern::calibration
