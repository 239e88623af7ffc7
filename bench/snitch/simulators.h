// What runs a measured program and counts true cycles: a transport of the Snitch machine, that is
// the RTL in this repository or a simulator of the user's (boards/transports/snitch_rtl.h). The
// program reports its own cycles on the console.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "boards/transports/transport.h"

namespace quern::bench::snitch {

using Simulate = std::function<boards::RunResult(const std::filesystem::path& elf)>;

// The cycle-accurate RTL of boards/snitch, one compute core.
Simulate rtl_simulator(std::chrono::milliseconds time_limit = std::chrono::hours(1));

}  // namespace quern::bench::snitch
