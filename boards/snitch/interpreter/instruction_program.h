// A program that executes every instruction of the FP subsystem, or every one of the integer core,
// on its own over a table of operands, and prints one checksum an instruction: register, integer
// register, flags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quern::snitch::interpreter {

struct InstructionProgram {
  std::string text;
  std::vector<std::uint32_t> instructions;  // line i of the output belongs to instructions[i]
};

// Every choice of function, format, rounding mode and selecting code of the FP opcodes, legal or
// not, with the registers below.
std::vector<std::uint32_t> float_encodings();

// Those that decode_fp() knows and the lost moves, with f3, f4, f5 as sources and f6 (or x6) as
// destination. `fmode`: which of the alternative small formats are in force.
InstructionProgram float_instructions(unsigned fmode);

// RV32IMA: register and immediate operations, loads and stores, atomics.
InstructionProgram integer_instructions();

}  // namespace quern::snitch::interpreter
