#include "boards/transports/elf_header.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "base/error.h"

namespace quern::boards {

ElfHeader read_elf_header(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) throw bad_input("{}: no such file", file.string());
  if (!std::filesystem::is_regular_file(file, ignored)) {
    throw bad_input("{}: not a file, expected a program", file.string());
  }
  std::array<unsigned char, 20> bytes = {};
  std::ifstream in(file, std::ios::binary);
  if (!in) throw bad_input("{}: cannot read", file.string());
  in.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
  const bool elf = in.gcount() == static_cast<std::streamsize>(bytes.size()) && bytes[0] == 0x7f &&
                   bytes[1] == 'E' && bytes[2] == 'L' && bytes[3] == 'F';
  if (!elf) throw bad_input("{}: not a program (no ELF file)", file.string());
  const bool little = bytes[5] == 1;
  const auto half = [&](std::size_t at) {
    return little ? bytes[at] | bytes[at + 1] << 8 : bytes[at] << 8 | bytes[at + 1];
  };
  const int type = half(16);
  return {.bits = bytes[4] == 2 ? 64 : 32,
          .machine = half(18),
          .program = type == 2 || type == 3};  // ET_EXEC, ET_DYN
}

std::string describe(const ElfHeader& header) {
  switch (header.machine) {
    case elf_machine_riscv:
      return header.bits == 64 ? "riscv64" : "riscv32";
    case 62:
      return "x86-64";
    case 183:
      return "aarch64";
    default:
      return fmt::format("ELF machine {}", header.machine);
  }
}

}  // namespace quern::boards
