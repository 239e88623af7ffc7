#include "boards/session.h"

#include "base/error.h"
#include "boards/transports/qemu.h"

namespace quern::boards {

Session::Session(Board board, const std::string& via, const std::string& simulator)
    : board_(std::move(board)),
      via_(!via.empty()        ? via
           : simulator.empty() ? board_.via
                               : "simulator") {
  const TransportKind& kind = transport_kind(via_);
  timing_ = kind.timing;
  if (via_ == "qemu" && !board_.document.contains("timing")) {
    throw bad_input("{}: /timing: missing, figures under qemu come from the timing model",
                    board_.file.string());
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
  auto* qemu = dynamic_cast<QemuTransport*>(transport_.get());
  std::string report;
  if (qemu != nullptr) {
    report = transport_->scratch("timing.json");
    qemu->set_plugins(
        {{QUERN_TIMING_PLUGIN,
          {"board=" + std::filesystem::absolute(board_.file).string(), "report=" + report,
           std::string("functions=") + (detail.functions ? "on" : "off"),
           std::string("shared_l2=") + (detail.shared_l2 ? "on" : "off")}}});
  }
  run.result = transport_->run(program);
  run.cycles = run.result.cycles;
  run.instructions = run.result.instructions;
  std::error_code none;
  // A program that was killed leaves no report; then there are no figures either.
  if (!report.empty() && std::filesystem::exists(report, none)) {
    run.report = read_json(report);
    run.cycles = run.report["cycles"];
    run.instructions = run.report["instructions"];
    run.unknown_instructions = run.report["unknown_instructions"];
  }
  return run;
}

}  // namespace quern::boards
