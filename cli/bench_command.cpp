// quern bench: one kernel point, verified and then timed.
#include <fmt/core.h>

#include "base/interrupt.h"
#include "base/statistics.h"
#include "boards/session.h"
#include "cli/bench_document.h"
#include "cli/commands.h"
#include "cli/point_options.h"
#include "cli/snitch_options.h"
#include "tuner/journal.h"
#include "tuner/measure.h"

namespace quern::cli {
namespace {

struct Options {
  const CLI::App* command = nullptr;
  PointOptions point;
  SnitchOptions snitch;
  std::string via;
  tuner::MeasureOptions measure;
};

ExitCode report(Context& context, const tuner::Record& record) {
  const bool correct = record.outcome == tuner::Outcome::ok;
  const Json cycles = record.cycles.empty() ? Json(nullptr) : Json(median(record.cycles));
  if (context.json) {
    Json document = bench_document(record);
    document["cycles_per_k"] = cycles.is_null() || record.k == 0
                                   ? Json(nullptr)
                                   : Json(cycles.get<double>() / static_cast<double>(record.k));
    context.print_json("quern.bench.v1", document);
  } else if (!correct) {
    fmt::print(
        "{} on {}: {}: {}{}\n", record.id, record.board, tuner::to_string(record.outcome),
        record.reason,
        record.outcome == tuner::Outcome::poor_code ? " (--allow-poor runs it all the same)" : "");
  } else {
    fmt::print("{} on {} ({}), k_c = {}\n", record.id, record.board, record.timing, record.k);
    if (record.gflops) {
      fmt::print("  {:.2f} GFLOPS, {:.1f} % of the peak", *record.gflops,
                 100 * record.peak_fraction.value_or(0));
      if (!record.cycles.empty()) {
        fmt::print(", {:.2f} cycles per k", cycles.get<double>() / static_cast<double>(record.k));
      }
      fmt::print("\n");
    }
    fmt::print("  correct, largest error {:.1e} of its magnitude\n", record.max_error.value_or(0));
    if (!record.reason.empty()) {
      fmt::print("  {}; `quern predict` gives a static figure\n", record.reason);
    }
  }
  return tuner::exit_code(record.outcome);
}

ExitCode run(Context& context, const Options& options) {
  const InterruptGuard guard;
  const boards::Board board = boards::load_board(context.root, options.point.board);
  refuse_foreign_options(*options.command, board);
  if (board.kind == "snitch") {
    return run_snitch_bench(context, board, options.via, options.snitch, options.point);
  }
  boards::Session session(board, options.via);
  const auto point = options.snitch.point.empty()
                         ? point_of(options.point, session.board())
                         : point_named(options.snitch.point, options.point, session.board());
  const boards::Compiler compiler(session.board(), context.root, context.build);
  tuner::Journal journal(tuner::journal_file(context.results, session.board().name));
  ExitCode code = ExitCode::interrupted;
  tuner::measure_kernels(session, compiler, context.root, {point}, options.measure,
                         [&](const tuner::Record& record) {
                           code = report(context, record);  // seen even where it cannot be kept
                           journal.append(record);
                         });
  return code;
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command =
      add_subcommand(app, context, "bench", "Verify and time one micro-kernel on a board",
                     "quern bench --board bpi-f3 --dtype f32 --mr 16 --nr 15 --kc 256",
                     [options, &context] { return run(context, *options); });
  options->command = command;
  add_point_options(*command, options->point, Tiles::one);
  command->add_option("--kc", options->measure.k_c, "k of the packed panels")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str()
      ->group(rvv_group);
  add_snitch_options(*command, options->snitch, true);
  command
      ->add_flag("--allow-poor", options->measure.allow_poor,
                 "Run the kernel even if its inner loop spills or has a vsetvli")
      ->group(rvv_group);
  command
      ->add_option("--published", options->snitch.published,
                   "Bench every kernel of this file (results/published/snitch_kernels.json) and "
                   "compare with its cycles")
      ->group(snitch_group);
  command
      ->add_option_function<double>(
          "--time-limit",
          [options](double seconds) {
            options->measure.time_limit =
                std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
            options->snitch.time_limit = options->measure.time_limit;
          },
          "Seconds, of this host's clock (default 120; one hour for a simulation)")
      ->check(time_limit);
  command->add_option("--via", options->via,
                      "How to reach the board (default: as the board file says)");
}

}  // namespace quern::cli
