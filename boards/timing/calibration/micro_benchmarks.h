// The micro-benchmarks of `quern calibrate`: loops of one instruction, from which one parameter
// each can be read off.
//
//   occupancy    the instruction on rotating, independent registers: cycles each = the time for
//                which it keeps its unit, over the number of units
//   latency      the instruction on its own result: cycles each = latency to use
//   to_use       an instruction, another one that needs its result, then 64 adds in a chain:
//
//                  vle --latency--> vadd  add add add ...      the next round begins behind the
//                  ld  --latency--> vadd  add add add ...      adds, with all units free
//
//                compared with the second line, `reference`: an instruction of known latency (ld,
//                or fadd for fld) in its place. So neither occupancy nor issue rules nor the order
//                in which results are written matter. For a vector operation the smaller of this
//                and its chain counts: where it keeps its unit for longer than its latency, a chain
//                does not show it.
//   unit_count   c copies of a slow instruction, then a chain of 40 adds, in a loop:
//
//                  copies 1   slow           add add add ...         40 cycles
//                  copies 2   slow slow      add add add ...         40 cycles: there are two units
//                  copies 3   slow slow ---- slow add add add ...    more: there is no third one
//
//                (what fills the adds' own units delays them one copy earlier)
//   issue_width  four instructions for four units: cycles of the four
//   masked       as occupancy, under a mask: its ratio to the unmasked one
//   order        a slow fdiv, perhaps something for another unit, then 64 adds: what waits for the
//                fdiv though it does not need it is written in order behind it
//   taken_branch jumps to the next instruction, with n others between two
//   store_slack  a slow fdiv, a store of its result (or an fadd of it), then 64 adds
//   line_cross   as occupancy, across the end of a line
#pragma once

#include <string>
#include <vector>

#include "boards/timing/instruction_class.h"

namespace quern::timing {

enum class Quantity {
  latency,
  occupancy,
  to_use,
  reference,
  unit_count,
  issue_width,
  masked,
  order,
  taken_branch,
  store_slack,
  line_cross
};

struct MicroBenchmark {
  std::string name;  // unique: "vector-fma m2 occupancy"
  InstructionClass instruction_class;
  Quantity quantity;
  int lmul_log2 = -1;             // 0 .. 3; -1: scalar, no LMUL
  std::string setup;              // assembly; %1 holds the address of 16 KB
  std::vector<std::string> body;  // instructions of one iteration
  int divisor = 1;                // instructions over which the cycles are divided
  int copies = 0;                 // of unit_count
  std::string reference = {};     // of to_use: the loop with another instruction in its place
  std::string known = {};         // .. and the one that shows that instruction's latency
};

// Copies of the slow instruction in the loops of unit_count: 0 to this.
inline constexpr int most_copies = 4;

const std::vector<MicroBenchmark>& micro_benchmarks();

// C++ text of the target program (with calibration_driver.h and bench/target/modelled_clock.h).
std::string calibration_program();

}  // namespace quern::timing
