// The costs of instructions: /timing/instructions.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "boards/timing/parameter_reader.h"

namespace quern::timing {
namespace {

// Values for LMUL 1, 2, 4, 8 (or one number for all), non-decreasing.
std::array<double, 4> lmul_values(const Reader& row, const std::string& key) {
  const Reader value = row.child(key);
  std::array<double, 4> out{};
  if (value.json().is_number()) {
    out.fill(value.json().get<double>());
  } else {
    if (!value.json().is_array() || value.json().size() != 4)
      value.fail("", "expected a number or four numbers (LMUL 1, 2, 4, 8)");
    for (std::size_t i = 0; i < 4; ++i) {
      if (!value.json()[i].is_number()) value.fail(std::to_string(i), "expected a number");
      out[i] = value.json()[i];
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    if (!(out[i] >= 0 && out[i] <= 100000))
      value.fail(std::to_string(i), "expected 0 .. 100000 cycles");
    if (i > 0 && out[i] < out[i - 1])
      value.fail(std::to_string(i),
                 fmt::format("{} is less than {} at half the LMUL", out[i], out[i - 1]));
  }
  return out;
}

bool produces_result(InstructionClass c) {
  using enum InstructionClass;
  switch (c) {
    case branch:
    case fence:
    case system:
    case prefetch:
    case cache_block:
      return false;
    default:
      return !is_store(c) || c == store_conditional;
  }
}

void set_table(std::array<std::array<Tick, 4>, 7>& table, const std::array<double, 4>& values,
               double fractional, int sew_index) {
  for (int lmul = -3; lmul <= 3; ++lmul) {
    const double value = lmul < 0 ? fractional : values[static_cast<std::size_t>(lmul)];
    auto& by_sew = table[static_cast<std::size_t>(lmul + 3)];
    for (int sew = 0; sew < 4; ++sew)
      if (sew_index < 0 || sew == sew_index)
        by_sew[static_cast<std::size_t>(sew)] = to_ticks(value);
  }
}

void check_costs(const Reader& row, InstructionClass c, const std::array<double, 4>& latency,
                 const std::array<double, 4>& occupancy) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (produces_result(c) && latency[i] < 1)
      row.fail("latency",
               fmt::format("{} cycles: \"{}\" produces a result, which takes at least 1 cycle",
                           latency[i], name_of(c)));
    if (occupancy[i] <= 0)
      row.fail("occupancy", fmt::format("{} cycles: an instruction occupies its unit for some time",
                                        occupancy[i]));
  }
}

void read_class(const Reader& row, InstructionClass c, ClassTiming& timing) {
  if (row.json().contains("occupancy_per_element")) {
    for (const char* other : {"latency", "occupancy", "fractional", "by_sew"})
      if (row.has(other)) row.fail(other, "the row has occupancy_per_element already");
    // One tick at the least: nothing is free.
    timing.per_element =
        to_ticks(row.child("occupancy_per_element").plain_number(1.0 / ticks_per_cycle, 1000));
    timing.latency_over = to_ticks(row.child("latency_over_occupancy").plain_number(0, 100000));
    return;
  }
  const auto latency = lmul_values(row, "latency");
  std::array<double, 4> occupancy;
  occupancy.fill(1);
  if (row.json().contains("occupancy")) occupancy = lmul_values(row, "occupancy");
  check_costs(row, c, latency, occupancy);
  double fractional_latency = latency[0], fractional_occupancy = occupancy[0];
  if (row.json().contains("fractional")) {
    const Reader fractional = row.child("fractional");
    fractional.allow({"latency", "occupancy"});
    if (fractional.json().contains("latency"))
      fractional_latency = lmul_values(fractional, "latency")[0];
    if (fractional.json().contains("occupancy"))
      fractional_occupancy = lmul_values(fractional, "occupancy")[0];
    std::array<double, 4> l, o;
    l.fill(fractional_latency);
    o.fill(fractional_occupancy);
    check_costs(fractional, c, l, o);
  }
  set_table(timing.latency, latency, fractional_latency, -1);
  set_table(timing.occupancy, occupancy, fractional_occupancy, -1);
  if (row.json().contains("by_sew")) {
    const Reader by_sew = row.child("by_sew");
    by_sew.allow({"e8", "e16", "e32", "e64"});
    for (int sew = 0; sew < 4; ++sew) {
      const auto key = fmt::format("e{}", 8 << sew);
      if (!by_sew.json().contains(key)) continue;
      const Reader special = by_sew.child(key);
      special.allow({"latency", "occupancy"});
      const auto l = special.json().contains("latency") ? lmul_values(special, "latency") : latency;
      const auto o =
          special.json().contains("occupancy") ? lmul_values(special, "occupancy") : occupancy;
      check_costs(special, c, l, o);
      set_table(timing.latency, l, l[0], sew);
      set_table(timing.occupancy, o, o[0], sew);
    }
  }
}

}  // namespace

void read_instructions(const Reader& timing, Parameters& parameters) {
  const Reader rows = timing.child("instructions");
  if (!rows.json().is_array()) rows.fail("", "expected an array");
  std::array<int, instruction_class_count> row_of{};
  row_of.fill(-1);
  for (std::size_t i = 0; i < rows.json().size(); ++i) {
    const Reader row = rows.item(i);
    row.allow({"classes", "unit", "latency", "occupancy", "fractional", "by_sew",
               "occupancy_per_element", "latency_over_occupancy", "source"});
    row.check_source();
    const Reader unit = row.child("unit");
    const int unit_index =
        unit.json().is_string() ? parameters.unit_named(unit.json().get<std::string>()) : -1;
    if (unit_index < 0)
      unit.fail("", fmt::format("{} is not one of /timing/units", unit.json().dump()));
    const Reader classes = row.child("classes");
    if (!classes.json().is_array() || classes.json().empty())
      classes.fail("", "expected instruction classes");
    for (std::size_t k = 0; k < classes.json().size(); ++k) {
      const Json& text = classes.json()[k];
      const auto c =
          text.is_string() ? instruction_class_named(text.get<std::string>()) : std::nullopt;
      if (!c || *c == InstructionClass::unknown)
        classes.fail(std::to_string(k), fmt::format("{} is not an instruction class", text.dump()));
      int& seen = row_of[static_cast<std::size_t>(*c)];
      if (seen >= 0)
        classes.fail(
            std::to_string(k),
            fmt::format("\"{}\" has a row already: /timing/instructions/{}", name_of(*c), seen));
      seen = static_cast<int>(i);
      ClassTiming& t = parameters.classes[static_cast<std::size_t>(*c)];
      t.unit = unit_index;
      read_class(row, *c, t);
    }
  }
  for (std::size_t c = 0; c < instruction_class_count; ++c) {
    if (static_cast<InstructionClass>(c) == InstructionClass::unknown) continue;
    if (row_of[c] < 0)
      rows.fail("", fmt::format("no row for class \"{}\"", instruction_class_names[c]));
  }
  // An instruction that the decoder does not know: one cycle of the integer unit, counted apart.
  auto& unknown = parameters.classes[static_cast<std::size_t>(InstructionClass::unknown)];
  unknown.unit = parameters.classes[static_cast<std::size_t>(InstructionClass::integer)].unit;
  for (auto& row : unknown.latency) row.fill(ticks_per_cycle);
  for (auto& row : unknown.occupancy) row.fill(ticks_per_cycle);
}

}  // namespace quern::timing
