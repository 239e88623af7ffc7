// A board, reached: its transport, and what gives its figures their time.
//
//     Session session(load_board(root, "bpi-f3"), via);
//     TimedRun run = session.run({program, arguments});
//
// Under QEMU every run carries the timing plugin with the board's own parameters, so programs can
// read the modelled clock (bench/target/modelled_clock.h) and the run as a whole has modelled
// cycles. On silicon the clock is real.
#pragma once

#include <memory>
#include <optional>

#include "boards/board.h"
#include "boards/timing_word.h"
#include "boards/transports/transport.h"

namespace quern::boards {

struct TimedRun {
  RunResult result;
  // Of the whole program, start-up included; absent where the transport counts nothing.
  std::optional<std::uint64_t> cycles, instructions, unknown_instructions;
  Json report;  // the timing model's own report (boards/timing/timing_report.h); null without it
};

class Session {
 public:
  // `via` empty: the board's own, or "simulator" when one is named. `simulator`: the command of
  // that transport. Throws bad_input for a way that does not exist or does not lead there.
  Session(Board board, const std::string& via, const std::string& simulator = {});

  const Board& board() const { return board_; }
  const std::string& via() const { return via_; }
  Timing timing() const { return timing_; }
  Transport& transport() { return *transport_; }

  // What runs programs with these needs, for records: "qemu-riscv64 version 7.2.22 ..."; empty
  // where the board itself does.
  std::string runner(const std::set<std::string>& needs = {}) const {
    return transport_->version(needs);
  }

  // What the timing model is asked for beside figures.
  struct Detail {
    bool functions = false;  // a breakdown by function in the report
    bool shared_l2 = false;  // the guest's threads share one L2 and DRAM, not one each
  };
  TimedRun run(const Program& program, Detail detail);
  TimedRun run(const Program& program) { return run(program, Detail{}); }

 private:
  Board board_;
  std::string via_;
  Timing timing_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace quern::boards
