#include "bench/snitch/simulators.h"

#include "base/error.h"
#include "boards/transports/snitch_rtl.h"

namespace quern::bench::snitch {

Simulate simulate_on(std::shared_ptr<boards::Transport> transport,
                     std::chrono::milliseconds time_limit) {
  return [transport = std::move(transport), time_limit](const std::filesystem::path& elf) {
    boards::Program program{elf};
    program.time_limit = time_limit;
    const boards::RunResult run = transport->run(program);
    if (run.outcome == boards::Outcome::unavailable)
      throw make_error(ExitCode::unavailable, "{}", run.reason);
    if (run.outcome == boards::Outcome::interrupted)
      throw make_error(ExitCode::interrupted, "interrupted");
    if (run.outcome == boards::Outcome::timeout)
      throw make_error(ExitCode::budget_ended, "{}", run.reason);
    // The exit code of an external simulator is its own affair; that the program got to its end
    // shows in its report.
    const bool ended =
        run.outcome == boards::Outcome::ok || run.outcome == boards::Outcome::nonzero_exit;
    return Simulated{ended, run.output, ended ? "" : run.reason};
  };
}

Simulate rtl_simulator() {
  boards::Machine machine;
  machine.board = "snitch";
  return simulate_on(boards::make_verilator_transport(machine));
}

}  // namespace quern::bench::snitch
