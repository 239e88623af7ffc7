// Target side of `quern calibrate`: L2, DRAM, miss slots and TLB.
//
//   load-latency L   a chain of pointers through a buffer of level L: its latency
//   gather-k L       k lines side by side, then a step further that needs the last of them:
//
//                      line 1 |---- latency ----|
//                      line 2    |---- latency ----|          each after the other by the time
//                      line 3       |---- latency ----|       of a line
//                      line 4                   |---- latency ----|    no miss slot was left
//
//   dirty-k dram     the same, and every line is written, so that one goes back for each that comes
//   tlb-n            a chain with one line in each of n pages; L1 does not hold them (they share
//                    too few sets), L2 does
#pragma once

#include "boards/timing/calibration/measuring.h"

namespace quern::calibration {

// Lines of a gather lie in one page, sixteen places of 256 bytes in scattered order, as immediate
// offsets from the middle of the page.
constexpr int gather_offset(int i) {
  return ((i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3) * 256 - 2048;
}

template <int I, int Count>
inline void load_lines(const char* p) {
  if constexpr (I < Count) {
    asm volatile("ld x0, %c1(%0)" ::"r"(p), "i"(gather_offset(I)));
    load_lines<I + 1, Count>(p);
  }
}

template <int I, int Count>
inline void store_lines(char* p, bool) {
  if constexpr (I < Count) {
    asm volatile("sd x0, %c1(%0)" ::"r"(p), "i"(gather_offset(I) + 8) : "memory");
    store_lines<I + 1, Count>(p, true);
  }
}

// Where the steps of gathers stand: the middle of each page, and the lines behind it.
inline std::vector<std::size_t> gather_steps(std::size_t bytes, std::size_t line) {
  std::vector<std::size_t> steps;
  for (const std::size_t page : scattered(bytes / page_bytes))
    for (const std::size_t at : scattered(256 / line))
      steps.push_back(page * page_bytes + 2048 + at * line);
  return steps;
}

template <int Count, bool Dirty>
double gather(Measuring& measuring, const Buffer& buffer) {
  const auto steps = gather_steps(buffer.size(), measuring.options().line);
  constexpr int last = gather_offset(Count - 1);
  for (std::size_t i = 0; i < steps.size(); ++i)
    *reinterpret_cast<char**>(buffer.data() + steps[i] + last) =
        buffer.data() + steps[(i + 1) % steps.size()];
  return measuring.cycles_per_pass(
      [&](long n) {
        char* p = buffer.data() + steps[0];
        for (long i = 0; i < n; ++i) {
          load_lines<0, Count - 1>(p);
          char* next;
          asm volatile("ld %0, %c2(%1)" : "=&r"(next) : "r"(p), "i"(last) : "memory");
          if (Dirty) store_lines<0, Count>(p, true);
          p = next;
        }
      },
      static_cast<long>(steps.size()));
}

template <int Count>
void gathers(Measuring& measuring, const Buffer& buffer, const std::string& level) {
  if constexpr (Count <= most_gather) {
    measuring.print("gather-" + std::to_string(Count) + " " + level,
                    gather<Count, false>(measuring, buffer));
    gathers<Count + 1>(measuring, buffer, level);
  }
}

inline void run_memory_loops(Measuring& measuring) {
  const Options& options = measuring.options();
  {
    const Buffer near(measuring.near_bytes());
    measuring.print("load-latency l2",
                    chase<0>(measuring, near, all_lines(near.size(), options.line)));
    gathers<1>(measuring, near, "l2");
  }
  {
    const Buffer far(measuring.far_bytes());
    measuring.print("load-latency dram",
                    chase<0>(measuring, far, all_lines(far.size(), options.line)));
    gathers<1>(measuring, far, "dram");
    measuring.print("dirty-1 dram", gather<1, true>(measuring, far));
    measuring.print("dirty-2 dram", gather<2, true>(measuring, far));
    measuring.print("dirty-4 dram", gather<4, true>(measuring, far));
  }
  const Buffer pages(most_pages * page_bytes);
  // Twice as many lines in each set of L1 as it can have ways; spread over the sets of L2.
  const std::size_t held = options.l1 / page_bytes,
                    way = std::max<std::size_t>(1, options.l2_sets * options.line / page_bytes);
  for (std::size_t count = fewest_pages; count <= most_pages; count *= 2) {
    const std::size_t places = std::clamp<std::size_t>(count / (2 * std::max<std::size_t>(1, held)),
                                                       1, page_bytes / options.line);
    std::vector<std::size_t> offsets;
    for (const std::size_t page : scattered(count))
      offsets.push_back(page * page_bytes + page / way % places * options.line);
    measuring.print("tlb-" + std::to_string(count), chase<0>(measuring, pages, offsets));
  }
}

}  // namespace quern::calibration
