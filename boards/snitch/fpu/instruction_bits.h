// The fields of an FP instruction word.
#pragma once

#include <cstdint>

namespace quern::snitch {

inline std::uint32_t field(std::uint32_t bits, int high, int low) {
  return (bits >> low) & ((1U << (high - low + 1)) - 1);
}

inline constexpr std::uint32_t op_scalar = 0x53, op_packed = 0x33;

inline bool is_fused(std::uint32_t op) { return (op & 0x73) == 0x43; }

}  // namespace quern::snitch
