#include "cli/snitch_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/file.h"
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
  command.add_option("--kernel", options.kernel, "Snitch: " + names)->group("Snitch boards");
  command.add_option("--m", options.m, "Rows of the output")->group("Snitch boards");
  command.add_option("--n", options.n, "Columns of the output")->group("Snitch boards");
  command.add_option("--k", options.k, "Length of the reduction")->group("Snitch boards");
  command.add_option("--point", options.point, "A kernel point's id instead of the other options")
      ->group("Snitch boards");
  if (!measures) return;
  command
      .add_option("--simulator", options.simulator,
                  "Run on this program (takes an ELF file) instead of the RTL here")
      ->group("Snitch boards");
}

Point snitch_point(const SnitchOptions& options, const PointOptions& tile) {
  if (!options.point.empty()) return generator::snitch::parse_id(options.point);
  Point point;
  point.kernel = generator::snitch::parse_kernel(options.kernel);
  point.type = generator::snitch::parse_type(tile.dtype);
  const KernelInfo& kernel = info(point.kernel);
  const auto size = [&](const char* name, std::int64_t given, bool used) -> std::int64_t {
    if (used && given == 0) throw bad_input("{}: missing; {} needs it", name, kernel.name);
    if (!used && given != 0) throw bad_input("{}: {} has no such size", name, kernel.name);
    return used ? given : 1;
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
                                         const std::string& simulator) {
  const std::string how = !via.empty() ? via : simulator.empty() ? board.via : "simulator";
  if (how != "verilator" && how != "simulator")
    throw bad_input("--via: \"{}\": expected verilator or simulator", how);
  if (how == "verilator" && !simulator.empty())
    throw bad_input("--simulator: not used with --via verilator");
  boards::Machine machine;
  machine.board = board.name;
  if (!simulator.empty()) machine.settings["simulator"] = simulator;
  return bench::snitch::simulate_on(boards::transport_kind(how).make(machine));
}

ExitCode run_snitch_bench(Context& context, const boards::Board& board, const std::string& via,
                          const SnitchOptions& options, const PointOptions& tile) {
  const Point point = snitch_point(options, tile);
  bench::snitch::Setup setup{context.root, context.build / "snitch",
                             snitch_simulator(board, via, options.simulator)};
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
