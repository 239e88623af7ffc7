// Why the pipeline did not issue: every cycle in which no instruction issues is charged to one
// cause.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quern::timing {

enum class StallCause : std::uint8_t {
  integer_result,    // a register that a scalar integer operation will write
  load_result,       // a load that hit L1
  fp_result,         // a scalar floating-point operation
  vector_result,     // a vector operation
  configure_result,  // the scalar result of vsetvl*
  l2,                // a load that missed L1 and hit L2
  dram,              // a load that missed L2
  scalar_unit,       // an integer or floating-point unit is busy
  vector_unit,       // a vector arithmetic unit is busy
  memory_unit,       // a load/store unit is busy
  miss_slots,        // all line fills are in use
  store_queue,       // the store queue is full
  branch,            // mispredicted or taken branch
  trap,              // an access that the hardware does not do
  write_order,       // an older result is not written yet (cores that write back in order)
};

inline constexpr std::string_view stall_names[] = {
    "integer-result",   "load-result", "fp-result",  "vector-result",
    "configure-result", "l2",          "dram",       "scalar-unit",
    "vector-unit",      "memory-unit", "miss-slots", "store-queue",
    "branch",           "trap",        "write-order"};
inline constexpr std::size_t stall_count = std::size(stall_names);

using Stalls = std::array<std::uint64_t, stall_count>;

}  // namespace quern::timing
