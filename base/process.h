// Child processes with limits: one call starts a command in a process group of its own, feeds it,
// collects what it prints, and ends it and all that it started when time or the user says so.
//
//   quern ──── supervisor ──── command ──── whatever it starts
//
// Nothing that the command started outlives the call, not even what left its process group or
// session: when the command ends, its leftovers are killed, and if quern itself dies (even by
// kill -9), all of it (base/supervisor.h). How the child ended is a value, never an exception; only
// a command that cannot be started at all is an Error.
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
  std::optional<std::chrono::milliseconds> time_limit = {};  // all of it is killed after it
  std::optional<std::uint64_t> memory_limit = {};            // bytes of address space (RLIMIT_AS)
  std::string input = {};                                    // given on stdin, then end of file
  std::filesystem::path folder = {};                         // working folder; empty: ours
  std::map<std::string, std::string> environment = {};       // added to ours
  std::uint64_t output_limit = 64u << 20;  // bytes kept of each stream; the rest is dropped
  bool merge_stderr = false;               // stderr goes into `output`
  // Between the request to end (SIGTERM) and the order (SIGKILL).
  std::chrono::milliseconds grace = std::chrono::milliseconds(500);
};

enum class ProcessEnd {
  exited,       // `status` is its exit code
  signalled,    // `status` is the signal
  timed_out,    // killed at time_limit
  interrupted,  // we were told to stop (SIGINT, SIGTERM; base/interrupt.h) and killed it
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
// Throws Error(tool_missing) naming the program if it does not exist, bad_input if it is no
// program, or the folder does not exist, and unavailable if the machine has no process left to
// give.
ProcessResult run_process(const std::vector<std::string>& command,
                          const ProcessOptions& options = {});

// Where PATH finds a program; nothing if it does not.
std::optional<std::filesystem::path> find_program(const std::string& name);

// The command as a shell would take it, for messages and "how to reproduce" lines.
std::string shell_quoted(const std::vector<std::string>& command);

}  // namespace quern
