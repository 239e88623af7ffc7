// A micro-op: one instruction made ready for the pipeline under a known vtype. Everything that can
// be looked up once is looked up here, so that issuing is additions and comparisons.
#pragma once

#include <array>
#include <cstdint>

#include "boards/timing/decoder.h"
#include "boards/timing/parameters.h"

namespace quern::timing {

struct MicroOp {
  InstructionClass instruction_class = InstructionClass::unknown;
  std::uint8_t unit = 0;
  std::uint8_t source_count = 0;
  std::uint8_t destination_count = 0;
  bool vector = false;
  bool memory = false;
  bool store = false;
  bool in_order = false;         // its result is never written before an older in-order one
  bool unit_stride = false;      // a vector access of consecutive bytes
  std::int32_t store_slack = 0;  // cycles after issue until `data` must be ready
  Tick latency = 0;
  Tick occupancy = 0;
  std::array<RegisterRange, 5> sources{};
  RegisterRange data{};  // of a scalar store
  std::array<RegisterRange, 2> destinations{};
};

MicroOp make_micro_op(const Parameters& parameters, const Instruction& instruction,
                      VectorType type);

}  // namespace quern::timing
