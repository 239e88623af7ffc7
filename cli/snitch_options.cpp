#include "cli/snitch_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "base/file.h"
#include "bench/snitch/published.h"
#include "bench/snitch/runner.h"
#include "boards/timing_word.h"
#include "generator/snitch/generate.h"

namespace quern::cli {

using generator::snitch::KernelInfo;
using generator::snitch::Point;

namespace {

int tile_factor(const std::string& option, const std::string& text) {
  if (text.empty()) return 0;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) {
    throw bad_input("{}: \"{}\": expected a whole number of 1 or more", option, text);
  }
  return value;
}

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

void add_snitch_options(CLI::App& command, SnitchOptions& options, bool measures) {
  std::string names;
  for (const KernelInfo& kernel : generator::snitch::kernels()) {
    names += (names.empty() ? "" : ", ") + std::string(kernel.name);
  }
  command.add_option("--kernel", options.kernel, names + " (default matmul)")
      ->group("Snitch boards");
  command.add_option("--m", options.m, "Rows of the output")->group("Snitch boards");
  command.add_option("--n", options.n, "Columns of the output")->group("Snitch boards");
  command.add_option("--k", options.k, "Length of the reduction")->group("Snitch boards");
  command
      .add_option("--point", options.point,
                  "A kernel point's id instead of the other options; \"-no-PASS\" at its end "
                  "switches a compiler pass off (streams, replacement, frep, fuse, jam)")
      ->group("Snitch boards");
  if (!measures) return;
  command
      .add_option("--simulator", options.simulator,
                  "Run on this program (takes an ELF file) instead of the RTL here")
      ->group("Snitch boards");
}

Point snitch_point(const SnitchOptions& options, const PointOptions& tile) {
  if (!options.point.empty()) {
    if (options.kernel || options.m || options.n || options.k || !tile.m_r.empty() ||
        !tile.n_r.empty()) {
      throw bad_input("--point: has all in its id; leave out --kernel, --m, --n, --k, --mr, --nr");
    }
    return generator::snitch::parse_id(options.point);
  }
  Point point;
  point.kernel = generator::snitch::parse_kernel(options.kernel.value_or("matmul"));
  point.type = generator::snitch::parse_type(tile.dtype);
  const KernelInfo& kernel = info(point.kernel);
  const auto size = [&](const char* name, const std::optional<std::int64_t>& given, bool used) {
    if (used && !given) throw bad_input("{}: missing; {} needs it", name, kernel.name);
    if (!used && given) throw bad_input("{}: {} has no such size", name, kernel.name);
    return given.value_or(1);
  };
  point.m = size("--m", options.m, kernel.uses_mn);
  point.n = size("--n", options.n, kernel.uses_mn);
  point.k = size("--k", options.k, kernel.uses_k);
  point.m_r = tile_factor("--mr", tile.m_r);
  point.n_r = tile_factor("--nr", tile.n_r);
  check(point);
  return point;
}

void require_snitch(const boards::Board& board, const std::string& command) {
  if (board.kind != "snitch") {
    throw bad_input("--board: \"{}\" is of kind {}; {} needs one of kind snitch", board.name,
                    board.kind, command);
  }
}

bench::snitch::Simulate snitch_simulator(const boards::Board& board, const std::string& via,
                                         const SnitchOptions& options) {
  const std::string& simulator = options.simulator;
  const std::string how = !via.empty() ? via : simulator.empty() ? board.via : "simulator";
  if (how != "verilator" && how != "simulator")
    throw bad_input("--via: \"{}\": expected verilator or simulator", how);
  if (how == "verilator" && !simulator.empty())
    throw bad_input("--simulator: not used with --via verilator");
  boards::Machine machine;
  machine.board = board.name;
  if (!simulator.empty()) machine.settings["simulator"] = simulator;
  return bench::snitch::simulate_on(boards::transport_kind(how).make(machine), options.time_limit);
}

namespace {

// One line a published row, most work last as in the file; 1 unless all are reached.
ExitCode compare_with_published(Context& context, const boards::Board& board,
                                const bench::snitch::Setup& setup, const std::string& file) {
  const auto rows = bench::snitch::read_published(file, context.root);
  Json json = Json::array();
  std::size_t reached = 0;
  if (!context.json) {
    fmt::print("{:<40} {:>8} {:>10} {:>7}\n", "kernel point", "cycles", "published", "ratio");
  }
  for (const auto& row : rows) {
    const bench::snitch::Result r = bench::snitch::bench(row.point, setup);
    const bool good = reaches(row, r);
    if (good) ++reached;
    json.push_back({{"id", r.id},
                    {"cycles", r.cycles ? Json(*r.cycles) : Json(nullptr)},
                    {"published_cycles", row.cycles},
                    {"implementation", row.implementation},
                    {"correct", r.correct},
                    {"reason", r.failure},
                    {"reached", good}});
    if (context.json) continue;
    if (r.cycles) {
      fmt::print("{:<40} {:>8} {:>10} {:>7.3f}{}\n", r.id, *r.cycles, row.cycles,
                 static_cast<double>(*r.cycles) / static_cast<double>(row.cycles),
                 good ? "" : "  slower");
    } else {
      fmt::print("{:<40} wrong: {}\n", r.id, r.failure);
    }
    std::fflush(stdout);
  }
  if (context.json) {
    context.print_json("quern.bench.published.v1",
                       {{"board", board.name},
                        {"timing", boards::to_string(boards::Timing::rtl)},
                        {"rows", json},
                        {"reached", reached}});
  } else {
    fmt::print("{} of {} at or below the published cycles\n", reached, rows.size());
  }
  return reached == rows.size() ? ExitCode::good : ExitCode::check_failed;
}

}  // namespace

ExitCode run_snitch_bench(Context& context, const boards::Board& board, const std::string& via,
                          const SnitchOptions& options, const PointOptions& tile) {
  const bench::snitch::Setup setup{context.root, context.build / "snitch",
                                   snitch_simulator(board, via, options)};
  if (!options.published.empty()) {
    return compare_with_published(context, board, setup, options.published);
  }
  const Point point = snitch_point(options, tile);
  const bench::snitch::Result r = bench::snitch::bench(point, setup);
  const std::string timing(boards::to_string(boards::Timing::rtl));
  std::optional<double> gflops;
  if (r.cycles) {
    gflops = static_cast<double>(r.flops) / static_cast<double>(*r.cycles) * board.clock_hz / 1e9;
  }
  if (context.json) {
    context.print_json("quern.bench.v1",
                       {{"id", r.id},
                        {"board", board.name},
                        {"timing", timing},
                        {"kernel", info(point.kernel).name},
                        {"dtype", name_of(point.type)},
                        {"m", point.m},
                        {"n", point.n},
                        {"k", point.k},
                        {"cycles", r.cycles ? Json(*r.cycles) : Json(nullptr)},
                        {"cold_cycles", r.cold_cycles ? Json(*r.cold_cycles) : Json(nullptr)},
                        {"gflops", number(gflops)},
                        {"peak_fraction", number(r.peak_fraction())},
                        {"fpu_occupancy", number(r.fpu_occupancy())},
                        {"fpu_issues", r.fpu_issues},
                        {"loads", r.loads},
                        {"stores", r.stores},
                        {"freps", r.freps},
                        {"correct", r.correct},
                        {"reason", r.failure},
                        {"max_error", number(r.max_error)}});
  } else if (!r.correct) {
    fmt::print("{} on {}: wrong: {}\n", r.id, board.name, r.failure);
  } else {
    fmt::print("{} on {} ({})\n", r.id, board.name, timing);
    fmt::print("  {} cycles warm, {} cold\n", *r.cycles, *r.cold_cycles);
    fmt::print("  {:.1f} % of the peak, {:.2f} GFLOPS at {:.2f} GHz\n", 100 * *r.peak_fraction(),
               *gflops, board.clock_hz / 1e9);
    fmt::print("  FPU occupancy {:.1f} % ({} issues)\n", 100 * *r.fpu_occupancy(), r.fpu_issues);
    fmt::print("  correct, largest error {}\n", r.max_error.value_or(0));
  }
  return r.correct ? ExitCode::good : ExitCode::check_failed;
}

ExitCode run_snitch_generate(Context& context, const boards::Board& board,
                             const SnitchOptions& options, const PointOptions& tile,
                             const std::string& output) {
  const auto kernel = generator::snitch::generate(snitch_point(options, tile));
  if (!output.empty()) {
    write_file(output, kernel.assembly);
    context.say(fmt::format("wrote {} ({})", output, kernel.id));
  }
  if (context.json) {
    context.print_json("quern.generate.v1", {{"id", kernel.id},
                                             {"symbol", kernel.symbol},
                                             {"board", board.name},
                                             {"source", kernel.assembly},
                                             {"file", output},
                                             {"levels",
                                              {{"loop_nests", kernel.loop_nests},
                                               {"streams", kernel.stream_nests},
                                               {"program", kernel.program}}}});
  } else if (output.empty()) {
    fmt::print("{}", kernel.assembly);
  }
  return ExitCode::good;
}

}  // namespace quern::cli
