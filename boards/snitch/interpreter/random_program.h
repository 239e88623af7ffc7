// Random programs whose result does not depend on timing: integer and floating-point work, hardware
// loops and streams in turn. The RTL and the interpreter must print the same.
//
//   TCDM  | integer data | FP data | stream input (never written) | stream output | dump |
//
// What the hardware does not order stays apart: integer and FP accesses have areas of their own,
// streams read what nobody writes, all results of one stream come from one pipeline.
#pragma once

#include <cstdint>
#include <string>

namespace quern::snitch::interpreter {

// Assembly text with `main`, for boards/snitch/runtime. At its end it prints every register that it
// used, the flags and checksums of its memory. The same seed gives the same text.
std::string random_program(std::uint32_t seed);

}  // namespace quern::snitch::interpreter
