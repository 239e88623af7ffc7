// quern board list / show: the board files.
#include <fmt/core.h>

#include "boards/board.h"
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

}  // namespace

void add_board(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("board", "List, show and check boards");
  group->require_subcommand(1);
  add_subcommand(*group, context, "list", "All boards, a line each", "quern board list",
                 [&context] { return list(context); });
  auto name = std::make_shared<std::string>();
  add_subcommand(*group, context, "show", "One board's file", "quern board show bpi-f3",
                 [&context, name] { return show(context, *name); })
      ->add_option("board", *name, "Board name or board file")
      ->required();
}

}  // namespace quern::cli
