// quern board list / show / check: the board files, and whether a board does what its file says.
#include <fmt/core.h>

#include <algorithm>

#include "base/interrupt.h"
#include "boards/check.h"
#include "cli/commands.h"

namespace quern::cli {
namespace {

Json summary(const boards::Board& board) {
  Json caches = Json::array();
  for (const auto& cache : board.caches) {
    caches.push_back({{"level", cache.level},
                      {"bytes", cache.bytes},
                      {"ways", cache.ways},
                      {"sets", cache.sets()}});
  }
  return {{"name", board.name},
          {"description", board.description},
          {"kind", board.kind},
          {"core", board.core},
          {"isa", board.isa},
          {"vlen", board.vlen},
          {"clock_hz", board.clock_hz},
          {"cores", board.cores},
          {"caches", caches},
          {"via", board.via},
          {"peak_gflops_f32", board.peak_gflops(32)},
          {"file", board.file.string()}};
}

ExitCode list(Context& context) {
  Json all = Json::array();
  for (const auto& file : boards::board_files(context.root)) {
    const auto board = boards::load_board(context.root, file.stem());
    all.push_back(summary(board));
    if (!context.json) {
      fmt::print("{:<14} {:<10} VLEN {:<5} {:>5.2f} GHz  {}\n", board.name, board.via, board.vlen,
                 board.clock_hz / 1e9, board.description);
    }
  }
  if (context.json) context.print_json("quern.board.v1", {{"boards", all}});
  return ExitCode::good;
}

ExitCode show(Context& context, const std::string& name) {
  const auto board = boards::load_board(context.root, name);
  if (context.json) {
    Json one = summary(board);
    one["document"] = board.document;
    context.print_json("quern.board.v1", {{"boards", Json::array({one})}});
  } else {
    fmt::print("{}\n", nlohmann::ordered_json::parse(board.document.dump()).dump(2));
  }
  return ExitCode::good;
}

ExitCode check(Context& context, const std::string& name, const std::string& via) {
  const InterruptGuard guard;
  boards::Session session(boards::load_board(context.root, name), via);
  const auto steps = boards::check_board(session, context.root, context.build);
  const bool good = std::ranges::all_of(steps, [](const auto& step) { return step.good; });
  Json list = Json::array();
  for (const auto& step : steps) {
    list.push_back({{"name", step.name}, {"ok", step.good}, {"found", step.found}});
    if (!context.json)
      fmt::print("{} {:<8} {}\n", context.paint(step.good, step.good ? "ok  " : "FAIL"), step.name,
                 step.found);
  }
  if (context.json) {
    Json one = summary(session.board());
    one["via"] = session.via();
    one["ok"] = good;
    one["checks"] = list;
    context.print_json("quern.board.v1", {{"boards", Json::array({one})}});
  }
  return good ? ExitCode::good : interrupted() ? ExitCode::interrupted : ExitCode::unavailable;
}

}  // namespace

void add_board(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("board", "List, show and check boards");
  group->require_subcommand(1);
  group->footer("Example:\n  quern board list");
  add_subcommand(*group, context, "list", "All boards, a line each", "quern board list",
                 [&context] { return list(context); });
  auto name = std::make_shared<std::string>();
  add_subcommand(*group, context, "show", "One board's file", "quern board show bpi-f3",
                 [&context, name] { return show(context, *name); })
      ->add_option("board", *name, "Board name or board file")
      ->required();
  auto via = std::make_shared<std::string>();
  auto* check_command = add_subcommand(
      *group, context, "check", "Compile, upload, run and fetch a probe",
      "quern board check bpi-f3", [&context, name, via] { return check(context, *name, *via); });
  check_command->add_option("board", *name, "Board name or board file")->required();
  check_command->add_option("--via", *via,
                            "How to reach the board (default: as the board file says)");
}

}  // namespace quern::cli
