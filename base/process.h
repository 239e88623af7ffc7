// Child processes with limits: one call starts a command in a process group of its own, feeds it,
// collects what it prints, and ends the whole group when time or the user says so.
//
// How the child ended is a value, never an exception; only "the program does not exist" is an Error
// (tool_missing), because the user must install something.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace quern {

struct ProcessOptions {
  std::optional<std::chrono::milliseconds> time_limit;  // whole group is killed after it
  std::optional<std::uint64_t> memory_limit;            // bytes of address space (RLIMIT_AS)
  std::string input;                                    // given on stdin, then end of file
  std::filesystem::path folder;                         // working folder; empty: ours
  std::map<std::string, std::string> environment;       // added to ours
  std::uint64_t output_limit = 64u << 20;  // bytes kept of each stream; the rest is dropped
  bool merge_stderr = false;               // stderr goes into `output`
};

enum class ProcessEnd {
  exited,       // `status` is its exit code
  signalled,    // `status` is the signal
  timed_out,    // killed at time_limit
  interrupted,  // we were told to stop (SIGINT, SIGTERM) and killed it
};

struct ProcessResult {
  ProcessEnd end = ProcessEnd::exited;
  int status = 0;
  std::string output;       // stdout
  std::string errors;       // stderr
  double seconds = 0;       // wall clock
  bool output_cut = false;  // output_limit was reached
  bool good() const { return end == ProcessEnd::exited && status == 0; }
};

// Runs command[0] (looked up in PATH unless it holds a '/') with arguments command[1..]; no shell.
// Throws Error(tool_missing) naming the program if it cannot be started because it does not exist.
ProcessResult run_process(const std::vector<std::string>& command,
                          const ProcessOptions& options = {});

}  // namespace quern
