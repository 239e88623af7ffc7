// quern compare: whole GEMMs beside OpenBLAS, BLIS and Eigen.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/interrupt.h"
#include "bench/compare.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "tuner/journal.h"
#include "tuner/measure.h"

namespace quern::cli {
namespace {

struct Options {
  std::string board, via, shapes, dtype = "f32";
  std::vector<std::string> against = {"openblas"};
  bench::CompareOptions compare;
};

// "nn", "tn", "nt" or "tt": how A and B are stored.
std::string trans_word(const bench::CompareOptions& options) {
  return std::string(options.trans_a ? "t" : "n") + (options.trans_b ? "t" : "n");
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json row_json(const bench::CompareRow& row, const boards::Session& session,
              const std::vector<std::string>& peers) {
  const auto at = row.figures.find("quern");
  const bench::Figure ours = at != row.figures.end() ? at->second : bench::Figure{};
  Json out = {{"name", row.shape.name},
              {"m", row.shape.m},
              {"n", row.shape.n},
              {"k", row.shape.k},
              {"timing", boards::to_string(session.timing())},
              {"outcome", boards::to_string(row.outcome)},
              {"reason", row.reason},
              {"id", row.id},
              {"m_c", row.blocking.m_c},
              {"n_c", row.blocking.n_c},
              {"k_c", row.blocking.k_c},
              {"correct", row.correct()},
              {"quern_correct", ours.correct},
              {"max_error", ours.max_error},
              {"quern_gflops", or_null(ours.gflops)},
              {"quern_cycles", ours.cycles}};
  Json ratios = Json::object();
  for (const auto& peer : peers) {
    const auto theirs = row.figures.find(peer);
    const bench::Figure figure = theirs != row.figures.end() ? theirs->second : bench::Figure{};
    out[peer + "_gflops"] = or_null(figure.gflops);
    out[peer + "_cycles"] = figure.cycles;
    out[peer + "_correct"] = figure.correct;
    out[peer + "_max_error"] = figure.max_error;
    if (const auto r = bench::ratio(row, peer)) {
      ratios[peer] = {{"ratio", r->value}, {"ratio_ci", {r->low, r->high}}};
    }
  }
  // Against the first peer.
  const bool have = ratios.contains(peers.front());
  out["ratio"] = have ? ratios[peers.front()]["ratio"] : Json(nullptr);
  out["ratio_ci"] = have ? ratios[peers.front()]["ratio_ci"] : Json(nullptr);
  out["ratios"] = ratios;
  return out;
}

void print_table(const Context& context, const bench::Comparison& comparison,
                 const Options& options, const Json& versions, const boards::Session& session,
                 const std::vector<std::string>& peers) {
  const auto figure = [](const bench::CompareRow& row, const std::string& who) -> std::string {
    const auto at = row.figures.find(who);
    if (at == row.figures.end()) return "-";
    if (!at->second.correct) return "WRONG";
    return at->second.gflops ? fmt::format("{:.2f}", *at->second.gflops) : "empty";
  };
  fmt::print("{}, {} core at {:.2f} GHz, {}{}, GFLOPS ({}), peak {:.1f}\n", session.board().name,
             session.board().core, session.board().clock_hz / 1e9, options.dtype,
             trans_word(options.compare) == "nn" ? "" : " " + trans_word(options.compare),
             boards::to_string(session.timing()), session.board().peak_gflops(32));
  fmt::print("{:<12} {:>6} {:>6} {:>6} {:>9}", "layer", "m", "n", "k", "quern");
  for (const auto& peer : peers) fmt::print(" {:>9}", peer);
  fmt::print(" {:>7} {:>9}  {}\n", "ratio", "error", "kernel");
  for (const auto& row : comparison.rows) {
    fmt::print("{:<12} {:>6} {:>6} {:>6} {:>9}", row.shape.name, row.shape.m, row.shape.n,
               row.shape.k, figure(row, "quern"));
    for (const auto& peer : peers) fmt::print(" {:>9}", figure(row, peer));
    const auto r = bench::ratio(row, peers.front());
    const std::string shown = fmt::format("{:>7}", r ? fmt::format("{:.2f}", r->value) : "-");
    fmt::print(" {}", r ? context.paint(r->value >= 1, shown) : shown);
    if (r && r->low != r->high) fmt::print(" [{:.2f}, {:.2f}]", r->low, r->high);
    const auto ours = row.figures.find("quern");
    fmt::print(" {:>9}  {}\n",
               ours != row.figures.end() ? fmt::format("{:.1e}", ours->second.max_error) : "-",
               row.id);
    if (row.outcome != boards::Outcome::ok) {
      fmt::print("    {}: {}\n", boards::to_string(row.outcome), row.reason);
    }
  }
  for (const auto& peer : peers) {
    if (const auto mean = bench::geomean_ratio(comparison, peer)) {
      fmt::print("geometric mean of the ratios to {}: {:.2f} ({})\n", peer, *mean,
                 boards::to_string(session.timing()));
    }
  }
  for (const auto& [peer, version] : comparison.versions()) fmt::print("{}: {}\n", peer, version);
  fmt::print("quern {}, {}, {}, {}\n", versions["quern"].get<std::string>(),
             versions["compiler"].get<std::string>(), versions.value("emulator", session.via()),
             tuner::utc_now().substr(0, 10));
}

tuner::Record record_of(const bench::CompareRow& row, const std::string& who,
                        const boards::Session& session, const bench::CompareOptions& options,
                        const Json& versions) {
  tuner::Record record;
  record.time = tuner::utc_now();
  record.board = session.board().name;
  record.via = session.via();
  record.timing = boards::to_string(session.timing());
  record.what = "gemm";
  record.who = who;
  record.id = who == "quern" ? row.id : "";
  record.dtype = "f32";
  record.m = row.shape.m;
  record.n = row.shape.n;
  record.k = row.shape.k;
  record.trans = trans_word(options);
  if (who == "quern") {
    record.m_c = row.blocking.m_c;
    record.n_c = row.blocking.n_c;
    record.k_c = row.blocking.k_c;
  }
  record.versions = versions;
  if (const auto peer = row.versions.find(who); peer != row.versions.end()) {
    record.versions["peer"] = peer->second;
  }
  const auto at = row.figures.find(who);
  if (at == row.figures.end()) {
    boards::RunResult result;
    result.outcome = row.outcome;
    record.outcome =
        row.outcome == boards::Outcome::ok ? tuner::Outcome::crash : tuner::outcome_of(result);
    record.reason = row.reason;
    return record;
  }
  const bench::Figure& figure = at->second;
  if (!figure.correct) record.outcome = tuner::Outcome::wrong_result;
  record.max_error = figure.max_error;
  record.cycles = figure.cycles;
  record.seconds = figure.seconds;
  record.instructions = figure.instructions;
  record.unknown_instructions = figure.unknown_instructions;
  tuner::rate(record, session.board().clock_hz, session.board().peak_gflops(32));
  return record;
}

ExitCode run(Context& context, Options options) {
  const InterruptGuard guard;
  for (const auto& peer : options.against) {
    if (std::ranges::find(bench::known_peers, peer) == std::end(bench::known_peers)) {
      throw bad_input("--against: \"{}\": expected some of {}", peer,
                      fmt::join(bench::known_peers, ","));
    }
  }
  options.compare.peers = options.against;
  const auto dtype = generator::parse_dtype(options.dtype);
  if (!dtype || *dtype != generator::DType::f32) {
    throw bad_input(
        "--dtype: \"{}\": whole GEMMs are compared in f32; quern bench measures kernels of "
        "the other types",
        options.dtype);
  }
  boards::Session session(boards::load_board(context.root, options.board), options.via);
  const auto shapes = bench::find_shapes(context.root, options.shapes);
  const auto set = bench::load_kernel_set(context.root, session.board(), *dtype);
  const boards::Compiler compiler(session.board(), context.root, context.build);
  tuner::Journal journal(tuner::journal_file(context.results, session.board().name));
  const Json versions = tuner::versions(session, compiler);

  bench::Comparison comparison;
  {
    Progress progress(shapes.size(), context.verbosity < 0 || context.json);
    comparison = bench::compare(
        session, compiler, context.root, set, shapes, options.compare,
        [&](const bench::CompareRow& row) {
          for (const auto& who : {std::vector<std::string>{"quern"}, options.against}) {
            for (const auto& name : who) {
              journal.append(record_of(row, name, session, options.compare, versions));
            }
          }
          progress.step(row.shape.name);
        });
  }
  if (context.json) {
    Json rows = Json::array();
    for (const auto& row : comparison.rows) rows.push_back(row_json(row, session, options.against));
    Json means = Json::object();
    for (const auto& peer : options.against)
      means[peer] = or_null(bench::geomean_ratio(comparison, peer));
    Json all_versions = versions;
    all_versions["peers"] = comparison.versions();
    context.print_json("quern.compare.v1", {{"board", session.board().name},
                                            {"via", session.via()},
                                            {"timing", boards::to_string(session.timing())},
                                            {"dtype", options.dtype},
                                            {"trans", trans_word(options.compare)},
                                            {"rows", rows},
                                            {"geomean_ratio", means[options.against.front()]},
                                            {"geomean_ratios", means},
                                            {"kernels", set.shipped ? "shipped" : "generated"},
                                            {"versions", all_versions}});
  } else {
    print_table(context, comparison, options, versions, session, options.against);
  }
  if (interrupted()) return ExitCode::interrupted;
  const bool lost = std::ranges::any_of(
      comparison.rows, [](const auto& row) { return row.outcome == boards::Outcome::unavailable; });
  if (lost) return ExitCode::unavailable;
  const bool good =
      std::ranges::all_of(comparison.rows, [](const auto& row) { return row.correct(); });
  return good ? ExitCode::good : ExitCode::check_failed;
}

}  // namespace

void add_compare(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = add_subcommand(
      app, context, "compare", "Compare whole GEMMs, packing included, with other libraries",
      "quern compare --board bpi-f3 --shapes bert-large --against openblas",
      [options, &context] { return run(context, *options); });
  command->add_option("--board", options->board, "Board name or board file")->required();
  command
      ->add_option("--shapes", options->shapes,
                   "A set (bert-large, square-small ...), a file, or m,n,k")
      ->required();
  command
      ->add_option("--against", options->against,
                   "Peers: openblas, blis, eigen; the ratio is to the first one")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--dtype", options->dtype, "Element type [f32]")->capture_default_str();
  command->add_flag("--trans-a", options->compare.trans_a, "A is stored transposed");
  command->add_flag("--trans-b", options->compare.trans_b, "B is stored transposed");
  command
      ->add_option("--samples", options->compare.samples,
                   "Timed runs of each (default: 1 modelled, 11 measured)")
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--time-limit", options->compare.seconds_per_shape,
                   "Seconds a shape may take here")
      ->check(time_limit);
  command->add_option("--via", options->via,
                      "How to reach the board (default: as the board file says)");
}

}  // namespace quern::cli
