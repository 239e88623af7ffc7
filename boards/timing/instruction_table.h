// The instruction table: one row an instruction, with its fixed bits, its class and what it does to
// registers. The decoder is nothing but a look-up in this table.
//
//   name          match       mask        class             operands
//   "vfmacc.vf"   0xb0005057  0xfc00707f  vector-fma        "uvd rf1 rv2 m"
//
// An operand is written  access file field [:shape]
//   access  r read, w written, u read and written
//   file    x integer, f floating point, v vector
//   field   d rd (bits 11:7)   1 rs1 (19:15)   2 rs2 (24:20)   3 rs3 (31:27)   0 register 0
//           p bits 9:7 + 8     q bits 4:2 + 8  r bits 6:2      s register 2 (sp)   a register 1
//           (ra) (p, q, r, s, a: compressed instructions)
//   shape   of a vector operand, in registers:  (none) LMUL   2 twice LMUL   h q e a half, quarter,
//   eighth
//           1 one register   i the index's EEW   m the memory EEW, times the number of fields
//           16 EEW 16   n as many as the instruction says (whole-register moves, loads and stores)
// and "m" alone means: masked by v0 when bit 25 is 0.
//
// Sources: The RISC-V Instruction Set Manual (unprivileged, 20240411: RV64GC, Zba, Zbb, Zbc, Zbs,
// Zfh, Zicond, Zicbom, Zicbop, Zicboz, "V" 1.0, Zvfh, Zfbfmin, Zvfbfmin, Zvfbfwma).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boards/timing/instruction_class.h"

namespace quern::timing {

enum class RegisterFile : std::uint8_t { integer, floating, vector };
enum class Access : std::uint8_t { read, write, update };
enum class Shape : std::uint8_t {
  scalar,
  group,
  twice,
  half,
  quarter,
  eighth,
  one,
  index,
  memory,
  eew16,
  whole
};

struct OperandForm {
  RegisterFile file;
  char field;  // one of d 1 2 3 0 p q r s a
  Access access;
  Shape shape;
};

struct InstructionForm {
  std::string name;  // as in the manual; what `llvm-objdump -M no-aliases` prints
  std::uint32_t match;
  std::uint32_t mask;
  InstructionClass instruction_class;
  bool maskable;  // has a vm bit
  std::vector<OperandForm> operands;
};

// All rows. A more special row stands before a more general one that also matches.
const std::vector<InstructionForm>& instruction_table();

}  // namespace quern::timing
