// Target side of `quern calibrate`: the branch predictor.
//
//   jump-same, jump-other   an indirect jump to one place, and to another one every time: their
//                           difference is the penalty of a wrong prediction
//   branch-period-p         one branch, taken once in p times: as long as the global history tells
//                           the p positions apart nothing is predicted wrongly. Cycles a period.
//   branch-distance-b       a branch that is always taken, 24 times, then another one, 2^b parcels
//                           (of 2 bytes) behind it, that is never taken: wrong when the two share a
//                           counter. The history before them is the same. Cycles a period.
//   branch-same             the same with two branches that are always taken
//
// There is no conditional branch in these loops but those that are meant: a loop goes on by
// indirect jumps, which do not enter the history.
#pragma once

#include <cstdint>
#include <random>

#include "boards/timing/calibration/measuring.h"

// The branches of branch-distance-b, written by calibration_program(): branch_sites[0] is the first
// one, [b] the one 2^b parcels behind it. t1 != 0: taken; t2 == 0: not taken; t5: where to go on.
extern "C" const void* const quern_branch_sites[];
extern "C" const void* const quern_taken_branch_site;

namespace quern::calibration {

// Goes through the places in order, `rounds` times; every place jumps back to t5. Behind the last
// one stands the address of label 9. Cycles a round.
inline double jump_through(Measuring& measuring, const std::vector<const void*>& places,
                           long rounds) {
  std::vector<const void*> table;
  for (long i = 0; i < rounds; ++i) table.insert(table.end(), places.begin(), places.end());
  table.push_back(nullptr);
  const double round = measuring.cycles_per_iteration(
      [&](long n) {
        for (long i = 0; i < n; ++i)
          asm volatile(
              "lla t3, 9f\nsd t3, 0(%1)\nlla t5, 1f\nli t1, 1\nli t2, 0\nmv t4, %0\n"
              "1: ld t3, 0(t4)\naddi t4, t4, 8\njr t3\n9:" ::"r"(table.data()),
              "r"(&table.back())
              : "t1", "t2", "t3", "t4", "t5", "memory");
      },
      measuring.modelled() ? 1 : 200, measuring.modelled() ? 3 : 600);
  return round / static_cast<double>(rounds);
}

inline double taken_once_in(Measuring& measuring, int period) {
  const int rounds = 64;
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(period * rounds));
  for (std::size_t i = 0; i < taken.size(); ++i)
    taken[i] = i % static_cast<std::size_t>(period) == static_cast<std::size_t>(period) - 1;
  return measuring.cycles_per_iteration(
             [&](long n) {
               for (long i = 0; i < n; ++i) {
                 const std::uint8_t* p = taken.data();
                 long left = static_cast<long>(taken.size());
                 // t6: the loop's beginning, or behind it when nothing is left.
                 asm volatile(
                     "lla t5, 1f\nlla t4, 9f\nsub t4, t4, t5\n"
                     "1: lbu t3, 0(%0)\naddi %0, %0, 1\naddi %1, %1, -1\n"
                     "seqz t6, %1\nneg t6, t6\nand t6, t6, t4\nadd t6, t6, t5\n"
                     "bnez t3, 2f\nnop\n2: jr t6\n9:"
                     : "+r"(p), "+r"(left)::"t3", "t4", "t5", "t6", "memory");
               }
             },
             measuring.modelled() ? 1 : 200, measuring.modelled() ? 3 : 600) /
         rounds;
}

inline void run_branch_loops(Measuring& measuring) {
  // Eight places that jump back; the places of the table's order never repeat at once.
  std::vector<const void*> places;
  const char* first;
  asm volatile(
      "lla %0, 3f\nj 4f\n.option push\n.option norvc\n"
      "3: jr t5\njr t5\njr t5\njr t5\njr t5\njr t5\njr t5\njr t5\n.option pop\n4:"
      : "=r"(first));
  std::mt19937 random(1);
  unsigned place = 0;
  for (int i = 0; i < 512; ++i) {
    place = (place + 1 + random() % 6) % 8;
    places.push_back(first + 4 * place);
  }
  measuring.print("jump-other", jump_through(measuring, places, 2) / 512);
  measuring.print("jump-same",
                  jump_through(measuring, std::vector<const void*>(512, first), 2) / 512);
  for (int period = 1; period <= most_period; ++period)
    measuring.print("branch-period-" + std::to_string(period), taken_once_in(measuring, period));
  std::vector<const void*> sites(25, quern_branch_sites[0]);
  for (int distance = first_site; distance <= last_site; ++distance) {
    sites.back() = quern_branch_sites[distance];
    measuring.print("branch-distance-" + std::to_string(distance),
                    jump_through(measuring, sites, 64));
  }
  sites.back() = quern_taken_branch_site;
  measuring.print("branch-same", jump_through(measuring, sites, 64));
}

}  // namespace quern::calibration
