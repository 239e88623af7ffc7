// quern ablate: what each step of the Snitch compiler brings, one row a step.
#include <fmt/core.h>

#include "bench/snitch/runner.h"
#include "boards/timing_word.h"
#include "cli/commands.h"
#include "cli/snitch_options.h"

namespace quern::cli {
namespace {

struct Options {
  PointOptions tile;
  SnitchOptions snitch;
  std::string via;
};

ExitCode run(Context& context, const Options& options) {
  const auto board = boards::load_board(context.root, options.tile.board);
  require_snitch(board, "ablate");
  const auto point = snitch_point(options.snitch, options.tile);
  bench::snitch::Setup setup{context.root, context.build / "snitch",
                             snitch_simulator(board, options.via, options.snitch)};
  const auto rows = bench::snitch::ablate(point, setup);
  const std::string timing(boards::to_string(boards::Timing::rtl));
  bool correct = true;
  Json json = Json::array();
  if (!context.json) {
    fmt::print("{} on {} ({})\n", id(point), board.name, timing);
    fmt::print("{:<22} {:>9} {:>10} {:>8} {:>8} {:>6}\n", "step", "cycles", "occupancy", "loads",
               "stores", "freps");
  }
  for (const auto& row : rows) {
    const bench::snitch::Result& r = row.result;
    correct = correct && r.correct;
    json.push_back({{"step", row.step},
                    {"id", r.id},
                    {"cycles", r.cycles ? Json(*r.cycles) : Json(nullptr)},
                    {"fpu_occupancy", r.cycles ? Json(*r.fpu_occupancy()) : Json(nullptr)},
                    {"fpu_issues", r.fpu_issues},
                    {"loads", r.loads},
                    {"stores", r.stores},
                    {"freps", r.freps},
                    {"correct", r.correct},
                    {"reason", r.failure}});
    if (context.json) continue;
    if (r.correct) {
      fmt::print("{:<22} {:>9} {:>8.2f} % {:>8} {:>8} {:>6}\n", row.step, *r.cycles,
                 100 * *r.fpu_occupancy(), r.loads, r.stores, r.freps);
    } else {
      fmt::print("{:<22} wrong: {}\n", row.step, r.failure);
    }
  }
  if (context.json) {
    context.print_json("quern.ablate.v1", {{"id", id(point)},
                                           {"board", board.name},
                                           {"timing", timing},
                                           {"kernel", info(point.kernel).name},
                                           {"m", point.m},
                                           {"n", point.n},
                                           {"k", point.k},
                                           {"rows", json}});
  }
  return correct ? ExitCode::good : ExitCode::check_failed;
}

}  // namespace

void add_ablate(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  options->tile.dtype = "f64";
  auto* command = add_subcommand(app, context, "ablate",
                                 "Cycles of a Snitch kernel, one row for each compiler step",
                                 "quern ablate --board snitch --kernel matmul --m 1 --n 5 --k 200",
                                 [options, &context] { return run(context, *options); });
  command->add_option("--board", options->tile.board, "Board name or board file")->required();
  command->add_option("--dtype", options->tile.dtype, "Element type: f64, f32, f16")
      ->capture_default_str();
  command->add_option("--via", options->via,
                      "verilator or simulator (default: as the board file says)");
  add_snitch_options(*command, options->snitch, true);
}

}  // namespace quern::cli
