// What kind of machine a program file is for: the first bytes of its ELF header (System V ABI, ELF
// header).
#pragma once

#include <filesystem>
#include <string>

namespace quern::boards {

struct ElfHeader {
  int bits = 0;          // 32 or 64
  int machine = 0;       // EM_*: 62 x86-64, 183 AArch64, 243 RISC-V
  bool program = false;  // executable or position-independent executable, not an object or archive
};

constexpr int elf_machine_riscv = 243;

// Throws bad_input naming the file if it is not there or no ELF file.
ElfHeader read_elf_header(const std::filesystem::path& file);

// "riscv64", "x86-64" or "ELF machine 40", for messages.
std::string describe(const ElfHeader& header);

}  // namespace quern::boards
