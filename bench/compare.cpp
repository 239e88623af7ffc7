#include "bench/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <random>
#include <thread>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/statistics.h"
#include "bench/gemm_program.h"

namespace quern::bench {
namespace {

// The samples that ratios and GFLOPS are made from, in seconds.
std::vector<double> times(const Figure& figure, double clock_hz) {
  if (figure.cycles.empty()) return figure.seconds;
  std::vector<double> out;
  for (double cycles : figure.cycles) out.push_back(cycles / clock_hz);
  return out;
}

Figure figure_from(const Json& line, const boards::Session& session, const Shape& shape) {
  Figure figure;
  figure.correct = line.value("correct", false);
  figure.max_error = line.value("max_error", 0.0);
  if (line.contains("cycles")) {
    figure.cycles = line["cycles"].get<std::vector<double>>();
    figure.instructions = median(line["instructions"].get<std::vector<double>>());
    figure.unknown_instructions = line["unknown_instructions"];
  } else if (session.timing() == boards::Timing::measured && line.contains("seconds")) {
    figure.seconds = line["seconds"].get<std::vector<double>>();
  }
  const double operations = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                            static_cast<double>(shape.k);
  const auto samples = times(figure, session.board().clock_hz);
  if (figure.correct && operations > 0 && !samples.empty()) {
    figure.gflops = operations / median(samples) / 1e9;
  }
  return figure;
}

void read_output(const std::string& output, const boards::Session& session, CompareRow& row) {
  for (std::size_t at = 0; at < output.size();) {
    const auto end = std::min(output.find('\n', at), output.size());
    const Json line = Json::parse(output.substr(at, end - at), nullptr, false);
    at = end + 1;
    if (!line.is_object()) continue;  // a library may print what it likes
    if (line.contains("peer")) row.versions[line["peer"]] = line["version"];
    if (!line.contains("who")) continue;
    row.figures[line["who"]] = figure_from(line, session, row.shape);
    if (line["who"] == "quern") {
      row.id = line["id"];
      row.blocking = {line["m_c"], line["n_c"], line["k_c"]};
    }
  }
}

// A generous limit: a GEMM takes about one guest instruction for 4 operations at VLEN 128 with its
// loads and edges, and the slowest emulation seen does 10 million instructions a second; four times
// that, and two minutes to begin with.
double default_limit(const Shape& shape, std::size_t contestants) {
  const double operations = 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                            static_cast<double>(shape.k);
  return 120 + static_cast<double>(contestants) * operations * 2 / 5e6;
}

}  // namespace

bool CompareRow::correct() const {
  if (outcome != boards::Outcome::ok || figures.empty()) return false;
  return std::all_of(figures.begin(), figures.end(),
                     [](const auto& entry) { return entry.second.correct; });
}

std::map<std::string, std::string> Comparison::versions() const {
  std::map<std::string, std::string> all;
  for (const auto& row : rows) all.insert(row.versions.begin(), row.versions.end());
  return all;
}

Comparison compare(boards::Session& session, const boards::Compiler& compiler,
                   const std::filesystem::path& root, const KernelSet& set,
                   const std::vector<Shape>& shapes, const CompareOptions& options,
                   const std::function<void(const CompareRow&)>& progress) {
  const auto program = build_gemm_program(compiler, root, set, options.peers);
  const bool measured = session.timing() == boards::Timing::measured;
  const int samples = options.samples > 0 ? options.samples : measured ? 11 : 1;
  Comparison out;
  out.rows.resize(shapes.size());
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  // The largest problems first, so that the last one to end is a small one.
  std::vector<std::size_t> order(shapes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto work = [](const Shape& s) { return double(s.m) * double(s.n) * double(s.k); };
    return work(shapes[a]) > work(shapes[b]);
  });

  const auto work = [&] {
    for (std::size_t at; (at = next++) < order.size() && !interrupted();) {
      const Shape& shape = shapes[order[at]];
      boards::Program run{program,
                          {"--samples", std::to_string(samples), "--warmup", measured ? "3" : "1"}};
      for (const auto& peer : options.peers)
        run.arguments.insert(run.arguments.end(), {"--peer", peer});
      if (options.trans_a) run.arguments.push_back("--trans-a");
      if (options.trans_b) run.arguments.push_back("--trans-b");
      run.arguments.insert(run.arguments.end(),
                           {"--shape", fmt::format("s:{},{},{}", shape.m, shape.n, shape.k)});
      run.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(
          1e3 *
          options.seconds_per_shape.value_or(default_limit(shape, options.peers.size() + 1))));
      boards::Session own(session.board(), session.via());
      const boards::RunResult result = own.run(run).result;
      const std::lock_guard lock(mutex);
      CompareRow& row = out.rows[order[at]];
      row.shape = shape;
      row.outcome = result.outcome;
      row.reason = result.reason;
      read_output(result.output, session, row);
      // Exit code 1 is the program's own word for "a result was wrong": the figures say which.
      if (result.outcome == boards::Outcome::nonzero_exit && result.status == 1 &&
          !row.figures.empty()) {
        row.outcome = boards::Outcome::ok;
        row.reason = "a result is wrong";
      } else if (result.outcome != boards::Outcome::ok && !result.errors.empty()) {
        row.reason += ": " + result.errors.substr(0, result.errors.find('\n'));
      }
      progress(row);
    }
  };
  const unsigned jobs = measured ? 1 : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::exception_ptr> failures(jobs);
  {
    std::vector<std::jthread> workers;
    for (auto& failure : failures) {
      workers.emplace_back([&] {
        try {
          work();
        } catch (...) {
          failure = std::current_exception();
        }
      });
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  if (interrupted())
    std::erase_if(out.rows, [](const CompareRow& row) { return row.figures.empty(); });
  return out;
}

std::optional<Ratio> ratio(const CompareRow& row, const std::string& peer) {
  const auto ours = row.figures.find("quern"), theirs = row.figures.find(peer);
  if (ours == row.figures.end() || theirs == row.figures.end()) return std::nullopt;
  if (!ours->second.gflops || !theirs->second.gflops) return std::nullopt;
  const double value = *ours->second.gflops / *theirs->second.gflops;
  const auto a = times(ours->second, 1), b = times(theirs->second, 1);
  const std::size_t pairs = std::min(a.size(), b.size());
  if (pairs < 2) return Ratio{value, value, value};
  std::mt19937_64 random(1);
  std::vector<double> resampled;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::size_t pick = random() % pairs;
      x.push_back(a[pick]);
      y.push_back(b[pick]);
    }
    resampled.push_back(median(y) / median(x));
  }
  std::sort(resampled.begin(), resampled.end());
  return Ratio{value, resampled[50], resampled[1949]};
}

std::optional<double> geomean_ratio(const Comparison& comparison, const std::string& peer) {
  double logs = 0;
  int count = 0;
  for (const auto& row : comparison.rows) {
    if (const auto r = ratio(row, peer)) {
      logs += std::log(r->value);
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  return std::exp(logs / count);
}

}  // namespace quern::bench
