// quern bench on boards of kind snitch: one kernel, or all of a file of published ones.
#include <fmt/format.h>

#include <cstdio>

#include "bench/snitch/published.h"
#include "boards/session.h"
#include "cli/bench_document.h"
#include "cli/snitch_options.h"
#include "tuner/journal.h"
#include "tuner/snitch/measure.h"

namespace quern::cli {

using generator::snitch::Point;
using tuner::snitch::Measurement;

namespace {

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json number(const std::optional<std::uint64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void print_row(const bench::snitch::PublishedRow& row, const Measurement& measured, bool reached) {
  const bench::snitch::Result& r = measured.result;
  if (r.cycles) {
    fmt::print("{:<40} {:>8} {:>10} {:>7.3f}{}\n", r.id, *r.cycles, row.cycles,
               static_cast<double>(*r.cycles) / static_cast<double>(row.cycles),
               reached ? "" : "  slower");
  } else {
    fmt::print("{:<40} {}: {}\n", r.id, tuner::to_string(measured.record.outcome), r.failure);
  }
  std::fflush(stdout);
}

// One line a published row, most work last as in the file.
ExitCode compare_with_published(Context& context, boards::Session& session,
                                const SnitchOptions& options) {
  const auto rows = bench::snitch::read_published(options.published, context.root);
  std::vector<Point> points;
  for (const auto& row : rows) points.push_back(row.point);
  tuner::Journal journal(tuner::journal_file(context.results, session.board().name));
  Json json = Json::array();
  std::size_t reached = 0;
  tuner::Outcome last = tuner::Outcome::interrupted;
  if (!context.json) {
    fmt::print("{:<40} {:>8} {:>10} {:>7}\n", "kernel point", "cycles", "published", "ratio");
  }
  const auto take = [&](const Measurement& measured) {
    const auto& row = rows[json.size()];
    const bench::snitch::Result& r = measured.result;
    const bool good = reaches(row, r);
    if (good) ++reached;
    last = measured.record.outcome;
    json.push_back({{"id", r.id},
                    {"outcome", tuner::to_string(measured.record.outcome)},
                    {"cycles", number(r.cycles)},
                    {"published_cycles", row.cycles},
                    {"implementation", row.implementation},
                    {"correct", r.correct},
                    {"reason", r.failure},
                    {"reached", good}});
    if (!context.json) print_row(row, measured, good);
    journal.append(measured.record);
  };
  tuner::snitch::measure_kernels(session, context.root, context.build, points, options.time_limit,
                                 take);
  const std::size_t measured = json.size();
  if (context.json) {
    context.print_json("quern.bench.published.v1", {{"board", session.board().name},
                                                    {"via", session.via()},
                                                    {"timing", boards::to_string(session.timing())},
                                                    {"rows", json},
                                                    {"reached", reached}});
  } else {
    fmt::print("{} of {} at or below the published cycles{}\n", reached, rows.size(),
               measured < rows.size() ? fmt::format("; only {} measured", measured) : "");
  }
  if (last == tuner::Outcome::board_lost) return ExitCode::unavailable;
  if (measured < rows.size() || last == tuner::Outcome::interrupted) return ExitCode::interrupted;
  return reached == rows.size() ? ExitCode::good : ExitCode::check_failed;
}

void print_bench(Context& context, const boards::Board& board, const Point& point,
                 const Measurement& measured) {
  const bench::snitch::Result& r = measured.result;
  const tuner::Record& record = measured.record;
  if (context.json) {
    Json document = bench_document(record);
    document["kernel"] = info(point.kernel).name;
    document["cycles"] = number(r.cycles);
    document["cold_cycles"] = number(r.cold_cycles);
    document["fpu_occupancy"] = number(r.fpu_occupancy());
    document["fpu_issues"] = r.fpu_issues;
    document["loads"] = r.loads;
    document["stores"] = r.stores;
    document["freps"] = r.freps;
    context.print_json("quern.bench.v1", document);
  } else if (!r.correct) {
    fmt::print("{} on {}: {}: {}\n", r.id, board.name, tuner::to_string(record.outcome), r.failure);
  } else {
    fmt::print("{} on {} ({})\n", r.id, board.name, record.timing);
    fmt::print("  {} cycles warm, {} cold\n", *r.cycles, *r.cold_cycles);
    fmt::print("  {:.1f} % of the peak, {:.2f} GFLOPS at {:.2f} GHz\n", 100 * *r.peak_fraction(),
               record.gflops.value_or(0), board.clock_hz / 1e9);
    fmt::print("  FPU occupancy {:.1f} % ({} issues)\n", 100 * *r.fpu_occupancy(), r.fpu_issues);
    fmt::print("  correct, largest error {}\n", r.max_error.value_or(0));
  }
}

}  // namespace

ExitCode run_snitch_bench(Context& context, const boards::Board& board, const std::string& via,
                          const SnitchOptions& options, const PointOptions& tile) {
  boards::Session session(board, via, options.simulator);
  if (!options.published.empty()) {
    if (options.kernel || options.m || options.n || options.k || !options.point.empty() ||
        !tile.m_r.empty() || !tile.n_r.empty()) {
      throw bad_input(
          "--published: benches what its file lists; leave out --kernel, --m, --n, --k, --mr, "
          "--nr, "
          "--point");
    }
    return compare_with_published(context, session, options);
  }
  const Point point = snitch_point(options, tile);
  tuner::Journal journal(tuner::journal_file(context.results, board.name));
  ExitCode code = ExitCode::interrupted;
  tuner::snitch::measure_kernels(session, context.root, context.build, {point}, options.time_limit,
                                 [&](const Measurement& measured) {
                                   // Seen even where it cannot be kept.
                                   print_bench(context, board, point, measured);
                                   code = tuner::exit_code(measured.record.outcome);
                                   journal.append(measured.record);
                                 });
  return code;
}

}  // namespace quern::cli
