// The floating-point instructions of the Snitch core (F, D, small floats, packed SIMD, widening):
// what one instruction reads and writes, and its value. The one definition that the RTL (through
// DPI) and the interpreter share.
//
//   31     25 24 20 19 15 14 12 11 7 6  0
//   | funct7 | rs2 | rs1 | rm  | rd | op |   op 0x53 scalar, 0x43/47/4b/4f fused, 0x33 with bit 31
//   packed
//
// Loads and stores (op 0x07, 0x27) are not here: they have no arithmetic.
#pragma once

#include <cstdint>
#include <optional>

#include "boards/snitch/fpu/format.h"

namespace quern::snitch {

// Which pipeline of the FPU executes it; its latency class.
enum class FpGroup : std::uint8_t { add_multiply, non_computational, conversion, dot_product };

// What one instruction is, apart from values.
struct FpInstruction {
  std::uint32_t bits = 0;
  FpGroup group = FpGroup::add_multiply;
  bool reads_rs1 = false;  // FP register rs1
  bool reads_rs2 = false;
  bool reads_rs3 = false;
  bool reads_rd = false;     // the old value of FP register rd (accumulators, partial writes)
  bool integer_rs1 = false;  // rs1 is an integer register
  bool integer_rd = false;   // the result goes to an integer register
};

// Everything that an FP instruction's value depends on.
struct FpOperands {
  std::uint64_t rs1 = 0, rs2 = 0, rs3 = 0,
                rd = 0;     // FP registers; rs1 the integer where integer_rs1
  std::uint8_t frm = 0;     // CSR frm, for the dynamic rounding mode and packed instructions
  bool source_alt = false;  // CSR fmode bit 1: h and b sources are bf16 and f8alt
  bool result_alt = false;  // CSR fmode bit 0: likewise the destination
};

struct FpResult {
  std::uint64_t value = 0;  // the whole 64-bit register; for integer_rd the low 32 bits count
  std::uint8_t flags = 0;   // FpFlag bits
};

// nullopt: not an FP arithmetic instruction of this machine (also: fdiv, fsqrt, fmulex, fmacex,
// which the default configuration does not have, and rounding modes that do not exist).
std::optional<FpInstruction> decode_fp(std::uint32_t bits);

// The packed moves and conversions between an FP and an integer register (vfmv.x.h, vfmv.h.x,
// vfcvt.x.h, vfcvt.h.x, their unsigned forms, the same for b) and vfclass.b. The original core has
// 64-bit FP registers, which no integer register could hold, and then neither offloads these nor
// refuses them: they go through the ALU of the integer core without operands and leave zero in the
// *integer* register that bits 11:7 name, one cycle, no flags. `vfcvt.h.x fa1, ft3` clears a1.
bool is_lost_move(std::uint32_t bits);

FpResult execute_fp(const FpInstruction& instruction, const FpOperands& operands);

}  // namespace quern::snitch
