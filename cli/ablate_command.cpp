// quern ablate: what each step of the Snitch compiler brings, one row a step.
#include <fmt/core.h>

#include "base/interrupt.h"
#include "boards/session.h"
#include "cli/commands.h"
#include "cli/snitch_options.h"
#include "tuner/journal.h"
#include "tuner/snitch/measure.h"

namespace quern::cli {
namespace {

struct Options {
  const CLI::App* command = nullptr;
  PointOptions tile;
  SnitchOptions snitch;
  std::string via;
};

ExitCode run(Context& context, const Options& options) {
  const InterruptGuard guard;
  const auto board = boards::load_board(context.root, options.tile.board);
  require_snitch(board, "ablate");
  refuse_foreign_options(*options.command, board);
  const auto point = snitch_point(options.snitch, options.tile);
  boards::Session session(board, options.via, options.snitch.simulator);
  const auto steps = bench::snitch::ablation(point);
  std::vector<generator::snitch::Point> points;
  for (const auto& step : steps) points.push_back(step.point);
  tuner::Journal journal(tuner::journal_file(context.results, board.name));
  const std::string timing(boards::to_string(session.timing()));
  ExitCode code = ExitCode::good;
  Json json = Json::array();
  if (!context.json) {
    fmt::print("{} on {} ({})\n", id(point), board.name, timing);
    fmt::print("{:<22} {:>9} {:>10} {:>8} {:>8} {:>6}\n", "step", "cycles", "occupancy", "loads",
               "stores", "freps");
  }
  const auto take = [&](const tuner::snitch::Measurement& measured) {
    const bench::snitch::Result& r = measured.result;
    const std::string& step = steps[json.size()].name;
    if (code == ExitCode::good) code = tuner::exit_code(measured.record.outcome);
    json.push_back({{"step", step},
                    {"id", r.id},
                    {"outcome", tuner::to_string(measured.record.outcome)},
                    {"cycles", r.cycles ? Json(*r.cycles) : Json(nullptr)},
                    {"fpu_occupancy", r.cycles ? Json(*r.fpu_occupancy()) : Json(nullptr)},
                    {"fpu_issues", r.fpu_issues},
                    {"loads", r.loads},
                    {"stores", r.stores},
                    {"freps", r.freps},
                    {"correct", r.correct},
                    {"reason", r.failure}});
    if (!context.json && r.correct) {
      fmt::print("{:<22} {:>9} {:>8.2f} % {:>8} {:>8} {:>6}\n", step, *r.cycles,
                 100 * *r.fpu_occupancy(), r.loads, r.stores, r.freps);
    } else if (!context.json) {
      fmt::print("{:<22} {}: {}\n", step, tuner::to_string(measured.record.outcome), r.failure);
    }
    journal.append(measured.record);
  };
  tuner::snitch::measure_kernels(session, context.root, context.build, points,
                                 options.snitch.time_limit, take);
  if (code == ExitCode::good && json.size() < steps.size()) code = ExitCode::interrupted;
  if (context.json) {
    context.print_json("quern.ablate.v1", {{"id", id(point)},
                                           {"board", board.name},
                                           {"via", session.via()},
                                           {"timing", timing},
                                           {"kernel", info(point.kernel).name},
                                           {"m", point.m},
                                           {"n", point.n},
                                           {"k", point.k},
                                           {"rows", json}});
  }
  return code;
}

}  // namespace

void add_ablate(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  options->tile.dtype = "f64";
  auto* command = add_subcommand(app, context, "ablate",
                                 "Cycles of a Snitch kernel, one row for each compiler step",
                                 "quern ablate --board snitch --kernel matmul --m 1 --n 5 --k 200",
                                 [options, &context] { return run(context, *options); });
  options->command = command;
  command->add_option("--board", options->tile.board, "Board name or board file")->required();
  command->add_option("--dtype", options->tile.dtype, "Element type: f64, f32, f16")
      ->capture_default_str();
  command->add_option("--via", options->via,
                      "verilator or simulator (default: as the board file says)");
  add_snitch_options(*command, options->snitch, true);
}

}  // namespace quern::cli
