// Static prediction: cycles of a kernel's inner loop from its object code, without running it.
//
//   kernel.o --ELF, decoder--> function --> innermost loop with the most multiply-accumulates
//        --> the pipeline model on that loop, all accesses hits in L1, until it repeats
//        --> cycles an iteration, and beside them the bounds that explain them:
//              issue        instructions / issue width
//              resource     the busiest unit's occupancy
//              recurrence   the longest dependence from one iteration to the next
//
// What it cannot see: caches, branches inside the loop (their fall-through path is taken), and a
// vtype that is set from a register.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json_file.h"
#include "boards/timing/elf_file.h"
#include "boards/timing/parameters.h"
#include "boards/timing/stall.h"

namespace quern::timing {

struct Spills {  // stack accesses inside the loop
  int vector_loads = 0;
  int vector_stores = 0;
  int scalar_loads = 0;
  int scalar_stores = 0;
  int total() const { return vector_loads + vector_stores + scalar_loads + scalar_stores; }
};

struct Prediction {
  std::string function;
  bool has_loop = false;          // false: no loop with a vector multiply-accumulate
  std::uint64_t loop_offset = 0;  // of the loop in the function, bytes
  int instructions = 0;           // an iteration
  int vector_fmas = 0;
  int vector_configures = 0;
  int vector_loads = 0;
  int scalar_loads = 0;
  Spills spills;
  double cycles = 0;  // an iteration
  double issue_bound = 0;
  double resource_bound = 0;
  std::string busiest_unit;
  double recurrence_bound = 0;
  std::string recurrence;  // "vfmacc.vf v8 -> vfmacc.vf v8": the chain, in program order
  std::string bound_by;    // "issue", "unit vector-fp", "recurrence", or "stalls on <cause>"
  std::array<double, stall_count> stalls{};  // cycles an iteration, by cause
  std::vector<std::string> unknown;          // instructions whose cost is not known
};

// The innermost loop of `function` that has the most vector multiply-accumulates.
Prediction predict(const Parameters& parameters, const ElfFile& file, const ElfFunction& function);
// A loop given as instructions; `entry` is the vtype before the first of them.
Prediction predict_loop(const Parameters& parameters, std::span<const Instruction> loop,
                        VectorType entry);

// Steps of k in one iteration, for a kernel that does `fmas_per_k` multiply-accumulates a step; 0
// if the loop's count is no multiple of it.
int k_per_iteration(const Prediction& prediction, int fmas_per_k);

}  // namespace quern::timing
