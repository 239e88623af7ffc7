#include "boards/timing/calibration/fit.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "boards/timing/calibration/micro_benchmarks.h"

namespace quern::timing {
namespace {

// Two decimals of occupancy are all that a loop can tell; latencies are whole cycles unless they
// are far off.
double rounded(double value, Quantity quantity) {
  const double whole = std::round(value);
  if (quantity == Quantity::latency || std::abs(value - whole) < 0.02 * whole)
    return std::max(1.0, whole);
  return std::round(100 * value) / 100;
}

// The row of a class, split off from its companions when only this class was measured.
std::size_t own_row(Json& rows, InstructionClass c) {
  const std::string name(name_of(c));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Json& classes = rows[i]["classes"];
    const auto at = std::find(classes.begin(), classes.end(), name);
    if (at == classes.end()) continue;
    if (classes.size() == 1) return i;
    Json own = rows[i];
    own["classes"] = {name};
    classes.erase(at);
    rows.push_back(std::move(own));
    return rows.size() - 1;
  }
  throw bad_input("/timing/instructions: no row for class \"{}\"", name);
}

void make_array(Json& value, double missing) {
  if (value.is_array()) return;
  const Json one = value.is_number() ? value : Json(missing);
  value = {one, one, one, one};
}

// Values may not fall with LMUL (a loop's rounding can make them).
void make_monotone(Json& value) {
  if (!value.is_array()) return;
  for (std::size_t i = 1; i < value.size(); ++i)
    if (value[i].get<double>() < value[i - 1].get<double>()) value[i] = value[i - 1];
}

const Measurement* find(const std::vector<Measurement>& measurements, const std::string& name) {
  for (const Measurement& m : measurements)
    if (m.name == name) return &m;
  return nullptr;
}

}  // namespace

std::vector<Measurement> parse_measurements(const std::string& output) {
  std::vector<Measurement> measurements;
  std::istringstream lines(output);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const Json json = parse_json(line, fmt::format("calibration output line {}", number));
    if (!json.is_object() || !json.contains("name") || !json.contains("cycles") ||
        !json["cycles"].is_number())
      throw bad_input("calibration output line {}: expected {{\"name\": ..., \"cycles\": ...}}",
                      number);
    measurements.push_back({json["name"].get<std::string>(), json["cycles"].get<double>()});
  }
  return measurements;
}

Calibration fit(const Json& board, const std::vector<Measurement>& measurements,
                const std::string& timing_word) {
  Calibration calibration;
  calibration.board = board;
  const Parameters before = load_parameters(board, "board");
  Json& timing = calibration.board["timing"];
  Json& rows = timing["instructions"];

  for (const MicroBenchmark& benchmark : micro_benchmarks()) {
    const Measurement* measured = find(measurements, benchmark.name);
    if (!measured) continue;
    const auto row_index = own_row(rows, benchmark.instruction_class);
    Json& row = rows[row_index];
    if (row.contains("occupancy_per_element")) continue;
    const bool latency = benchmark.quantity == Quantity::latency;
    const char* key = latency ? "latency" : "occupancy";
    const ClassTiming& old = before.classes[static_cast<std::size_t>(benchmark.instruction_class)];
    const auto lmul = static_cast<std::size_t>(std::max(benchmark.lmul_log2, 0) + 3);
    const double was =
        static_cast<double>((latency ? old.latency : old.occupancy)[lmul][2]) / ticks_per_cycle;
    // A unit that exists twice takes two at once: the loop sees half the occupancy.
    double value = measured->cycles;
    if (!latency) value *= before.units[static_cast<std::size_t>(old.unit)].count;
    value = rounded(value, benchmark.quantity);

    FittedParameter fitted{benchmark.name,
                           fmt::format("/timing/instructions/{}/{}", row_index, key),
                           was,
                           measured->cycles,
                           value,
                           0};
    if (benchmark.lmul_log2 < 0) {
      if (row.contains(key) && row[key].is_array())
        row[key] = {value, value, value, value};
      else
        row[key] = value;
    } else {
      make_array(row[key], 1);
      row[key][static_cast<std::size_t>(benchmark.lmul_log2)] = value;
      fitted.pointer += "/" + std::to_string(benchmark.lmul_log2);
    }
    row["source"] = fmt::format("calibrated ({}) by quern calibrate", timing_word);
    calibration.parameters.push_back(fitted);
  }
  for (Json& row : rows)
    for (const char* key : {"latency", "occupancy"})
      if (row.contains(key)) make_monotone(row[key]);

  const struct {
    const char* loop;
    const char* key;
    bool whole;
  } memory[] = {{"load-latency l2", "l2_latency", true},
                {"load-latency dram", "dram_latency", true},
                {"miss-slots", "miss_slots", true},
                {"read-line dram", "dram_read_cycles", false},
                {"write-line dram", "dram_write_cycles", false}};
  for (const auto& item : memory) {
    const Measurement* measured = find(measurements, item.loop);
    if (!measured) continue;
    Json& entry = timing["memory"][item.key];
    const double was = entry["value"].get<double>();
    const double value = item.whole ? std::max(1.0, std::round(measured->cycles))
                                    : std::round(100 * measured->cycles) / 100;
    entry["value"] = item.whole ? Json(static_cast<int>(value)) : Json(value);
    entry["source"] = fmt::format("calibrated ({}) by quern calibrate", timing_word);
    calibration.parameters.push_back({item.loop, fmt::format("/timing/memory/{}/value", item.key),
                                      was, measured->cycles, value, 0});
  }
  load_parameters(calibration.board, "calibrated board");  // must be a board again
  return calibration;
}

}  // namespace quern::timing
