// How many of each family of memory and branch loops there are: what the program on the board
// (driver side) prints and the fit (host side) expects. Plain constants, for both sides.
//
//   "gather-3 dram": three lines side by side from DRAM; the families and what each is for stand
//   in memory_loops.h, prefetch_loops.h, store_loops.h and branch_loops.h
#pragma once

#include <algorithm>
#include <cstddef>

namespace quern::calibration {

inline constexpr int most_gather = 16;  // lines side by side: gather-1 .. gather-16
inline constexpr int dirty_gathers[] = {1, 2, 4};
inline constexpr int fewest_pages = 16, most_pages = 2048;  // tlb-16, tlb-32, ... tlb-2048
inline constexpr int most_stride = 48;                      // prefetch-stride-1 ..
inline constexpr int most_streams = 24;                     // prefetch-streams-1 ..
inline constexpr int trained_lines = 33;  // a stream's length before the line it is asked for
inline constexpr int most_ahead = 31;     // prefetch-ahead-1 .. : 33 + 31 lines are a page
inline constexpr int most_stores = 16;    // store-burst-1 ..
inline constexpr int most_run = 16;       // write-run-1 ..
inline constexpr int most_period = 23;    // branch-period-1 ..
inline constexpr int first_site = 5, last_site = 15;  // branch-distance-5 ..: 2^5 .. 2^15 parcels

// The loops are written for these two.
inline constexpr std::size_t page_bytes = 4096, line_bytes = 64;

// A buffer that L2 holds and L1 does not, and one that L2 does not hold.
constexpr std::size_t near_bytes(std::size_t l1, std::size_t l2) {
  return std::min(4 * l1, l2 / 2) / page_bytes * page_bytes;
}
constexpr std::size_t far_bytes(std::size_t l2) { return 4 * l2; }

}  // namespace quern::calibration
