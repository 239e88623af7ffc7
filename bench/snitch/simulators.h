// What runs a measured program and counts true cycles: a transport of the Snitch machine, that is
// the RTL in this repository or a simulator of the user's (boards/transports/snitch_rtl.h). The
// program reports its own cycles on the console.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "boards/transports/transport.h"

namespace quern::bench::snitch {

// What a simulator printed, and how it ended.
struct Simulated {
  bool ended = false;  // the program wrote tohost
  std::string console;
  std::string message;  // why it did not end
};
using Simulate = std::function<Simulated(const std::filesystem::path& elf)>;

// Throws unavailable, interrupted, or budget_ended once `time_limit` of this host's clock is over.
Simulate simulate_on(std::shared_ptr<boards::Transport> transport,
                     std::chrono::milliseconds time_limit = std::chrono::hours(1));

// The cycle-accurate RTL of boards/snitch, one compute core.
Simulate rtl_simulator();

}  // namespace quern::bench::snitch
