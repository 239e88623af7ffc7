// Errors that a user can meet, each with the exit code that the command line promises.
//
// Expected outcomes of an experiment (a kernel that does not compile, a wrong result, a time-out)
// are not errors: they are values in the record. An Error stops the command. Broken invariants are
// bugs and stop the program with QUERN_CHECK.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace quern {

// Exit codes of every subcommand (DESIGN section 4).
enum class ExitCode : int {
  good = 0,
  check_failed = 1,    // it ran, and a check or comparison failed
  bad_input = 2,       // wrong usage or bad input; the message names file, line or JSON pointer
  nothing_valid = 3,   // no valid point, plan or result was found
  unavailable = 4,     // board or simulator unavailable
  tool_missing = 5,    // the message names the package to install
  locked = 75,         // another process holds the board
  budget_ended = 124,  // budget ended, results kept
  interrupted = 130,   // interrupted, results kept
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The user's input is wrong: say where (file, line or JSON pointer) and what was expected.
template <class... Args>
[[nodiscard]] Error bad_input(fmt::format_string<Args...> format, Args&&... args) {
  return Error(ExitCode::bad_input, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[nodiscard]] Error make_error(ExitCode code, fmt::format_string<Args...> format, Args&&... args) {
  return Error(code, fmt::format(format, std::forward<Args>(args)...));
}

// A broken invariant: prints the condition and its place, then aborts.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace quern

#define QUERN_CHECK(condition) \
  ((condition) ? (void)0 : ::quern::check_failed(#condition, __FILE__, __LINE__))
