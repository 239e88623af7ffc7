#include "boards/timing/calibration/measurements.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "base/json_file.h"
#include "boards/timing/calibration/loop_shapes.h"
#include "boards/timing/calibration/micro_benchmarks.h"

namespace quern::timing {

std::vector<Measurement> parse_measurements(const std::string& output) {
  std::vector<Measurement> measurements;
  std::istringstream lines(output);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const auto unusable = [&](const std::string& what) {
      return make_error(ExitCode::check_failed,
                        "calibration output line {}: {}; nothing was written. Was the program "
                        "interrupted?",
                        number, what);
    };
    Json json;
    try {
      json = parse_json(line, "calibration output");
    } catch (const Error& error) {
      throw unusable(error.what());
    }
    if (!json.is_object() || !json.contains("name") || !json.contains("cycles") ||
        !json["name"].is_string() || !json["cycles"].is_number())
      throw unusable("expected {\"name\": ..., \"cycles\": ...}");
    measurements.push_back({json["name"].get<std::string>(), json["cycles"].get<double>()});
  }
  return measurements;
}

std::vector<std::string> calibration_loops() {
  using namespace calibration;
  std::vector<std::string> names;
  for (const MicroBenchmark& benchmark : micro_benchmarks()) names.push_back(benchmark.name);
  const auto family = [&](const std::string& prefix, int first, int last,
                          const std::string& suffix = "") {
    for (int i = first; i <= last; ++i) names.push_back(fmt::format("{}{}{}", prefix, i, suffix));
  };
  for (const char* name : {"jump-other", "jump-same", "branch-same", "load-latency l2",
                           "load-latency dram", "paced-hit", "paced-miss", "prefetch-page"})
    names.push_back(name);
  family("branch-period-", 1, most_period);
  family("branch-distance-", first_site, last_site);
  family("gather-", 1, most_gather, " l2");
  family("gather-", 1, most_gather, " dram");
  for (const int lines : dirty_gathers) family("dirty-", lines, lines, " dram");
  for (int n = fewest_pages; n <= most_pages; n *= 2) family("tlb-", n, n);
  family("prefetch-stride-", 1, most_stride);
  family("prefetch-streams-", 1, most_streams);
  family("prefetch-ahead-", 1, most_ahead);
  family("store-burst-", 1, most_stores);
  family("write-run-", 1, most_run);
  family("write-run-", 1, most_run, " near");
  for (const char* level : {"l1", "l2", "dram"})
    for (const char* how : {"scalar", "vector"})
      names.push_back(fmt::format("write-line {} {}", level, how));
  return names;
}

void check_measurements(const std::vector<Measurement>& measurements) {
  // No loop takes longer than a DRAM access of sixteen lines after a thousand slow divisions.
  constexpr double most = 1e6;
  const auto unusable = [](const std::string& name, const std::string& what) {
    return make_error(ExitCode::check_failed,
                      "calibration: loop \"{}\": {}; nothing was written. Was the program "
                      "interrupted, or the board busy? Run it again.",
                      name, what);
  };
  for (const std::string& name : calibration_loops()) {
    const auto is = [&](const Measurement& m) { return m.name == name; };
    const auto found = std::find_if(measurements.begin(), measurements.end(), is);
    if (found == measurements.end()) throw unusable(name, "no measurement");
    if (std::count_if(measurements.begin(), measurements.end(), is) > 1)
      throw unusable(name, "measured twice");
    if (!std::isfinite(found->cycles) || found->cycles <= 0 || found->cycles > most)
      throw unusable(
          name, fmt::format("{} cycles, expected more than 0 and at most {}", found->cycles, most));
  }
}

}  // namespace quern::timing
