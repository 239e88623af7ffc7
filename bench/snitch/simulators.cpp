#include "bench/snitch/simulators.h"

#include "boards/transports/snitch_rtl.h"

namespace quern::bench::snitch {

Simulate rtl_simulator(std::chrono::milliseconds time_limit) {
  boards::Machine machine;
  machine.board = "snitch";
  const std::shared_ptr<boards::Transport> rtl = boards::make_verilator_transport(machine);
  return [rtl, time_limit](const std::filesystem::path& elf) {
    boards::Program program{elf};
    program.time_limit = time_limit;
    return rtl->run(program);
  };
}

}  // namespace quern::bench::snitch
