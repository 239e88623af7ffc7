#include "boards/transports/elf_header.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"

namespace quern::boards {
namespace {

// The first 20 bytes of an ELF header: class, byte order, type, machine.
std::string elf(int bits, bool little, int type, int machine) {
  std::string out(20, '\0');
  out.replace(0, 4,
              "\x7f"
              "ELF");
  out[4] = bits == 64 ? 2 : 1;
  out[5] = little ? 1 : 2;
  const auto half = [&](std::size_t at, int value) {
    out[at + (little ? 0 : 1)] = static_cast<char>(value & 0xff);
    out[at + (little ? 1 : 0)] = static_cast<char>(value >> 8);
  };
  half(16, type);
  half(18, machine);
  return out;
}

TEST(ElfHeader, TellsMachines) {
  const struct {
    std::string bytes;
    const char* name;
    bool program;
  } table[] = {
      {elf(64, true, 2, 243), "riscv64", true},  {elf(64, true, 3, 243), "riscv64", true},
      {elf(64, true, 1, 243), "riscv64", false}, {elf(32, true, 2, 243), "riscv32", true},
      {elf(64, true, 3, 62), "x86-64", true},    {elf(64, false, 2, 22), "ELF machine 22", true},
  };
  const auto file = std::filesystem::path(testing::TempDir()) / "quern_elf_header_test";
  for (const auto& row : table) {
    write_file(file, row.bytes);
    const ElfHeader header = read_elf_header(file);
    EXPECT_EQ(describe(header), row.name);
    EXPECT_EQ(header.program, row.program) << row.name;
  }
}

TEST(ElfHeader, RefusesOtherFiles) {
  const auto file = std::filesystem::path(testing::TempDir()) / "quern_elf_header_test";
  for (const std::string& bytes : {std::string(),
                                   std::string("\x7f"
                                               "ELF"),
                                   std::string("#!/bin/sh\necho\n........")}) {
    write_file(file, bytes);
    EXPECT_THROW(read_elf_header(file), Error);
  }
  EXPECT_THROW(read_elf_header("/nonexistent/program"), Error);
  EXPECT_THROW(read_elf_header("/usr"), Error);
}

}  // namespace
}  // namespace quern::boards
