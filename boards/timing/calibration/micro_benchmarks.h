// The micro-benchmarks of `quern calibrate`: loops of one instruction, from which one parameter
// each can be read off.
//
//   occupancy   the instruction on rotating, independent registers: cycles each = time it keeps its
//   unit latency     the instruction on its own result: cycles each = latency to use      a load
//   and the vfmacc that needs it: cycles a pair = latency of the load, where that is more
//               than its occupancy
#pragma once

#include <string>
#include <vector>

#include "boards/timing/instruction_class.h"

namespace quern::timing {

enum class Quantity { latency, occupancy };

struct MicroBenchmark {
  std::string name;  // unique: "vector-fma m2 occupancy"
  InstructionClass instruction_class;
  Quantity quantity;
  int lmul_log2 = -1;             // 0 .. 3; -1: scalar, no LMUL
  std::string setup;              // assembly; %1 holds the address of 16 KB
  std::vector<std::string> body;  // instructions of one iteration
  int divisor = 1;                // instructions over which the cycles are divided
};

const std::vector<MicroBenchmark>& micro_benchmarks();

// C++ text of the target program (with calibration_driver.h and bench/target/modelled_clock.h).
std::string calibration_program();

}  // namespace quern::timing
