// The process between quern and a command that it runs. It alone is the ancestor of whatever the
// command starts, so it can leave nothing of it alive:
//
//   quern ──── supervisor ──┬── command ──┬── child       in the command's process group
//                           │             └── ...
//                           └── daemon      went its own way (setsid) and lost its parent:
//                                           adopted, since the supervisor is a subreaper
//
// The end of the command is the end of all its descendants, and so is the end of quern, even by
// kill -9. A command that finds and kills its supervisor (kill -9) dies as well, but what it sent
// its own way then lives on: there is no guard against malice here.
//
// Only async-signal-safe calls, since quern may have threads when it forks.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace quern {

// What happened in the children, written whole into a pipe.
enum class Step : int { fork, group, folder, limits, streams, exec };
struct StartFailure {
  Step step;
  int number;  // errno
};
struct CommandEnd {
  int status;  // of waitpid(2)
};

struct CommandPlan {
  const char* program;
  char* const* arguments;
  char* const* environment;
  const char* folder;                 // null: ours
  const std::uint64_t* memory_limit;  // null: none
  int streams[3];
  int failure;  // takes a StartFailure if the command does not start
  int end;      // takes the CommandEnd
};

// Signals to the supervisor, heard from its parent only.
extern const int end_politely;  // SIGTERM to the command's process group
extern const int end_now;       // SIGKILL to all

// The whole life of the supervisor, right after the fork and with all signals blocked.
[[noreturn]] void be_supervisor(pid_t parent, const CommandPlan& plan);

}  // namespace quern
