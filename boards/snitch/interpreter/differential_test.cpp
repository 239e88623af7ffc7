// The RTL against the interpreter on random programs. A difference prints the seed and leaves the
// program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "boards/snitch/harness/machine.h"
#include "boards/snitch/harness/test_program.h"
#include "boards/snitch/interpreter/interpreter.h"
#include "boards/snitch/interpreter/random_program.h"

namespace quern::snitch::interpreter {
namespace {

// QUERN_RANDOM_SEED: the first seed, QUERN_RANDOM_PROGRAMS: how many.
std::uint32_t setting(const char* name, std::uint32_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : static_cast<std::uint32_t>(std::atoi(value));
}

TEST(SnitchDifferential, RtlAndInterpreterAgreeOnRandomPrograms) {
  const std::uint32_t first = setting("QUERN_RANDOM_SEED", 1);
  const std::uint32_t count = setting("QUERN_RANDOM_PROGRAMS", 60);
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    const std::string text = random_program(seed);
    const ElfImage image = assemble_program(text);
    const InterpreterResult expected = interpret(image);
    RunOptions options;
    options.max_cycles = 2'000'000;
    const RunResult got = make_single_core()->run(image, options);
    if (expected.outcome == Outcome::exited && got.end == RunEnd::exited &&
        got.console == expected.console) {
      continue;
    }
    const auto file = std::filesystem::temp_directory_path() /
                      ("quern_snitch_random_" + std::to_string(seed) + ".S");
    write_file(file, text);
    ADD_FAILURE() << "seed " << seed << ", program " << file << "\ninterpreter ("
                  << outcome_name(expected.outcome) << " " << expected.message << "):\n"
                  << expected.console << "RTL (" << name(got.end) << " " << got.message << "):\n"
                  << got.console;
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace quern::snitch::interpreter
