#include "boards/timing/parameters.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "boards/timing/parameter_reader.h"

namespace quern::timing {
namespace {

// Not for instructions that work on whole registers or masks whatever vl is.
bool effective_lmul_follows_vtype(InstructionClass c) {
  using enum InstructionClass;
  return c != vector_move_whole && c != vector_load_whole && c != vector_store_whole &&
         c != vector_load_mask && c != vector_store_mask && c != vector_mask_logic;
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
  if (board.has("name") && document["name"].is_string()) parameters.board = document["name"];
  const Reader core = board.child("core");
  parameters.vlen = static_cast<int>(core.child("vlen").plain_integer(32, 65536));
  if ((parameters.vlen & (parameters.vlen - 1)) != 0)
    core.fail("vlen", fmt::format("{} is not a power of two", parameters.vlen));
  parameters.clock_hz = core.child("clock_hz").plain_number(1e3, 1e12);

  const Reader issue = timing.child("issue");
  issue.allow({"width", "vector_width", "store_data_slack", "masked_factor", "mispredict_penalty",
               "taken_branch_bubble", "taken_branch_ends_group", "in_order_results",
               "predictor_bits", "predictor_history", "misaligned_vector_traps", "trap_cycles",
               "vl_granule"});
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
  parameters.in_order_results =
      static_cast<InOrder>(issue.one_of("in_order_results", {"none", "fp-and-vector", "all"}));
  parameters.predictor_bits = issue.integer("predictor_bits", 0, 20);
  parameters.predictor_history = issue.integer("predictor_history", 0, 20);
  parameters.misaligned_vector_traps = issue.boolean("misaligned_vector_traps");
  parameters.trap_cycles = issue.integer("trap_cycles", 0, 1000000);
  if (issue.json().contains("vl_granule")) {
    parameters.vl_granule = issue.integer("vl_granule", 0, 1 << 16);
    if (parameters.vl_granule > 0 && parameters.vlen % parameters.vl_granule != 0)
      issue.fail("vl_granule/value", fmt::format("{} bits do not divide /core/vlen, {}",
                                                 parameters.vl_granule, parameters.vlen));
  }
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
  const Tick vlmax =
      std::max<Tick>(1, lmul >= 0 ? (static_cast<Tick>(parameters.vlen) << lmul) / sew
                                  : (static_cast<Tick>(parameters.vlen) >> -lmul) / sew);
  // Elements that cost time: vl where the core looks at it.
  const Tick elements = parameters.vl_granule > 0 && type.vl > 0 && is_vector(c)
                            ? std::min<Tick>(type.vl, vlmax)
                            : vlmax;
  if (timing.per_element > 0) {
    cost.occupancy = timing.per_element * elements * static_cast<Tick>(instruction.fields());
    cost.latency = cost.occupancy + timing.latency_over;
  } else if (elements < vlmax && effective_lmul_follows_vtype(c)) {
    const auto parts = [&](Tick n) {
      return (n * static_cast<Tick>(sew) + parameters.vl_granule - 1) / parameters.vl_granule;
    };
    cost.occupancy = std::max<Tick>(1, cost.occupancy * parts(elements) / parts(vlmax));
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
