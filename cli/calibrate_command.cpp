// quern calibrate: measures instruction and memory costs of a board and writes them into a board
// file.
#include <fmt/core.h>

#include "base/interrupt.h"
#include "boards/calibrate.h"
#include "cli/commands.h"

namespace quern::cli {
namespace {

struct Options {
  std::string board, via, output;
};

ExitCode run(const Context& context, const Options& options) {
  const InterruptGuard guard;
  const auto board = boards::load_board(context.root, options.board);
  std::filesystem::path output = options.output;
  if (output.empty()) output = context.results / "calibrated" / (board.name + ".json");
  if (output.extension() != ".json")
    throw bad_input("--output {}: a board file's name ends in .json", output.string());
  context.say(fmt::format("measuring {} ...", board.name));
  const auto calibration =
      boards::calibrate(board, options.via, board.document, context.root, context.build, output);
  if (context.json) {
    Json parameters = Json::array();
    for (const auto& p : calibration.parameters)
      parameters.push_back({{"name", p.name},
                            {"pointer", p.pointer},
                            {"before", p.before},
                            {"measured", p.measured},
                            {"value", p.value},
                            {"modelled", p.modelled},
                            {"residual", p.residual()}});
    context.print_json("quern.calibrate.v1", {{"board", board.name},
                                              {"file", output.string()},
                                              {"parameters", parameters},
                                              {"fit_error", calibration.worst_residual}});
  } else {
    fmt::print("{:<34} {:>10} {:>10} {:>10} {:>10} {:>9}\n", "loop", "before", "measured", "value",
               "modelled", "residual");
    for (const auto& p : calibration.parameters)
      fmt::print("{:<34} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f} {:>8.1f}%\n", p.name, p.before,
                 p.measured, p.value, p.modelled, 100 * p.residual());
    fmt::print("worst residual {:.1f} %; wrote {}\n", 100 * calibration.worst_residual,
               output.string());
  }
  return ExitCode::good;
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = add_subcommand(app, context, "calibrate",
                                 "Measure instruction and memory costs and write a board file",
                                 "quern calibrate --board bpi-f3 -o my-bpi-f3.json",
                                 [options, &context] { return run(context, *options); });
  command->add_option("--board", options->board, "Board name or board file to start from")
      ->required();
  command->add_option("--via", options->via, "How to reach it (default: the board file's)");
  command->add_option("-o,--output", options->output,
                      "Board file to write (default: RESULTS/calibrated/BOARD.json)");
}

}  // namespace quern::cli
