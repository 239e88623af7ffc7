#include "boards/session.h"

#include "base/error.h"

namespace quern::boards {

Session::Session(Board board, const std::string& via, const std::string& simulator)
    : board_(std::move(board)),
      via_(!via.empty()        ? via
           : simulator.empty() ? board_.via
                               : "simulator") {
  const TransportKind& kind = transport_kind(via_, board_.kind);
  if (!simulator.empty() && via_ != "simulator")
    throw bad_input("--simulator: not used with --via {}", via_);
  timing_ = kind.timing;
  if (timing_ == Timing::modelled && !board_.document.contains("timing")) {
    throw bad_input("{}: /timing: missing, figures under {} come from the timing model",
                    board_.file.string(), via_);
  }
  Machine machine;
  machine.board = board_.name;
  machine.extensions = board_.extensions;
  machine.vlen = board_.vlen;
  if (!simulator.empty()) machine.settings["simulator"] = simulator;
  transport_ = kind.make(machine);
}

TimedRun Session::run(const Program& program, Detail detail) {
  TimedRun run;
  transport_->use_timing_model(
      {QUERN_TIMING_PLUGIN, board_.file, detail.functions, detail.shared_l2});
  run.result = transport_->run(program);
  run.cycles = run.result.cycles;
  run.instructions = run.result.instructions;
  run.report = run.result.report;
  if (!run.report.is_null()) run.unknown_instructions = run.report["unknown_instructions"];
  return run;
}

}  // namespace quern::boards
