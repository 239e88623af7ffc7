// quern validate-model: the timing model against published figures, side by side.
#include <fmt/core.h>

#include <algorithm>

#include "base/interrupt.h"
#include "boards/validation/validate.h"
#include "cli/commands.h"

namespace quern::cli {
namespace {

struct Options {
  std::string board;
  bool quick = false;
};

ExitCode run(const Context& context, const Options& options) {
  const InterruptGuard guard;
  const auto board = boards::load_board(context.root, options.board);
  boards::ValidationOptions validation;
  validation.quick = options.quick;
  validation.say = [&](const std::string& text) { context.say(text); };
  const auto rows = boards::validate_model(board, context.root, context.build, validation);
  if (context.json) {
    Json list = Json::array();
    for (const auto& row : rows)
      list.push_back(
          {{"what", row.what},
           {"published", row.published_min == row.published_max
                             ? Json(row.published_max)
                             : Json{{"min", row.published_min}, {"max", row.published_max}}},
           {"modelled", row.modelled},
           {"error", row.error},
           {"goal", row.goal},
           {"met", row.met()},
           {"cause", row.cause.empty() ? Json(nullptr) : Json(row.cause)}});
    context.print_json("quern.validate-model.v1", {{"board", board.name},
                                                   {"timing", "modelled"},
                                                   {"unit", "GFLOPS"},
                                                   {"source", "results/published/gemm-f32.json"},
                                                   {"rows", list}});
    return ExitCode::good;
  }
  fmt::print("{}: GFLOPS published (measured on the board) and modelled\n", board.name);
  fmt::print("{:<52} {:>12} {:>10} {:>8} {:>6}\n", "what", "published", "modelled", "error",
             "goal");
  for (const auto& row : rows) {
    const std::string published =
        row.published_min == row.published_max
            ? fmt::format("{:.1f}", row.published_max)
            : fmt::format("{:.1f} - {:.1f}", row.published_min, row.published_max);
    fmt::print("{:<52} {:>12} {:>10.2f} {:>+7.1f}% {:>6}\n", row.what, published, row.modelled,
               100 * row.error, row.met() ? "met" : fmt::format("{:.0f}%", 100 * row.goal));
  }
  // Rows with one cause share its text.
  std::vector<std::string> told;
  for (const auto& row : rows) {
    if (row.cause.empty() || std::find(told.begin(), told.end(), row.cause) != told.end()) continue;
    told.push_back(row.cause);
    fmt::print("\noutside the goal:\n");
    for (const auto& other : rows)
      if (other.cause == row.cause) fmt::print("  {} {:+.0f}%\n", other.what, 100 * other.error);
    fmt::print("thought to be the cause: {}\n", row.cause);
  }
  return ExitCode::good;
}

}  // namespace

void add_validate_model(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = add_subcommand(app, context, "validate-model",
                                 "Compare the timing model with published figures",
                                 "quern validate-model --board bpi-f3",
                                 [options, &context] { return run(context, *options); });
  command->add_option("--board", options->board, "Board name or board file")->required();
  command->add_flag("--quick", options->quick, "Only the rows that take seconds");
}

}  // namespace quern::cli
