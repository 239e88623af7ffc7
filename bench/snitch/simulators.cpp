#include "bench/snitch/simulators.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"
#include "boards/snitch/harness/machine.h"

namespace quern::bench::snitch {

Simulate rtl_simulator() {
  return [](const std::filesystem::path& elf) {
    const auto run = quern::snitch::make_single_core()->run(quern::snitch::read_elf(elf), {});
    return Simulated{run.end == quern::snitch::RunEnd::exited, run.console,
                     run.end == quern::snitch::RunEnd::exited ? "" : run.message};
  };
}

Simulate external_simulator(const std::filesystem::path& program, std::chrono::seconds time_limit) {
  if (!std::filesystem::exists(program)) {
    throw make_error(ExitCode::unavailable, "simulator {}: no such program", program.string());
  }
  return [program, time_limit](const std::filesystem::path& elf) {
    ProcessOptions options;
    options.time_limit = time_limit;
    const ProcessResult run = run_process({program.string(), elf.string()}, options);
    Simulated result;
    result.console = run.output;
    // The exit code is the simulator's own affair; that the program got to its end shows in its
    // report.
    result.ended = run.end == ProcessEnd::exited;
    if (!result.ended) {
      result.message =
          run.end == ProcessEnd::timed_out
              ? fmt::format("no end within {} s", time_limit.count())
              : fmt::format("{} was stopped (signal {})", program.string(), run.status);
    }
    return result;
  };
}

}  // namespace quern::bench::snitch
