// The address map of the test bench: TCDM, DRAM, and the two console registers.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "boards/snitch/harness/elf_image.h"
#include "boards/snitch/harness/memory_map.h"
#include "boards/snitch/harness/stray_memory.h"

namespace quern::snitch::interpreter {

class AccessFault : public std::runtime_error {
 public:
  AccessFault(bool is_misaligned, const std::string& message)
      : std::runtime_error(message), misaligned(is_misaligned) {}
  bool misaligned;
};

class Memory {
 public:
  static constexpr std::uint32_t kTcdm = tcdm_base, kTcdmSize = tcdm_bytes;
  static constexpr std::uint32_t kDram = dram_base, kDramSize = 16u << 20;  // enough for programs
  static constexpr std::uint32_t kPutChar = putchar_address, kPrintU32 = print_address;

  // `everywhere`: what was stored where the map has nothing can be loaded, the rest gives zeros.
  Memory(const ElfImage& image, bool everywhere);

  // Little-endian access of 1, 2, 4 or 8 bytes, naturally aligned. Throws AccessFault.
  std::uint64_t load(std::uint32_t address, unsigned size) const;
  void store(std::uint32_t address, unsigned size, std::uint64_t value);

  // lr.w reserves; any store to the same 64-bit word ends the reservation. 1: none.
  std::uint32_t reservation = 1;

  std::string console;

 private:
  // Null: the map has nothing there, and this memory is everywhere.
  const std::uint8_t* find(std::uint32_t address, unsigned size) const;

  std::vector<std::uint8_t> tcdm_, dram_;
  bool everywhere_;
  StrayMemory stray_;
};

}  // namespace quern::snitch::interpreter
