#include "boards/snitch/interpreter/instruction_program.h"

#include <fmt/format.h>

#include "boards/snitch/fpu/instruction.h"

namespace quern::snitch::interpreter {
namespace {

constexpr unsigned rd = 6, rs1 = 3, rs2 = 4, rs3 = 5;

// Four words for f3 (and x3), f4 (and x4), f5, f6 a row. Special values of every format; as
// integers they are as good as any.
constexpr std::uint64_t operands[][4] = {
    {0x3ff0000000000000, 0x4000000000000000, 0xbff8000000000000, 0x3fe5555555555555},
    {0xffffffff3f800000, 0xffffffff40490fdb, 0xffffffffbf000000, 0xffffffff7f7fffff},
    {0xffffffffffff3c01, 0xffffffffffffc200, 0xffffffffffff7bff, 0xffffffffffff0001},
    {0x3c00bc0042005640, 0x7bff000180013555, 0x0400fc007c007e00, 0x68017bff47008000},
    {0x7ff0000000000000, 0x8000000000000000, 0x7ff8000000000001, 0x0000000000000001},
    {0x0102030405060708, 0x3c3cbcbc7c7cfcfc, 0x7b0104843e3ebf01, 0x80007f01fe7d4546},
    {0xc1dfffffffc00000, 0x41e0000000000000, 0x41dfffffffe00000, 0xc1e0000000200000},
    {0x7f800000ff800000, 0x4f0000004effffff, 0x7fc000003effffff, 0x00800000807fffff},
    {0x0000000080000000, 0x00000000ffffffff, 0xfedcba9876543210, 0x000000000000001f},
    {0x41efffffffe00000, 0x3fdfffffffffffff, 0x7fefffffffffffff, 0x8010000000000000},
};

void prologue(std::string& text, unsigned fmode) {
  text =
      "#include \"snitch.h\"\n.text\n.globl main\nmain:\n"
      "  mv s0, ra\n"
      "  li s3, 0x10001000\n";
  text += fmt::format("  li t0, {}\n  csrw 0x800, t0\n", fmode);
}

// Runs `word` over the table; `frm` is the dynamic rounding mode.
void one(std::string& text, std::uint32_t word, unsigned frm) {
  text += fmt::format(
      "  csrwi frm, {}\n  la s1, operands\n  li s2, {}\n  li s4, 0\n"
      "1:\n  call load_operands\n  .word {:#010x}\n  call accumulate\n"
      "  addi s2, s2, -1\n  bnez s2, 1b\n  call print_checksum\n",
      frm, std::size(operands), word);
}

void epilogue(std::string& text) {
  text += R"(
  li a0, 0
  jr s0
load_operands:
  fld f3, 0(s1)
  fld f4, 8(s1)
  fld f5, 16(s1)
  fld f6, 24(s1)
  lw x3, 0(s1)
  lw x4, 8(s1)
  li x6, 0x12345678
  lw t0, 16(s1)
  sw t0, 0(s3)
  lw t0, 20(s1)
  sw t0, 4(s3)
  csrw fflags, x0
  ret
// f6, the word at s3, x6 and the flags into s4. Reading f6 and x6 waits for the result.
accumulate:
  fmv.x.w t0, f6
  mv t0, t0
  mv t2, x6
  csrr t3, fflags
  fsd f6, 8(s3)
  lw t4, 8(s3)
  lw t5, 12(s3)
  lw t6, 0(s3)
  lw a7, 4(s3)
  .irp r,t2,t3,t4,t5,t6,a7
  slli t0, s4, 5
  sub s4, t0, s4
  add s4, s4, \r
  .endr
  addi s1, s1, 32
  ret
print_checksum:
  mv s5, ra
  mv a0, s4
  call print_u32
  li a0, '\n'
  call print_char
  jr s5
.align 3
operands:
)";
  for (const auto& row : operands) {
    for (const std::uint64_t word : row) text += fmt::format("  .dword {:#x}\n", word);
  }
}

}  // namespace

std::vector<std::uint32_t> float_encodings() {
  std::vector<std::uint32_t> words;
  for (std::uint32_t funct3 = 0; funct3 < 8; ++funct3) {
    const std::uint32_t fixed = funct3 << 12 | rs1 << 15 | rd << 7;
    for (std::uint32_t opcode : {0x43u, 0x47u, 0x4bu, 0x4fu}) {
      for (std::uint32_t format = 0; format < 4; ++format)
        words.push_back(rs3 << 27 | format << 25 | rs2 << 20 | fixed | opcode);
    }
    for (std::uint32_t function = 0; function < 128; ++function) {
      // Where bits 24:20 may select an operation, all codes; elsewhere one register.
      const std::uint32_t scalar = function >> 2;
      const bool scalar_selects = scalar == 0b01000 || scalar >= 0b11000;
      const bool packed_selects =
          function == 0b1001100 || function == 0b1000111 || function == 0b1010111;
      for (std::uint32_t code = 0; code < 32; ++code) {
        if (scalar_selects || code == rs2)
          words.push_back(function << 25 | code << 20 | fixed | 0x53);
        if (function >= 64 && (packed_selects || code == rs2))
          words.push_back(function << 25 | code << 20 | fixed | 0x33);
      }
    }
  }
  return words;
}

InstructionProgram float_instructions(unsigned fmode) {
  InstructionProgram program;
  prologue(program.text, fmode);
  for (const std::uint32_t word : float_encodings()) {
    if (!decode_fp(word) && !is_lost_move(word)) continue;
    one(program.text, word, static_cast<unsigned>(program.instructions.size() % 5));
    program.instructions.push_back(word);
  }
  epilogue(program.text);
  return program;
}

InstructionProgram integer_instructions() {
  InstructionProgram program;
  prologue(program.text, 0);
  const auto add = [&](std::uint32_t word) {
    one(program.text, word, 0);
    program.instructions.push_back(word);
  };
  for (std::uint32_t funct3 = 0; funct3 < 8; ++funct3) {
    const std::uint32_t fixed = funct3 << 12 | rs1 << 15 | rd << 7;
    for (std::uint32_t function : {0u, 1u, 0x20u}) {
      if (function == 0x20 && funct3 != 0 && funct3 != 5) continue;
      add(function << 25 | rs2 << 20 | fixed | 0x33);
    }
    const bool shift = funct3 == 1 || funct3 == 5;
    for (std::uint32_t immediate : {0u, 1u, 31u, 0x7ffu, 0x800u, 0xfffu})
      add((shift ? immediate & 31 : immediate) << 20 | fixed | 0x13);
    if (funct3 == 5) add(0x407u << 20 | fixed | 0x13);  // srai
    // Memory at s3 (x19): loads of every size and place; stores of x3 beside it.
    const std::uint32_t size = funct3 & 3;
    for (std::uint32_t offset = 0; offset < 8; offset += 1u << size) {
      if (size == 3) break;
      if (funct3 < 6) add(offset << 20 | 19 << 15 | funct3 << 12 | rd << 7 | 0x03);
      if (funct3 < 3) add(rs1 << 20 | 19 << 15 | funct3 << 12 | offset << 7 | 0x23);
    }
  }
  for (std::uint32_t operation : {0u, 1u, 2u, 3u, 4u, 8u, 12u, 16u, 20u, 24u, 28u})
    add(operation << 27 | (operation == 2 ? 0 : rs1) << 20 | 19 << 15 | 2 << 12 | rd << 7 | 0x2f);
  add(0xfffff000u | rd << 7 | 0x37);  // lui
  epilogue(program.text);
  return program;
}

}  // namespace quern::snitch::interpreter
