// What answers at which address, for everything that loads or runs programs of this machine.
#pragma once

#include <cstdint>

namespace quern::snitch {

inline constexpr std::uint32_t tcdm_base = 0x1000'0000, tcdm_bytes = 128 << 10;
inline constexpr std::uint32_t dram_base = 0x8000'0000, dram_bytes = 256U << 20;
// The console: a byte store prints a character, a word store a decimal number.
inline constexpr std::uint32_t putchar_address = 0xf000'0000, print_address = 0xf000'0010;

constexpr bool in_tcdm(std::uint32_t address) { return address - tcdm_base < tcdm_bytes; }
constexpr bool in_dram(std::uint32_t address) { return address - dram_base < dram_bytes; }

}  // namespace quern::snitch
