// Register allocation on the structured program: every virtual register gets a physical one, or the
// kernel is refused. Nothing is ever spilled: a spill inside an FREP body is impossible, and
// elsewhere it would cost more than a smaller tile.
//
//   order of choice   FP       ft3-ft7 ft8-ft11 fa0-fa7 (free of the ABI), then fs0-fs11 (saved)
//                     integer  t0-t6, argument registers that the kernel does not use, then s0-s11
//                     (saved)
//
// ft0-ft2 are the streams and never handed out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/snitch/program.h"

namespace quern::generator::snitch {

struct Allocation {
  std::map<Register, Register> physical;                   // by virtual register
  std::vector<Register> saved;                             // callee-saved ones in use
  std::vector<std::pair<std::string, std::string>> roles;  // role -> registers, for the header
};

// Replaces the virtual registers of `program` by physical ones. Throws bad_input that says which
// registers ran out, how many the kernel needs at once and how many there are.
Allocation allocate_registers(Program& program);

// How many FP registers a kernel may hold at once.
int available_float_registers(bool scalar_argument);

}  // namespace quern::generator::snitch
