// snitch-interpret PROGRAM.elf: runs a bare-metal Snitch program in the reference interpreter. Its
// console output goes to stdout, its exit code is ours; 125 with a message when it did not end
// properly.
#include <fmt/core.h>

#include "base/error.h"
#include "boards/snitch/interpreter/interpreter.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: snitch-interpret PROGRAM.elf\n");
    return static_cast<int>(quern::ExitCode::bad_input);
  }
  try {
    const auto result = quern::snitch::interpreter::interpret(quern::snitch::read_elf(argv[1]));
    fmt::print("{}", result.console);
    if (result.outcome == quern::snitch::interpreter::Outcome::exited) {
      return static_cast<int>(result.exit_code & 0xff);
    }
    fmt::print(stderr, "snitch-interpret: {}\n", result.message);
    return 125;
  } catch (const quern::Error& error) {
    fmt::print(stderr, "snitch-interpret: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
