// Scalar rows of the instruction table (RV64GC and the scalar extensions). See instruction_table.h.
#pragma once

#include <cstdint>

#include "boards/timing/instruction_class.h"

namespace quern::timing {

struct ScalarRow {
  const char* name;
  std::uint32_t match;
  std::uint32_t mask;
  InstructionClass instruction_class;
  const char* operands;
};

// One row a format: name "*" stands for the format letter (s, d, h); `match` has funct7 with format
// 0.
struct FloatRow {
  const char* name;
  std::uint32_t match;
  std::uint32_t mask;
  InstructionClass half, single, wide;
  const char* operands;
};

namespace rows {

using enum InstructionClass;

inline constexpr std::uint32_t opcode_mask = 0x0000007f;
inline constexpr std::uint32_t funct3_mask = 0x0000707f;
inline constexpr std::uint32_t funct7_mask = 0xfe00707f;
inline constexpr std::uint32_t funct6_mask = 0xfc00707f;
inline constexpr std::uint32_t funct12_mask = 0xfff0707f;

constexpr std::uint32_t r(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t funct7) {
  return funct7 << 25 | funct3 << 12 | opcode;
}
constexpr std::uint32_t i(std::uint32_t opcode, std::uint32_t funct3, std::uint32_t imm12 = 0) {
  return imm12 << 20 | funct3 << 12 | opcode;
}

// clang-format off
inline constexpr ScalarRow scalar[] = {
    // RV64I
    {"lui", 0x37, opcode_mask, integer, "wxd"},
    {"auipc", 0x17, opcode_mask, integer, "wxd"},
    {"jal", 0x6f, opcode_mask, jump, "wxd"},
    {"jalr", i(0x67, 0), funct3_mask, jump, "wxd rx1"},
    {"beq", i(0x63, 0), funct3_mask, branch, "rx1 rx2"},
    {"bne", i(0x63, 1), funct3_mask, branch, "rx1 rx2"},
    {"blt", i(0x63, 4), funct3_mask, branch, "rx1 rx2"},
    {"bge", i(0x63, 5), funct3_mask, branch, "rx1 rx2"},
    {"bltu", i(0x63, 6), funct3_mask, branch, "rx1 rx2"},
    {"bgeu", i(0x63, 7), funct3_mask, branch, "rx1 rx2"},
    {"lb", i(0x03, 0), funct3_mask, load, "wxd rx1"},
    {"lh", i(0x03, 1), funct3_mask, load, "wxd rx1"},
    {"lw", i(0x03, 2), funct3_mask, load, "wxd rx1"},
    {"ld", i(0x03, 3), funct3_mask, load, "wxd rx1"},
    {"lbu", i(0x03, 4), funct3_mask, load, "wxd rx1"},
    {"lhu", i(0x03, 5), funct3_mask, load, "wxd rx1"},
    {"lwu", i(0x03, 6), funct3_mask, load, "wxd rx1"},
    {"sb", i(0x23, 0), funct3_mask, store, "rx1 rx2"},
    {"sh", i(0x23, 1), funct3_mask, store, "rx1 rx2"},
    {"sw", i(0x23, 2), funct3_mask, store, "rx1 rx2"},
    {"sd", i(0x23, 3), funct3_mask, store, "rx1 rx2"},
    // Zicbop: hints in the encoding of ori x0 (before ori)
    {"prefetch.i", 0x00006013, 0x01f07fff, prefetch, "rx1"},
    {"prefetch.r", 0x00106013, 0x01f07fff, prefetch, "rx1"},
    {"prefetch.w", 0x00306013, 0x01f07fff, prefetch, "rx1"},
    // Zbb, Zbs on immediates (before the shifts, whose masks are disjoint)
    {"clz", i(0x13, 1, 0x600), funct12_mask, integer_slow, "wxd rx1"},
    {"ctz", i(0x13, 1, 0x601), funct12_mask, integer_slow, "wxd rx1"},
    {"cpop", i(0x13, 1, 0x602), funct12_mask, integer_slow, "wxd rx1"},
    {"sext.b", i(0x13, 1, 0x604), funct12_mask, integer, "wxd rx1"},
    {"sext.h", i(0x13, 1, 0x605), funct12_mask, integer, "wxd rx1"},
    {"orc.b", i(0x13, 5, 0x287), funct12_mask, integer, "wxd rx1"},
    {"rev8", i(0x13, 5, 0x6b8), funct12_mask, integer, "wxd rx1"},
    {"bclri", i(0x13, 1, 0x480), funct6_mask, integer, "wxd rx1"},
    {"bexti", i(0x13, 5, 0x480), funct6_mask, integer, "wxd rx1"},
    {"binvi", i(0x13, 1, 0x680), funct6_mask, integer, "wxd rx1"},
    {"bseti", i(0x13, 1, 0x280), funct6_mask, integer, "wxd rx1"},
    {"rori", i(0x13, 5, 0x600), funct6_mask, integer, "wxd rx1"},
    {"addi", i(0x13, 0), funct3_mask, integer, "wxd rx1"},
    {"slti", i(0x13, 2), funct3_mask, integer, "wxd rx1"},
    {"sltiu", i(0x13, 3), funct3_mask, integer, "wxd rx1"},
    {"xori", i(0x13, 4), funct3_mask, integer, "wxd rx1"},
    {"ori", i(0x13, 6), funct3_mask, integer, "wxd rx1"},
    {"andi", i(0x13, 7), funct3_mask, integer, "wxd rx1"},
    {"slli", i(0x13, 1), funct6_mask, integer, "wxd rx1"},
    {"srli", i(0x13, 5), funct6_mask, integer, "wxd rx1"},
    {"srai", i(0x13, 5, 0x400), funct6_mask, integer, "wxd rx1"},
    {"clzw", i(0x1b, 1, 0x600), funct12_mask, integer_slow, "wxd rx1"},
    {"ctzw", i(0x1b, 1, 0x601), funct12_mask, integer_slow, "wxd rx1"},
    {"cpopw", i(0x1b, 1, 0x602), funct12_mask, integer_slow, "wxd rx1"},
    {"slli.uw", i(0x1b, 1, 0x080), funct6_mask, integer_slow, "wxd rx1"},
    {"roriw", r(0x1b, 5, 0x30), funct7_mask, integer, "wxd rx1"},
    {"addiw", i(0x1b, 0), funct3_mask, integer, "wxd rx1"},
    {"slliw", r(0x1b, 1, 0x00), funct7_mask, integer, "wxd rx1"},
    {"srliw", r(0x1b, 5, 0x00), funct7_mask, integer, "wxd rx1"},
    {"sraiw", r(0x1b, 5, 0x20), funct7_mask, integer, "wxd rx1"},
    {"add", r(0x33, 0, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"sub", r(0x33, 0, 0x20), funct7_mask, integer, "wxd rx1 rx2"},
    {"sll", r(0x33, 1, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"slt", r(0x33, 2, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"sltu", r(0x33, 3, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"xor", r(0x33, 4, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"srl", r(0x33, 5, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"sra", r(0x33, 5, 0x20), funct7_mask, integer, "wxd rx1 rx2"},
    {"or", r(0x33, 6, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"and", r(0x33, 7, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"addw", r(0x3b, 0, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"subw", r(0x3b, 0, 0x20), funct7_mask, integer, "wxd rx1 rx2"},
    {"sllw", r(0x3b, 1, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"srlw", r(0x3b, 5, 0x00), funct7_mask, integer, "wxd rx1 rx2"},
    {"sraw", r(0x3b, 5, 0x20), funct7_mask, integer, "wxd rx1 rx2"},
    {"fence.tso", 0x8330000f, 0xffffffff, fence, ""},
    {"fence", i(0x0f, 0), funct3_mask, fence, ""},
    {"fence.i", i(0x0f, 1), funct3_mask, fence, ""},
    {"ecall", 0x00000073, 0xffffffff, system, ""},
    {"ebreak", 0x00100073, 0xffffffff, system, ""},
    {"unimp", 0xc0001073, 0xffffffff, system, ""},
    {"csrrw", i(0x73, 1), funct3_mask, csr, "wxd rx1"},
    {"csrrs", i(0x73, 2), funct3_mask, csr, "wxd rx1"},
    {"csrrc", i(0x73, 3), funct3_mask, csr, "wxd rx1"},
    {"csrrwi", i(0x73, 5), funct3_mask, csr, "wxd"},
    {"csrrsi", i(0x73, 6), funct3_mask, csr, "wxd"},
    {"csrrci", i(0x73, 7), funct3_mask, csr, "wxd"},
    // M
    {"mul", r(0x33, 0, 0x01), funct7_mask, multiply, "wxd rx1 rx2"},
    {"mulh", r(0x33, 1, 0x01), funct7_mask, multiply_high, "wxd rx1 rx2"},
    {"mulhsu", r(0x33, 2, 0x01), funct7_mask, multiply_high, "wxd rx1 rx2"},
    {"mulhu", r(0x33, 3, 0x01), funct7_mask, multiply_high, "wxd rx1 rx2"},
    {"div", r(0x33, 4, 0x01), funct7_mask, divide, "wxd rx1 rx2"},
    {"divu", r(0x33, 5, 0x01), funct7_mask, divide, "wxd rx1 rx2"},
    {"rem", r(0x33, 6, 0x01), funct7_mask, divide, "wxd rx1 rx2"},
    {"remu", r(0x33, 7, 0x01), funct7_mask, divide, "wxd rx1 rx2"},
    {"mulw", r(0x3b, 0, 0x01), funct7_mask, multiply_word, "wxd rx1 rx2"},
    {"divw", r(0x3b, 4, 0x01), funct7_mask, divide_word, "wxd rx1 rx2"},
    {"divuw", r(0x3b, 5, 0x01), funct7_mask, divide_word, "wxd rx1 rx2"},
    {"remw", r(0x3b, 6, 0x01), funct7_mask, divide_word, "wxd rx1 rx2"},
    {"remuw", r(0x3b, 7, 0x01), funct7_mask, divide_word, "wxd rx1 rx2"},
    // Zba, Zbb, Zbc, Zbs, Zicond
    {"sh1add", r(0x33, 2, 0x10), funct7_mask, integer_slow, "wxd rx1 rx2"},
    {"sh2add", r(0x33, 4, 0x10), funct7_mask, integer_slow, "wxd rx1 rx2"},
    {"sh3add", r(0x33, 6, 0x10), funct7_mask, integer_slow, "wxd rx1 rx2"},
    {"sh1add.uw", r(0x3b, 2, 0x10), funct7_mask, integer_slow, "wxd rx1 rx2"},
    {"sh2add.uw", r(0x3b, 4, 0x10), funct7_mask, integer_slow, "wxd rx1 rx2"},
    {"sh3add.uw", r(0x3b, 6, 0x10), funct7_mask, integer_slow, "wxd rx1 rx2"},
    {"zext.h", r(0x3b, 4, 0x04), 0xfff0707f, integer, "wxd rx1"},
    {"add.uw", r(0x3b, 0, 0x04), funct7_mask, integer_slow, "wxd rx1 rx2"},
    {"andn", r(0x33, 7, 0x20), funct7_mask, integer, "wxd rx1 rx2"},
    {"orn", r(0x33, 6, 0x20), funct7_mask, integer, "wxd rx1 rx2"},
    {"xnor", r(0x33, 4, 0x20), funct7_mask, integer, "wxd rx1 rx2"},
    {"min", r(0x33, 4, 0x05), funct7_mask, integer, "wxd rx1 rx2"},
    {"minu", r(0x33, 5, 0x05), funct7_mask, integer, "wxd rx1 rx2"},
    {"max", r(0x33, 6, 0x05), funct7_mask, integer, "wxd rx1 rx2"},
    {"maxu", r(0x33, 7, 0x05), funct7_mask, integer, "wxd rx1 rx2"},
    {"rol", r(0x33, 1, 0x30), funct7_mask, integer, "wxd rx1 rx2"},
    {"ror", r(0x33, 5, 0x30), funct7_mask, integer, "wxd rx1 rx2"},
    {"rolw", r(0x3b, 1, 0x30), funct7_mask, integer, "wxd rx1 rx2"},
    {"rorw", r(0x3b, 5, 0x30), funct7_mask, integer, "wxd rx1 rx2"},
    {"clmul", r(0x33, 1, 0x05), funct7_mask, multiply, "wxd rx1 rx2"},
    {"clmulr", r(0x33, 2, 0x05), funct7_mask, multiply, "wxd rx1 rx2"},
    {"clmulh", r(0x33, 3, 0x05), funct7_mask, multiply, "wxd rx1 rx2"},
    {"bclr", r(0x33, 1, 0x24), funct7_mask, integer, "wxd rx1 rx2"},
    {"bext", r(0x33, 5, 0x24), funct7_mask, integer, "wxd rx1 rx2"},
    {"binv", r(0x33, 1, 0x34), funct7_mask, integer, "wxd rx1 rx2"},
    {"bset", r(0x33, 1, 0x14), funct7_mask, integer, "wxd rx1 rx2"},
    {"czero.eqz", r(0x33, 5, 0x07), funct7_mask, integer, "wxd rx1 rx2"},
    {"czero.nez", r(0x33, 7, 0x07), funct7_mask, integer, "wxd rx1 rx2"},
    // Zicbom, Zicboz
    {"cbo.inval", 0x0000200f, 0xfff07fff, cache_block, "rx1"},
    {"cbo.clean", 0x0010200f, 0xfff07fff, cache_block, "rx1"},
    {"cbo.flush", 0x0020200f, 0xfff07fff, cache_block, "rx1"},
    {"cbo.zero", 0x0040200f, 0xfff07fff, cache_block, "rx1"},
    // F, D, Zfh: loads, stores, moves and conversions between formats
    {"flh", i(0x07, 1), funct3_mask, fp_load, "wfd rx1"},
    {"flw", i(0x07, 2), funct3_mask, fp_load, "wfd rx1"},
    {"fld", i(0x07, 3), funct3_mask, fp_load, "wfd rx1"},
    {"fsh", i(0x27, 1), funct3_mask, fp_store, "rx1 rf2"},
    {"fsw", i(0x27, 2), funct3_mask, fp_store, "rx1 rf2"},
    {"fsd", i(0x27, 3), funct3_mask, fp_store, "rx1 rf2"},
    {"fmv.x.w", r(0x53, 0, 0x70), funct12_mask, fp_move_to_integer, "wxd rf1"},
    {"fmv.x.d", r(0x53, 0, 0x71), funct12_mask, fp_move_to_integer, "wxd rf1"},
    {"fmv.x.h", r(0x53, 0, 0x72), funct12_mask, fp_move_to_integer, "wxd rf1"},
    {"fmv.w.x", r(0x53, 0, 0x78), funct12_mask, fp_move_from_integer, "wfd rx1"},
    {"fmv.d.x", r(0x53, 0, 0x79), funct12_mask, fp_move_from_integer, "wfd rx1"},
    {"fmv.h.x", r(0x53, 0, 0x7a), funct12_mask, fp_move_from_integer, "wfd rx1"},
    {"fcvt.s.d", 0x40100053, 0xfff0007f, fp_convert, "wfd rf1"},
    {"fcvt.d.s", 0x42000053, 0xfff0007f, fp_convert, "wfd rf1"},
    {"fcvt.s.h", 0x40200053, 0xfff0007f, fp_convert, "wfd rf1"},
    {"fcvt.h.s", 0x44000053, 0xfff0007f, fp_convert, "wfd rf1"},
    {"fcvt.d.h", 0x42200053, 0xfff0007f, fp_convert, "wfd rf1"},
    {"fcvt.h.d", 0x44100053, 0xfff0007f, fp_convert, "wfd rf1"},
    {"fcvt.s.bf16", 0x40600053, 0xfff0007f, fp_convert, "wfd rf1"},
    {"fcvt.bf16.s", 0x44800053, 0xfff0007f, fp_convert, "wfd rf1"},
    // V: configuration
    {"vsetvli", 0x00007057, 0x8000707f, vector_configure, "wxd rx1"},
    {"vsetivli", 0xc0007057, 0xc000707f, vector_configure, "wxd"},
    {"vsetvl", 0x80007057, 0xfe00707f, vector_configure, "wxd rx1 rx2"},
};

// Arithmetic of the three formats. The format is in bits 26:25 (0 single, 1 double, 2 half).
inline constexpr std::uint32_t rounding_mask = 0xfe00007f;      // funct7, opcode; rm is free
inline constexpr std::uint32_t unary_mask = 0xfff0007f;         // and rs2
inline constexpr std::uint32_t fused_mask = 0x0600007f;         // format, opcode
inline constexpr FloatRow floating[] = {
    {"fmadd.*", 0x43, fused_mask, fp_fma_single, fp_fma_single, fp_fma_double, "wfd rf1 rf2 rf3"},
    {"fmsub.*", 0x47, fused_mask, fp_fma_single, fp_fma_single, fp_fma_double, "wfd rf1 rf2 rf3"},
    {"fnmsub.*", 0x4b, fused_mask, fp_fma_single, fp_fma_single, fp_fma_double, "wfd rf1 rf2 rf3"},
    {"fnmadd.*", 0x4f, fused_mask, fp_fma_single, fp_fma_single, fp_fma_double, "wfd rf1 rf2 rf3"},
    {"fadd.*", r(0x53, 0, 0x00), rounding_mask, fp_add_single, fp_add_single, fp_add_double, "wfd rf1 rf2"},
    {"fsub.*", r(0x53, 0, 0x04), rounding_mask, fp_add_single, fp_add_single, fp_add_double, "wfd rf1 rf2"},
    {"fmul.*", r(0x53, 0, 0x08), rounding_mask, fp_multiply_single, fp_multiply_single, fp_multiply_double, "wfd rf1 rf2"},
    {"fdiv.*", r(0x53, 0, 0x0c), rounding_mask, fp_divide_half, fp_divide_single, fp_divide_double, "wfd rf1 rf2"},
    {"fsqrt.*", r(0x53, 0, 0x2c), unary_mask, fp_sqrt_half, fp_sqrt_single, fp_sqrt_double, "wfd rf1"},
    {"fsgnj.*", r(0x53, 0, 0x10), funct7_mask, fp_select, fp_select, fp_select, "wfd rf1 rf2"},
    {"fsgnjn.*", r(0x53, 1, 0x10), funct7_mask, fp_select, fp_select, fp_select, "wfd rf1 rf2"},
    {"fsgnjx.*", r(0x53, 2, 0x10), funct7_mask, fp_select, fp_select, fp_select, "wfd rf1 rf2"},
    {"fmin.*", r(0x53, 0, 0x14), funct7_mask, fp_select, fp_select, fp_select, "wfd rf1 rf2"},
    {"fmax.*", r(0x53, 1, 0x14), funct7_mask, fp_select, fp_select, fp_select, "wfd rf1 rf2"},
    {"fle.*", r(0x53, 0, 0x50), funct7_mask, fp_compare, fp_compare, fp_compare, "wxd rf1 rf2"},
    {"flt.*", r(0x53, 1, 0x50), funct7_mask, fp_compare, fp_compare, fp_compare, "wxd rf1 rf2"},
    {"feq.*", r(0x53, 2, 0x50), funct7_mask, fp_compare, fp_compare, fp_compare, "wxd rf1 rf2"},
    {"fclass.*", r(0x53, 1, 0x70), funct12_mask, fp_compare, fp_compare, fp_compare, "wxd rf1"},
    {"fcvt.w.*", 0xc0000053, unary_mask, fp_to_integer, fp_to_integer, fp_to_integer, "wxd rf1"},
    {"fcvt.wu.*", 0xc0100053, unary_mask, fp_to_integer, fp_to_integer, fp_to_integer, "wxd rf1"},
    {"fcvt.l.*", 0xc0200053, unary_mask, fp_to_integer, fp_to_integer, fp_to_integer, "wxd rf1"},
    {"fcvt.lu.*", 0xc0300053, unary_mask, fp_to_integer, fp_to_integer, fp_to_integer, "wxd rf1"},
    {"fcvt.*.w", 0xd0000053, unary_mask, integer_to_fp, integer_to_fp, integer_to_fp, "wfd rx1"},
    {"fcvt.*.wu", 0xd0100053, unary_mask, integer_to_fp, integer_to_fp, integer_to_fp, "wfd rx1"},
    {"fcvt.*.l", 0xd0200053, unary_mask, integer_to_fp, integer_to_fp, integer_to_fp, "wfd rx1"},
    {"fcvt.*.lu", 0xd0300053, unary_mask, integer_to_fp, integer_to_fp, integer_to_fp, "wfd rx1"},
};

// A: name, funct5. Each comes as .w and .d and with the suffixes .aq .rl .aqrl.
struct AtomicRow {
  const char* name;
  std::uint32_t funct5;
  InstructionClass instruction_class;
};
inline constexpr AtomicRow atomics[] = {
    {"lr", 0x02, load_reserved}, {"sc", 0x03, store_conditional}, {"amoswap", 0x01, atomic},
    {"amoadd", 0x00, atomic},    {"amoxor", 0x04, atomic},        {"amoand", 0x0c, atomic},
    {"amoor", 0x08, atomic},     {"amomin", 0x10, atomic},        {"amomax", 0x14, atomic},
    {"amominu", 0x18, atomic},   {"amomaxu", 0x1c, atomic},
};

// C: 16 bits. Special encodings stand before the general ones.
inline constexpr ScalarRow compressed[] = {
    {"c.unimp", 0x0000, 0xffff, system, ""},
    {"c.addi4spn", 0x0000, 0xe003, integer, "wxq rxs"},
    {"c.fld", 0x2000, 0xe003, fp_load, "wfq rxp"},
    {"c.lw", 0x4000, 0xe003, load, "wxq rxp"},
    {"c.ld", 0x6000, 0xe003, load, "wxq rxp"},
    {"c.fsd", 0xa000, 0xe003, fp_store, "rxp rfq"},
    {"c.sw", 0xc000, 0xe003, store, "rxp rxq"},
    {"c.sd", 0xe000, 0xe003, store, "rxp rxq"},
    {"c.nop", 0x0001, 0xef83, integer, ""},
    {"c.addi", 0x0001, 0xe003, integer, "uxd"},
    {"c.addiw", 0x2001, 0xe003, integer, "uxd"},
    {"c.li", 0x4001, 0xe003, integer, "wxd"},
    {"c.addi16sp", 0x6101, 0xef83, integer, "uxs"},
    {"c.lui", 0x6001, 0xe003, integer, "wxd"},
    {"c.srli", 0x8001, 0xec03, integer, "uxp"},
    {"c.srai", 0x8401, 0xec03, integer, "uxp"},
    {"c.andi", 0x8801, 0xec03, integer, "uxp"},
    {"c.sub", 0x8c01, 0xfc63, integer, "uxp rxq"},
    {"c.xor", 0x8c21, 0xfc63, integer, "uxp rxq"},
    {"c.or", 0x8c41, 0xfc63, integer, "uxp rxq"},
    {"c.and", 0x8c61, 0xfc63, integer, "uxp rxq"},
    {"c.subw", 0x9c01, 0xfc63, integer, "uxp rxq"},
    {"c.addw", 0x9c21, 0xfc63, integer, "uxp rxq"},
    {"c.j", 0xa001, 0xe003, jump, ""},
    {"c.beqz", 0xc001, 0xe003, branch, "rxp"},
    {"c.bnez", 0xe001, 0xe003, branch, "rxp"},
    {"c.slli", 0x0002, 0xe003, integer, "uxd"},
    {"c.fldsp", 0x2002, 0xe003, fp_load, "wfd rxs"},
    {"c.lwsp", 0x4002, 0xe003, load, "wxd rxs"},
    {"c.ldsp", 0x6002, 0xe003, load, "wxd rxs"},
    {"c.jr", 0x8002, 0xf07f, jump, "rxd"},
    {"c.mv", 0x8002, 0xf003, integer, "wxd rxr"},
    {"c.ebreak", 0x9002, 0xffff, system, ""},
    {"c.jalr", 0x9002, 0xf07f, jump, "wxa rxd"},
    {"c.add", 0x9002, 0xf003, integer, "uxd rxr"},
    {"c.fsdsp", 0xa002, 0xe003, fp_store, "rxs rfr"},
    {"c.swsp", 0xc002, 0xe003, store, "rxs rxr"},
    {"c.sdsp", 0xe002, 0xe003, store, "rxs rxr"},
};
// clang-format on

}  // namespace rows
}  // namespace quern::timing
