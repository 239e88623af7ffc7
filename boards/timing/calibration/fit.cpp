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
  if (quantity == Quantity::latency || std::abs(value - whole) < 0.0125 * whole)
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

// Reads every parameter off its loop, in the order in which they build on each other: units, costs
// of instructions, issue, memory.
class Fitter {
 public:
  Fitter(const Json& board, const std::vector<Measurement>& measurements, const std::string& word)
      : measurements_(measurements),
        source_(fmt::format("calibrated ({}) by quern calibrate", word)),
        before_(load_parameters(board, "board")) {
    calibration_.board = board;
  }

  Calibration run() {
    fit_units();
    fit_costs();
    fit_issue();
    fit_memory();
    load_parameters(calibration_.board, "calibrated board");  // must be a board again
    return std::move(calibration_);
  }

 private:
  Json& timing() { return calibration_.board["timing"]; }

  const double* measured(const std::string& name) const {
    for (const Measurement& m : measurements_)
      if (m.name == name) return &m.cycles;
    return nullptr;
  }

  void set(const std::string& loop, double cycles, const std::string& pointer, double value,
           bool whole) {
    Json& entry = calibration_.board[Json::json_pointer(pointer)];
    const double was = entry["value"].get<double>();
    if (whole)
      entry["value"] = static_cast<int>(std::max(1.0, std::round(value)));
    else
      entry["value"] = std::round(100 * value) / 100;
    entry["source"] = source_;
    calibration_.parameters.push_back(
        {loop, pointer + "/value", was, cycles, entry["value"].get<double>(), 0});
  }

  int unit_of(InstructionClass c) const {
    return before_.classes[static_cast<std::size_t>(c)].unit;
  }
  int& count_of(InstructionClass c) {
    return before_.units[static_cast<std::size_t>(unit_of(c))].count;
  }

  void set_count(InstructionClass c, const std::string& loop, double cycles, int count) {
    const std::string& name = before_.units[static_cast<std::size_t>(unit_of(c))].name;
    if (std::find(counted_.begin(), counted_.end(), name) != counted_.end()) return;
    counted_.push_back(name);
    set(loop, cycles, "/timing/units/" + name, count, true);
    count_of(c) = count;
  }

  void fit_units() {
    using enum InstructionClass;
    const auto rate_of = [&](InstructionClass c) -> const double* {
      const std::string name(name_of(c));
      if (const double* rate = measured(name + " occupancy")) return rate;
      return measured(name + " m4 occupancy");
    };
    for (const auto c : {divide, fp_divide_double, vector_load, vector_fma, vector_add}) {
      const auto loop = [&](int copies) { return fmt::format("{} units {}", name_of(c), copies); };
      const double* none = measured(loop(0));
      const double* rate = rate_of(c);
      if (!none || !rate) continue;
      // What follows is late by the occupancy once a copy has found no unit; anything less is the
      // time that the copies themselves take to issue.
      const double late = std::max(0.75 * *rate, 1.5);
      int count = most_copies;
      double cycles = 0;
      std::string decisive = loop(most_copies);
      for (int copies = 1; copies <= most_copies; ++copies) {
        const double* with = measured(loop(copies));
        if (!with) break;
        if (*with - *none < late) continue;
        // The adds themselves need one of the integer units.
        count = unit_of(c) == unit_of(integer) ? copies : copies - 1;
        cycles = *with;
        decisive = loop(copies);
        break;
      }
      set_count(c, decisive, cycles, std::max(count, 1));
    }
    // A scalar load keeps its unit for a cycle: two in a cycle are two units.
    if (const double* rate = measured("load occupancy"); rate && *rate < 0.75)
      set_count(load, "load occupancy", *rate, static_cast<int>(std::round(1 / *rate)));
    else if (rate)
      set_count(load, "load occupancy", *rate, 1);
  }

  void fit_costs() {
    Json& rows = timing()["instructions"];
    for (const MicroBenchmark& benchmark : micro_benchmarks()) {
      const bool latency = benchmark.quantity == Quantity::latency;
      if (!latency && benchmark.quantity != Quantity::occupancy) continue;
      const double* cycles = measured(benchmark.name);
      if (!cycles) continue;
      const auto row_index = own_row(rows, benchmark.instruction_class);
      Json& row = rows[row_index];
      if (row.contains("occupancy_per_element")) continue;
      const char* key = latency ? "latency" : "occupancy";
      const ClassTiming& old =
          before_.classes[static_cast<std::size_t>(benchmark.instruction_class)];
      const auto lmul = static_cast<std::size_t>(std::max(benchmark.lmul_log2, 0) + 3);
      const double was =
          static_cast<double>((latency ? old.latency : old.occupancy)[lmul][2]) / ticks_per_cycle;
      // Units that exist twice take two at once: the loop sees half the occupancy.
      double value = rounded(latency ? *cycles : *cycles * count_of(benchmark.instruction_class),
                             benchmark.quantity);
      // A load's latency that its own occupancy hides may be any that is no longer.
      if (const std::string ending = "to use"; benchmark.name.ends_with(ending)) {
        const std::string stem = benchmark.name.substr(0, benchmark.name.size() - ending.size());
        const double* busy = measured(stem + "occupancy");
        if (busy && *cycles < 1.01 * *busy) value = std::max(1.0, std::min(was, std::floor(*busy)));
      }
      FittedParameter fitted{benchmark.name,
                             fmt::format("/timing/instructions/{}/{}", row_index, key),
                             was,
                             *cycles,
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
      row["source"] = source_;
      calibration_.parameters.push_back(fitted);
    }
    for (Json& row : rows)
      for (const char* key : {"latency", "occupancy"})
        if (row.contains(key)) make_monotone(row[key]);
  }

  void fit_issue() {
    if (const double* four = measured("issue-width"))
      set("issue-width", *four, "/timing/issue/width", std::round(4 / *four), true);
    Json& issue = timing()["issue"];
    if (issue["vector_width"]["value"].get<int>() > issue["width"]["value"].get<int>()) {
      issue["vector_width"]["value"] = issue["width"]["value"];
      issue["vector_width"]["source"] = "assumed: no limit but the width";
    }
    const double* plain = measured("vector-fma m4 occupancy");
    const double* masked = measured("vector-fma m4 masked");
    if (plain && masked)
      set("vector-fma m4 masked", *masked, "/timing/issue/masked_factor",
          std::max(1.0, *masked / *plain), false);
  }

  void fit_memory() {
    const struct {
      const char* loop;
      const char* key;
      bool whole;
    } direct[] = {{"load-latency l2", "l2_latency", true},
                  {"load-latency dram", "dram_latency", true},
                  {"read-line dram", "dram_read_cycles", false},
                  {"write-line dram", "dram_write_cycles", false}};
    for (const auto& item : direct)
      if (const double* cycles = measured(item.loop))
        set(item.loop, *cycles, std::string("/timing/memory/") + item.key, *cycles, item.whole);
    // A level whose lines take longer than latency / slots hides slots; the other may show them.
    // A slot is held until the data comes, which is a hit's latency less than load to use.
    const double* hit = measured("load latency");
    double slots = 0, cycles = 0;
    std::string loop;
    for (const char* level : {"l2", "dram"}) {
      const double* latency = measured(fmt::format("load-latency {}", level));
      const double* chase = measured(fmt::format("chase-16 {}", level));
      if (!latency || !chase || *chase <= 0) continue;
      const double busy = 16 * (*latency - (hit ? *hit : 0)) / *chase;
      if (busy <= slots) continue;
      slots = busy;
      cycles = *chase;
      loop = fmt::format("chase-16 {}", level);
    }
    if (slots > 0) set(loop, cycles, "/timing/memory/miss_slots", slots, true);
  }

  Calibration calibration_;
  const std::vector<Measurement>& measurements_;
  std::string source_;
  Parameters before_;
  std::vector<std::string> counted_;
};

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
  return Fitter(board, measurements, timing_word).run();
}

}  // namespace quern::timing
