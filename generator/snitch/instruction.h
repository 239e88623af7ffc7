// The instructions that generated Snitch code uses, as a table: mnemonic, operand form, how plain
// binutils is made to assemble it (.insn for what it does not know), and the FPU pipeline.
#pragma once

#include <cstdint>
#include <string_view>

namespace quern::generator::snitch {

enum class Opcode : std::uint8_t {
  // integer
  li,
  mv,
  addi,
  add,
  sub,
  mul,
  slli,
  lw,
  sw,
  lhu,
  sh,
  fence,
  fpu_fence,
  // streams and hardware loop (frep.o itself is a structure, see program.h)
  scfgwi,
  ssr_on,
  ssr_off,
  drain,
  // floating point, scalar
  fld,
  fsd,
  flw,
  fsw,
  flh,
  fsh,
  fadd_d,
  fmul_d,
  fmadd_d,
  fmax_d,
  fmv_d,
  fadd_s,
  fmul_s,
  fmadd_s,
  fmax_s,
  fmv_s,
  fadd_h,
  fmul_h,
  fmax_h,
  fcvt_d_w,
  fmv_w_x,
  fmv_h_x,
  fcvt_s_h,
  fcvt_h_s,
  // packed
  vfadd_s,
  vfmul_s,
  vfmac_s,
  vfmax_s,
  vfmul_r_s,
  vfmac_r_s,
  vfadd_r_s,
  vfmax_r_s,
  vfadd_h,
  vfmul_h,
  vfmax_h,
  vfmax_r_h,
  vfcvt_s_h,
  vfcpka_s_s,
  vfcpka_h_s,
  vfcpkb_h_s,
  vfsum_s,
  vfsumex_s_h,
  vfdotpex_s_h,
};

// How the operands are written.
enum class Form : std::uint8_t {
  immediate,     // rd, imm
  unary,         // rd, rs1
  binary,        // rd, rs1, rs2
  ternary,       // rd, rs1, rs2, rs3
  binary_imm,    // rd, rs1, imm
  load,          // rd, imm(rs1)
  store,         // rs2, imm(rs1)
  accumulate,    // rd, rs1, rs2 where rd is read too
  accumulate_1,  // rd, rs1 where rd is read too
  config,        // rs1, imm
  plain,         // nothing
  wait,          // rd: a scratch register; two instructions
};

// Result pipeline: instructions of different latencies can finish out of order, so that all writes
// to one stream must come from one pipeline.
enum class Pipeline : std::uint8_t {
  integer,
  add_multiply,
  non_computational,
  conversion,
  dot_product,
  load_store
};

struct OpcodeInfo {
  std::string_view mnemonic;
  Form form;
  Pipeline pipeline;
  std::string_view insn;  // ".insn" text before the registers; empty: binutils knows the mnemonic
  std::string_view tail;  // fixed last operand of the .insn form
};

const OpcodeInfo& info(Opcode opcode);
// Issued to the FP subsystem, hence allowed in an frep.o body.
bool is_floating(Opcode opcode);
bool reads_rd(Opcode opcode);
bool writes_integer(Opcode opcode);

}  // namespace quern::generator::snitch
