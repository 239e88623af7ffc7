// The micro-benchmarks of `quern calibrate`: loops of one instruction, from which one parameter
// each can be read off.
//
//   occupancy    the instruction on rotating, independent registers: cycles each = the time for
//                which it keeps its unit, over the number of units
//   latency      the instruction on its own result: cycles each = latency to use
//                a load and the vfmacc that needs it: cycles a pair = latency of the load, where
//                that is more than its occupancy
//   unit_count   c copies of a slow instruction, then a chain of 40 adds, in a loop:
//
//                  copies 1   slow           add add add ...         40 cycles
//                  copies 2   slow slow      add add add ...         40 cycles: there are two units
//                  copies 3   slow slow ---- slow add add add ...    more: there is no third one
//
//                (what fills the adds' own units delays them one copy earlier)
//   issue_width  four instructions for four units: cycles of the four
//   masked       as occupancy, under a mask: its ratio to the unmasked one
#pragma once

#include <string>
#include <vector>

#include "boards/timing/instruction_class.h"

namespace quern::timing {

enum class Quantity { latency, occupancy, unit_count, issue_width, masked };

struct MicroBenchmark {
  std::string name;  // unique: "vector-fma m2 occupancy"
  InstructionClass instruction_class;
  Quantity quantity;
  int lmul_log2 = -1;             // 0 .. 3; -1: scalar, no LMUL
  std::string setup;              // assembly; %1 holds the address of 16 KB
  std::vector<std::string> body;  // instructions of one iteration
  int divisor = 1;                // instructions over which the cycles are divided
  int copies = 0;                 // of unit_count
};

// Copies of the slow instruction in the loops of unit_count: 0 to this.
inline constexpr int most_copies = 4;

const std::vector<MicroBenchmark>& micro_benchmarks();

// C++ text of the target program (with calibration_driver.h and bench/target/modelled_clock.h).
std::string calibration_program();

}  // namespace quern::timing
