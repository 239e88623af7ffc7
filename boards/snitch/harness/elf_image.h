// A 32-bit RISC-V ELF executable as the test bench needs it: what to load where, the entry, and the
// symbols of the host-target interface.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace quern::snitch {

struct ElfSegment {
  std::uint32_t address = 0;
  std::vector<std::uint8_t> bytes;  // file contents, then zeros up to the size in memory
};

struct ElfImage {
  std::uint32_t entry = 0;
  std::vector<ElfSegment> segments;
  std::map<std::string, std::uint32_t> symbols;
};

// Error (bad input) with the file's name and what was expected, for anything that is not a static
// little-endian RV32 executable.
ElfImage read_elf(const std::filesystem::path& path);

}  // namespace quern::snitch
