#include "boards/timing/calibration/fit.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/error.h"
#include "boards/timing/calibration/fitting.h"
#include "boards/timing/calibration/micro_benchmarks.h"

namespace quern::timing {
namespace {

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

double latency_value(double cycles) { return std::max(1.0, std::round(cycles)); }

// Reads the costs of instructions off their loops, in the order in which they build on each other:
// the order of results, units, costs, issue.
class InstructionFitter {
 public:
  explicit InstructionFitter(Fitting& f) : f_(f), before_(f.before) {}

  void run() {
    fit_order();
    fit_units();
    fit_costs();
    fit_issue();
  }

 private:
  Json& timing() { return f_.calibration.board["timing"]; }
  const double* measured(const std::string& name) const { return f_.measured(name); }

  int unit_of(InstructionClass c) const {
    return before_.classes[static_cast<std::size_t>(c)].unit;
  }
  int& count_of(InstructionClass c) {
    return before_.units[static_cast<std::size_t>(unit_of(c))].count;
  }

  void set_count(InstructionClass c, const std::string& loop, int count) {
    const std::string& name = before_.units[static_cast<std::size_t>(unit_of(c))].name;
    if (std::find(counted_.begin(), counted_.end(), name) != counted_.end()) return;
    counted_.push_back(name);
    f_.set_whole(loop, "/timing/units/" + name, count);
    count_of(c) = count;
  }

  // What comes after an fdiv waits for it only where results are written in order: the integer
  // adds under `all`, the fld and the vadd under `fp-and-vector`. The rule whose three waits are
  // nearest to the measured ones.
  void fit_order() {
    const double *none = measured("order adds"), *adds = measured("order fdiv"),
                 *fld = measured("order fdiv fld"), *vadd = measured("order fdiv vadd"),
                 *slow = measured("fp-divide-double latency"),
                 *add = measured("vector-add m1 latency");
    if (!none || !adds || !fld || !vadd || !slow || !add) return;
    const double load = to_use("fp-load to use");
    const std::string pointer = "/timing/issue/in_order_results";
    if (*slow - std::max(load, *add) < 4) {
      f_.keep("order fdiv fld", pointer, "an fdiv is hardly slower than what comes after it");
      return;
    }
    const struct {
      InOrder rule;
      const char* name;
      double waits[3];
    } rules[] = {{InOrder::none, "none", {0, 0, 0}},
                 {InOrder::fp_and_vector, "fp-and-vector", {0, *slow - load, *slow - *add}},
                 {InOrder::all, "all", {*slow - 1, *slow - 1, *slow - 1}}};
    const double waits[3] = {*adds - *none, *fld - *none, *vadd - *none};
    const auto* best = &rules[0];
    double least = 1e300;
    for (const auto& rule : rules) {
      double off = 0;
      for (int i = 0; i < 3; ++i) off += std::pow(waits[i] - rule.waits[i], 2);
      if (off < least) least = off, best = &rule;
    }
    f_.order = best->rule;
    f_.set("order fdiv fld", pointer, best->name);
  }

  // Latency from the loop in which an instruction of known latency takes the place of this one; 0:
  // not measured.
  double to_use(const MicroBenchmark& benchmark) const {
    const double *use = measured(benchmark.name), *same = measured(benchmark.reference),
                 *chain = measured(benchmark.known);
    return use && same && chain ? *use - *same + std::round(*chain) : 0;
  }
  double to_use(std::string_view loop) const {
    for (const MicroBenchmark& benchmark : micro_benchmarks())
      if (benchmark.name == loop) return to_use(benchmark);
    return 0;
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
      // Where all results are written in order the adds wait for the first copy anyway, but not
      // for a unit.
      const bool ordered = f_.order == InOrder::all;
      const double* base = ordered ? measured(loop(1)) : none;
      if (!base) continue;
      int count = most_copies;
      std::string decisive = loop(most_copies);
      for (int copies = ordered ? 2 : 1; copies <= most_copies; ++copies) {
        const double* with = measured(loop(copies));
        if (!with) break;
        if (*with - *base < late) continue;
        // The adds themselves need one of the integer units.
        count = unit_of(c) == unit_of(integer) && !ordered ? copies : copies - 1;
        decisive = loop(copies);
        break;
      }
      set_count(c, decisive, std::max(count, 1));
    }
    // A scalar load keeps its unit for a cycle: two in a cycle are two units.
    if (const double* rate = measured("load occupancy"); rate && *rate < 0.75)
      set_count(load, "load occupancy", static_cast<int>(std::round(1 / *rate)));
    else if (rate)
      set_count(load, "load occupancy", 1);
  }

  // "vector-fma m2" of "vector-fma m2 to use".
  static std::string stem_of(const MicroBenchmark& benchmark) {
    const std::string group =
        benchmark.lmul_log2 < 0 ? "" : fmt::format(" m{}", 1 << benchmark.lmul_log2);
    return std::string(name_of(benchmark.instruction_class)) + group;
  }

  // Cycles an instruction of an occupancy loop without the loop's own branch, which comes a cycle
  // after the last instruction has issued, or with its result where results are in order.
  double without_loop(const MicroBenchmark& benchmark, double cycles) const {
    double begin = 1;
    if (f_.order == InOrder::all) {
      const double* chain = measured(stem_of(benchmark) + " latency");
      if (chain) begin = std::max(begin, *chain);
      begin = std::max(begin, to_use(stem_of(benchmark) + " to use"));
    }
    return cycles - std::max(0.0, begin + f_.taken_branch_bubble - cycles) / benchmark.divisor;
  }

  void fit_costs() {
    Json& rows = timing()["instructions"];
    for (const MicroBenchmark& benchmark : micro_benchmarks()) {
      const bool latency =
          benchmark.quantity == Quantity::to_use || benchmark.quantity == Quantity::latency;
      if (!latency && benchmark.quantity != Quantity::occupancy) continue;
      const double* cycles = measured(benchmark.name);
      if (!cycles) continue;
      double shown = *cycles;
      if (benchmark.quantity == Quantity::to_use) {
        shown = to_use(benchmark);
        if (shown == 0) continue;
        const double* chain = measured(stem_of(benchmark) + " latency");
        if (chain && std::round(*chain) <= std::round(shown)) continue;  // has been set
      }
      const auto row_index = own_row(rows, benchmark.instruction_class);
      Json& row = rows[row_index];
      if (row.contains("occupancy_per_element")) continue;
      const char* key = latency ? "latency" : "occupancy";
      const ClassTiming& old =
          before_.classes[static_cast<std::size_t>(benchmark.instruction_class)];
      const auto lmul = static_cast<std::size_t>(std::max(benchmark.lmul_log2, 0) + 3);
      const double was =
          static_cast<double>((latency ? old.latency : old.occupancy)[lmul][2]) / ticks_per_cycle;
      // Units that exist twice take two at once: the loop sees half the occupancy. Latencies are
      // whole cycles.
      const double value = latency ? latency_value(shown)
                                   : std::max(0.01, rounded(without_loop(benchmark, *cycles) *
                                                            count_of(benchmark.instruction_class)));
      FittedParameter fitted{benchmark.name,
                             fmt::format("/timing/instructions/{}/{}", row_index, key),
                             was,
                             *cycles,
                             value,
                             0,
                             {}};
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
      row["source"] = f_.source;
      f_.calibration.parameters.push_back(fitted);
    }
    for (Json& row : rows)
      for (const char* key : {"latency", "occupancy"})
        if (row.contains(key)) make_monotone(row[key]);
  }

  void fit_issue() {
    const double *mixed = measured("issue-width"), *brief = measured("issue-width short");
    if (mixed) {
      const bool shorter = brief && *brief < *mixed;
      // Without the loop's own branch and its bubble, a 32nd of which is in each four.
      const double four = (shorter ? *brief : *mixed) - (1 + f_.taken_branch_bubble) / 32.0;
      f_.width = static_cast<int>(std::max(1.0, std::round(4 / std::max(four, 0.5))));
      f_.set_whole(shorter ? "issue-width short" : "issue-width", "/timing/issue/width", f_.width);
    }
    Json& issue = timing()["issue"];
    if (issue["vector_width"]["value"].get<int>() > issue["width"]["value"].get<int>()) {
      issue["vector_width"]["value"] = issue["width"]["value"];
      issue["vector_width"]["source"] = "assumed: no limit but the width";
    }
    const double* plain = measured("vector-fma m4 occupancy");
    const double* masked = measured("vector-fma m4 masked");
    if (plain && masked)
      f_.set_number("vector-fma m4 masked", "/timing/issue/masked_factor",
                    std::max(1.0, *masked / *plain));
    fit_store_slack();
    const double *within = measured("vector-load m1 occupancy"),
                 *crossing = measured("vector-load m1 crossing");
    if (within && crossing)
      f_.set_number("vector-load m1 crossing", "/timing/memory/line_cross",
                    std::max(0.0, (*crossing - *within) * count_of(InstructionClass::vector_load)));
  }

  // The fadd waits for the fdiv's result, the store only until so many cycles before.
  void fit_store_slack() {
    const double *data = measured("store-data"), *use = measured("store-data use");
    if (!data || !use) return;
    const std::string pointer = "/timing/issue/store_data_slack";
    if (f_.order == InOrder::all)
      f_.keep("store-data", pointer, "the adds wait for the fdiv, whatever the store does");
    else
      f_.set_whole("store-data", pointer, *use - *data, 0);
  }

  Fitting& f_;
  Parameters before_;  // with the counts of units as they are found
  std::vector<std::string> counted_;
};

}  // namespace

double rounded(double value) {
  const double whole = std::round(value);
  return std::abs(value - whole) < 0.0125 * whole ? whole : std::round(100 * value) / 100;
}

const double* Fitting::measured(const std::string& name) const {
  for (const Measurement& m : measurements)
    if (m.name == name) return &m.cycles;
  return nullptr;
}

std::vector<double> Fitting::family(const std::string& prefix, int first, int last,
                                    const std::string& suffix) const {
  std::vector<double> times;
  for (int i = first; i <= last; ++i) {
    const double* cycles = measured(fmt::format("{}{}{}", prefix, i, suffix));
    if (!cycles) return {};
    times.push_back(*cycles);
  }
  return times;
}

FittedParameter& Fitting::row(const std::string& loop, const std::string& pointer,
                              const Json& fallback) {
  const Json::json_pointer at(pointer + "/value");
  const Json was = calibration.board.contains(at) ? calibration.board[at] : fallback;
  const double* cycles = measured(loop);
  calibration.parameters.push_back(
      {loop, pointer + "/value", was, cycles ? *cycles : 0, was, 0, {}});
  return calibration.parameters.back();
}

void Fitting::set(const std::string& loop, const std::string& pointer, Json value, Json fallback) {
  FittedParameter& fitted = row(loop, pointer, fallback);
  fitted.value = value;
  calibration.board[Json::json_pointer(pointer)] = {{"value", std::move(value)},
                                                    {"source", source}};
}

void Fitting::set_whole(const std::string& loop, const std::string& pointer, double value,
                        int least) {
  set(loop, pointer, static_cast<int>(std::max<double>(least, std::round(value))));
}

void Fitting::set_number(const std::string& loop, const std::string& pointer, double value) {
  // Line times and the like: a loop tells them to a few parts in a thousand.
  const double whole = std::round(value);
  set(loop, pointer,
      std::abs(value - whole) < 0.002 * whole ? whole : std::round(100 * value) / 100);
}

void Fitting::keep(const std::string& loop, const std::string& pointer, const std::string& reason,
                   Json fallback) {
  row(loop, pointer, fallback).kept = reason;
}

Calibration fit(const Json& board, const std::vector<Measurement>& measurements,
                const std::string& timing_word) {
  Fitting fitting{.calibration = {},
                  .measurements = measurements,
                  .source = fmt::format("calibrated ({}) by quern calibrate", timing_word),
                  .before = load_parameters(board, "board")};
  fitting.calibration.board = board;
  fit_bubble(fitting);  // every loop has a branch
  InstructionFitter(fitting).run();
  fit_branches(fitting);
  fit_memory(fitting);
  fit_prefetcher(fitting);
  try {
    load_parameters(fitting.calibration.board, "calibrated board");  // must be a board again
  } catch (const Error& error) {
    throw make_error(ExitCode::check_failed,
                     "calibration: what was measured is no board that the model accepts: {}; "
                     "nothing was written",
                     error.what());
  }
  return std::move(fitting.calibration);
}

}  // namespace quern::timing
