// The part of the ELF format that a bare-metal Snitch program needs: entry, loadable bytes, symbols.
//
// 32-bit little-endian RISC-V executables only; anything else is bad input, said with the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quern::snitch {

struct ElfSegment {
  std::uint32_t address = 0;        // where the bytes go
  std::vector<std::uint8_t> bytes;  // initialised part
  std::uint32_t memory_size = 0;    // total size; the rest is zero
};

struct ElfImage {
  std::uint32_t entry = 0;
  std::vector<ElfSegment> segments;
  std::map<std::string, std::uint32_t, std::less<>> symbols;
};

// Parses the bytes of a file. `name` is what messages call it. Throws bad_input.
ElfImage parse_elf(std::string_view bytes, const std::string& name);

// Reads and parses a file.
ElfImage load_elf(const std::filesystem::path& path);

}  // namespace quern::snitch
