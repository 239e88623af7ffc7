// One conformance program: assembled, run on the RTL, its RESULT line read.
#pragma once

#include <cstdint>
#include <string>

#include "base/json_file.h"

namespace quern::snitch {

struct Measured {
  std::int64_t cold = 0, warm = 0;
  std::uint32_t checksum = 0;
  std::string problem;  // empty: it ran to its end and reported success
};

Measured measure(const std::string& program);

// expected.json: what the real core took.
const Json& expected();

// As expected.json writes it.
std::string hexadecimal(std::uint32_t checksum);

}  // namespace quern::snitch
