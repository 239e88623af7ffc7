// What runs a measured program and counts true cycles: the RTL in this repository, or a simulator
// of the user's.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace quern::bench::snitch {

// What a simulator printed, and how it ended.
struct Simulated {
  bool ended = false;  // the program wrote tohost
  std::string console;
  std::string message;  // why it did not end
};
using Simulate = std::function<Simulated(const std::filesystem::path& elf)>;

// The cycle-accurate RTL of boards/snitch, one compute core, in this process.
Simulate rtl_simulator();

// A program that takes the ELF file as its last argument, has the memory map of the Snitch cluster,
// ends by the tohost convention and lets console output reach stdout. Throws unavailable when it
// does not exist.
Simulate external_simulator(const std::filesystem::path& program,
                            std::chrono::seconds time_limit = std::chrono::seconds(3600));

}  // namespace quern::bench::snitch
