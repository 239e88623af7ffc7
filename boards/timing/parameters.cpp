#include "boards/timing/parameters.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace quern::timing {
namespace {

// Reads members of the timing block, keeping the JSON pointer for messages.
class Reader {
 public:
  Reader(const Json& json, std::string name, std::string pointer)
      : json_(json), name_(std::move(name)), pointer_(std::move(pointer)) {}

  [[noreturn]] void fail(const std::string& member, const std::string& what) const {
    throw bad_input("{}: {}{}: {}", name_, pointer_, member.empty() ? "" : "/" + member, what);
  }

  Reader child(const std::string& key) const {
    if (!json_.is_object() || !json_.contains(key)) fail(key, "missing");
    return Reader(json_[key], name_, pointer_ + "/" + key);
  }

  const Json& json() const { return json_; }
  const std::string& name() const { return name_; }
  const std::string& pointer() const { return pointer_; }

  // {"value": number, "source": "..."} within [low, high].
  double number(const std::string& key, double low, double high) const {
    const Reader entry = child(key);
    entry.check_source();
    const Reader value = entry.child("value");
    if (!value.json().is_number()) value.fail("", "expected a number");
    const double v = value.json();
    if (!(v >= low && v <= high))
      value.fail("", fmt::format("{} is outside {} .. {}", v, low, high));
    return v;
  }
  int integer(const std::string& key, int low, int high) const {
    const double v = number(key, low, high);
    if (v != std::floor(v)) child(key).fail("value", fmt::format("{} is not a whole number", v));
    return static_cast<int>(v);
  }
  bool boolean(const std::string& key) const {
    const Reader entry = child(key);
    entry.check_source();
    const Reader value = entry.child("value");
    if (!value.json().is_boolean()) value.fail("", "expected true or false");
    return value.json();
  }

  void check_source() const {
    const Reader source = child("source");
    if (!source.json().is_string() || source.json().get<std::string>().empty())
      source.fail("", "expected a reference, or a text that begins with \"assumed\"");
  }

  void allow(std::initializer_list<const char*> keys) const {
    for (const auto& [key, value] : json_.items())
      if (std::none_of(keys.begin(), keys.end(), [&](const char* k) { return key == k; }))
        fail(key, "unknown member");
  }

 private:
  const Json& json_;
  std::string name_;
  std::string pointer_;
};

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
    const Json& per_element = row.json()["occupancy_per_element"];
    if (!per_element.is_number() || per_element.get<double>() <= 0)
      row.fail("occupancy_per_element", "expected a number above 0");
    const Json& over = row.child("latency_over_occupancy").json();
    if (!over.is_number() || over.get<double>() < 0)
      row.fail("latency_over_occupancy", "expected a number of at least 0");
    timing.per_element = std::max<Tick>(1, to_ticks(per_element.get<double>()));
    timing.latency_over = to_ticks(over.get<double>());
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

void read_instructions(const Reader& timing, Parameters& parameters) {
  const Reader rows = timing.child("instructions");
  if (!rows.json().is_array()) rows.fail("", "expected an array");
  std::array<int, instruction_class_count> row_of{};
  row_of.fill(-1);
  for (std::size_t i = 0; i < rows.json().size(); ++i) {
    const Reader row(rows.json()[i], rows.name(), rows.pointer() + "/" + std::to_string(i));
    if (!row.json().is_object()) row.fail("", "expected an object");
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
      if (!c)
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

CacheGeometry read_cache(const Reader& board, const Json& cache, std::size_t index) {
  const auto pointer = fmt::format("caches/{}", index);
  const auto member = [&](const char* key) {
    if (!cache.contains(key) || !cache[key].is_number_integer() ||
        cache[key].get<std::int64_t>() <= 0)
      board.fail(pointer + "/" + key, "expected a whole number above 0");
    return cache[key].get<std::int64_t>();
  };
  const auto bytes = member("bytes"), ways = member("ways"), line = member("line");
  if (bytes % (ways * line) != 0)
    board.fail(pointer + "/ways",
               fmt::format("{} ways of {}-byte lines do not divide {} bytes", ways, line, bytes));
  const auto sets = bytes / (ways * line);
  if ((sets & (sets - 1)) != 0)
    board.fail(
        pointer,
        fmt::format(
            "{} sets: the index of a set is taken from address bits, so a power of two is expected",
            sets));
  if (ways > 32) board.fail(pointer + "/ways", "at most 32 ways are modelled");
  return {static_cast<int>(sets), static_cast<int>(ways), static_cast<int>(line)};
}

void read_memory(const Reader& board, const Reader& timing, Parameters& parameters) {
  MemoryParameters& m = parameters.memory;
  const Json* first = nullptr;
  const Json* second = nullptr;
  if (board.json().contains("caches") && board.json()["caches"].is_array())
    for (std::size_t i = 0; i < board.json()["caches"].size(); ++i) {
      const Json& cache = board.json()["caches"][i];
      const int level = cache.value("level", 0);
      if (level == 1) first = &cache, m.l1 = read_cache(board, cache, i);
      if (level == 2)
        second = &cache, m.l2 = read_cache(board, cache, i),
        m.l2_shared_by = cache.value("shared_by", 1);
    }
  if (!first || !second) board.fail("caches", "the timing model needs caches of level 1 and 2");
  if (m.l1.line_bytes != m.l2.line_bytes)
    board.fail("caches", "lines of levels 1 and 2 differ in size");
  if (static_cast<std::int64_t>(m.l2.sets) * m.l2.ways <=
      static_cast<std::int64_t>(m.l1.sets) * m.l1.ways)
    board.fail("caches", "level 2 is no larger than level 1");

  const Reader memory = timing.child("memory");
  memory.allow({"miss_slots", "l2_latency", "l2_read_cycles", "l2_write_cycles", "dram_latency",
                "dram_read_cycles", "dram_write_cycles", "store_queue", "streaming_after",
                "prefetch_streams", "prefetch_distance", "prefetch_stride", "prefetch_crosses_page",
                "page_bytes", "tlb_entries", "tlb_walk", "line_cross"});
  m.miss_slots = memory.integer("miss_slots", 1, 64);
  m.l2_latency = memory.integer("l2_latency", 1, 10000);
  m.l2_read_cycles = memory.number("l2_read_cycles", 0.25, 1000);
  m.l2_write_cycles = memory.number("l2_write_cycles", 0.25, 1000);
  m.dram_latency = memory.integer("dram_latency", 1, 100000);
  m.dram_read_cycles = memory.number("dram_read_cycles", 0.25, 10000);
  m.dram_write_cycles = memory.number("dram_write_cycles", 0.25, 10000);
  m.store_queue = memory.integer("store_queue", 1, 256);
  m.streaming_after = memory.integer("streaming_after", 0, 4096);
  m.prefetch_streams = memory.integer("prefetch_streams", 0, 64);
  m.prefetch_distance = memory.integer("prefetch_distance", 0, 64);
  m.prefetch_stride = memory.integer("prefetch_stride", 1, 4096);
  m.prefetch_crosses_page = memory.boolean("prefetch_crosses_page");
  m.page_bytes = memory.integer("page_bytes", 4096, 1 << 30);
  m.tlb_entries = memory.integer("tlb_entries", 0, 1 << 16);
  m.tlb_walk = memory.integer("tlb_walk", 0, 10000);
  m.line_cross = memory.number("line_cross", 0, 1000);
  if ((m.page_bytes & (m.page_bytes - 1)) != 0)
    memory.fail("page_bytes/value", fmt::format("{} is not a power of two", m.page_bytes));
  const auto load = static_cast<int>(
      parameters.classes[static_cast<std::size_t>(InstructionClass::load)].latency[3][3] /
      ticks_per_cycle);
  if (m.l2_latency <= load)
    memory.fail(
        "l2_latency/value",
        fmt::format("{} cycles is no more than the {} of a load that hits L1", m.l2_latency, load));
  if (m.dram_latency <= m.l2_latency)
    memory.fail("dram_latency/value", fmt::format("{} cycles is no more than the {} of L2",
                                                  m.dram_latency, m.l2_latency));
  if (m.prefetch_streams > 0 && m.prefetch_distance == 0)
    memory.fail("prefetch_distance/value", "0 lines ahead, but prefetch_streams is not 0");
  if (m.tlb_entries > 0 && m.tlb_walk == 0)
    memory.fail("tlb_walk/value", "a walk takes time, but is 0 cycles");
}

}  // namespace

Tick to_ticks(double cycles) { return std::llround(cycles * static_cast<double>(ticks_per_cycle)); }

int Parameters::unit_named(std::string_view name) const {
  for (std::size_t i = 0; i < units.size(); ++i)
    if (units[i].name == name) return static_cast<int>(i);
  return -1;
}

Parameters load_parameters(const Json& document, const std::string& name) {
  Parameters parameters;
  const Reader board(document, name, "");
  const Reader timing = board.child("timing");
  timing.allow({"issue", "units", "memory", "instructions"});
  parameters.board = document.value("name", "");
  const Reader core = board.child("core");
  parameters.vlen = core.json().value("vlen", 0);
  if (parameters.vlen <= 0) core.fail("vlen", "the timing model needs it");
  parameters.clock_hz = core.json().value("clock_hz", 0.0);
  if (parameters.clock_hz <= 0) core.fail("clock_hz", "the timing model needs it");

  const Reader issue = timing.child("issue");
  issue.allow({"width", "vector_width", "store_data_slack", "masked_factor", "mispredict_penalty",
               "taken_branch_bubble", "taken_branch_ends_group", "write_back_in_order",
               "predictor_bits", "predictor_history", "misaligned_vector_traps", "trap_cycles"});
  parameters.issue_width = issue.integer("width", 1, 8);
  parameters.vector_issue_width = issue.integer("vector_width", 1, 8);
  if (parameters.vector_issue_width > parameters.issue_width)
    issue.fail("vector_width/value",
               fmt::format("{} vector instructions a cycle, but /timing/issue/width is {}",
                           parameters.vector_issue_width, parameters.issue_width));
  parameters.store_data_slack = issue.integer("store_data_slack", 0, 100);
  parameters.masked_factor = issue.number("masked_factor", 1, 16);
  parameters.mispredict_penalty = issue.integer("mispredict_penalty", 0, 100);
  parameters.taken_branch_bubble = issue.integer("taken_branch_bubble", 0, 100);
  if (issue.json().contains("taken_branch_ends_group"))
    parameters.taken_branch_ends_group = issue.boolean("taken_branch_ends_group");
  if (issue.json().contains("write_back_in_order"))
    parameters.write_back_in_order = issue.boolean("write_back_in_order");
  parameters.predictor_bits = issue.integer("predictor_bits", 0, 20);
  parameters.predictor_history = issue.integer("predictor_history", 0, 20);
  parameters.misaligned_vector_traps = issue.boolean("misaligned_vector_traps");
  parameters.trap_cycles = issue.integer("trap_cycles", 0, 1000000);
  if (parameters.predictor_history > parameters.predictor_bits)
    issue.fail("predictor_history/value", "more history than predictor_bits");

  const Reader units = timing.child("units");
  if (!units.json().is_object() || units.json().empty()) units.fail("", "expected units by name");
  int instances = 0;
  for (const auto& [unit, value] : units.json().items()) {
    parameters.units.push_back({unit, units.integer(unit, 1, 4)});
    instances += parameters.units.back().count;
  }
  if (instances > 16)
    units.fail("", fmt::format("{} units in all, at most 16 are modelled", instances));

  read_instructions(timing, parameters);
  read_memory(board, timing, parameters);
  return parameters;
}

Parameters load_parameters(const std::filesystem::path& board_file) {
  return load_parameters(read_json(board_file), board_file.string());
}

Cost cost_of(const Parameters& parameters, const Instruction& instruction, VectorType type) {
  const auto c = instruction.instruction_class();
  const ClassTiming& timing = parameters.classes[static_cast<std::size_t>(c)];
  const int lmul = effective_lmul_log2(instruction, type);
  const unsigned sew = effective_sew(instruction, type);
  const auto lmul_index = static_cast<std::size_t>(std::clamp(lmul, -3, 3) + 3);
  const std::size_t sew_index = sew <= 8 ? 0 : sew == 16 ? 1 : sew == 32 ? 2 : 3;
  Cost cost{timing.unit, timing.latency[lmul_index][sew_index],
            timing.occupancy[lmul_index][sew_index]};
  if (timing.per_element > 0) {
    const Tick vlmax =
        std::max<Tick>(1, lmul >= 0 ? (static_cast<Tick>(parameters.vlen) << lmul) / sew
                                    : (static_cast<Tick>(parameters.vlen) >> -lmul) / sew);
    cost.occupancy = timing.per_element * vlmax * static_cast<Tick>(instruction.fields());
    cost.latency = cost.occupancy + timing.latency_over;
  }
  if (instruction.masked && parameters.masked_factor != 1) {
    const Tick more =
        to_ticks(static_cast<double>(cost.occupancy) * (parameters.masked_factor - 1) /
                 static_cast<double>(ticks_per_cycle));
    cost.occupancy += more;
    cost.latency += more;
  }
  return cost;
}

}  // namespace quern::timing
