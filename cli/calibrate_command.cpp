// quern calibrate: measures instruction and memory costs of a board and writes them into a board
// file.
#include <fmt/core.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/interrupt.h"
#include "boards/calibrate.h"
#include "cli/commands.h"

namespace quern::cli {
namespace {

struct Options {
  std::string board, via, output;
};

std::string shown(const Json& value) {
  if (value.is_number()) return fmt::format("{:.2f}", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// /timing/memory/tlb_walk/value -> tlb_walk, /timing/units/fp/value -> fp,
// /timing/instructions/3/latency/1 -> latency
std::string parameter_name(const std::string& pointer) {
  const auto parts = [&] {
    std::vector<std::string> list;
    std::istringstream text(pointer.substr(1));
    for (std::string part; std::getline(text, part, '/');) list.push_back(part);
    return list;
  }();
  const std::size_t at = parts.size() > 1 && parts[1] == "instructions" ? 3 : 2;
  return at < parts.size() ? parts[at] : pointer;
}

ExitCode run(const Context& context, const Options& options) {
  const InterruptGuard guard;
  const auto board = boards::load_board(context.root, options.board);
  std::filesystem::path output = options.output;
  if (output.empty()) output = context.results / "calibrated" / (board.name + ".json");
  if (output.extension() != ".json")
    throw bad_input("--output {}: a board file's name ends in .json", output.string());
  if (!std::filesystem::exists(output)) check_writable(output.parent_path());
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
                            {"residual", p.residual()},
                            {"kept", p.kept.empty() ? Json() : Json(p.kept)}});
    context.print_json("quern.calibrate.v1", {{"board", board.name},
                                              {"file", output.string()},
                                              {"parameters", parameters},
                                              {"fit_error", calibration.worst_residual}});
  } else {
    // A class's parameters are named by their loop, the others by themselves too.
    fmt::print("{:<34} {:<24} {:>13} {:>10} {:>13} {:>10} {:>9}\n", "loop", "parameter", "before",
               "measured", "value", "modelled", "residual");
    for (const auto& p : calibration.parameters) {
      fmt::print("{:<34} {:<24} {:>13} {:>10.2f} {:>13} {:>10.2f} {:>8.1f}%\n", p.name,
                 parameter_name(p.pointer), shown(p.before), p.measured,
                 p.kept.empty() ? shown(p.value) : "kept", p.modelled, 100 * p.residual());
      if (!p.kept.empty()) fmt::print("{:<34} kept: {}\n", "", p.kept);
    }
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
