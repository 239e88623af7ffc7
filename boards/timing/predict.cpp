#include "boards/timing/predict.h"

#include <algorithm>
#include <bitset>

#include "boards/timing/pipeline.h"

namespace quern::timing {
namespace {

constexpr int warm_up = 64,
              measured = 64;  // iterations; every loop met so far repeats within a few

struct Loop {
  std::size_t first = 0, last = 0;  // instructions, the branch included
};

int fma_count(std::span<const Instruction> instructions) {
  return static_cast<int>(
      std::count_if(instructions.begin(), instructions.end(),
                    [](const Instruction& i) { return is_vector_fma(i.instruction_class()); }));
}

// Backward branches that enclose no other one.
std::vector<Loop> innermost_loops(const ElfFile& file, const ElfFunction& function,
                                  const std::vector<Instruction>& instructions) {
  std::vector<std::uint64_t> addresses;
  std::uint64_t address = function.address;
  for (const Instruction& instruction : instructions) {
    addresses.push_back(address);
    address += instruction.bytes;
  }
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (instructions[i].is_call()) continue;
    std::uint64_t to =
        addresses[i] + static_cast<std::uint64_t>(std::int64_t{instructions[i].displacement()});
    const auto relocated = std::lower_bound(
        file.branches.begin(), file.branches.end(), std::pair(function.section, addresses[i]),
        [](const ElfBranch& branch, const auto& key) {
          return std::pair(branch.section, branch.address) < key;
        });
    if (relocated != file.branches.end() && relocated->section == function.section &&
        relocated->address == addresses[i])
      to = relocated->target;
    if (to >= addresses[i]) continue;
    const auto target = std::lower_bound(addresses.begin(), addresses.end(), to);
    if (target == addresses.end() || *target != to) continue;
    loops.push_back({static_cast<std::size_t>(target - addresses.begin()), i});
  }
  std::erase_if(loops, [all = loops](const Loop& loop) {
    return std::any_of(all.begin(), all.end(), [&](const Loop& other) {
      return other.first >= loop.first && other.last <= loop.last &&
             (other.first != loop.first || other.last != loop.last);
    });
  });
  return loops;
}

const Operand* base_register(const Instruction& instruction) {
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand& operand = instruction.operands[static_cast<std::size_t>(i)];
    if (operand.file == RegisterFile::integer && operand.access == Access::read) return &operand;
  }
  return nullptr;
}

// Follows which integer registers hold stack addresses.
class StackAddresses {
 public:
  StackAddresses() { holds_.set(2); }
  bool uses(const Instruction& instruction) const {
    const Operand* base = base_register(instruction);
    return base && holds_[base->number];
  }
  void step(const Instruction& instruction) {
    if (instruction.instruction_class() == InstructionClass::unknown) return;
    bool from_stack = false;
    const bool computes = instruction.instruction_class() == InstructionClass::integer ||
                          instruction.instruction_class() == InstructionClass::integer_slow;
    for (int i = 0; i < instruction.operand_count; ++i) {
      const Operand& operand = instruction.operands[static_cast<std::size_t>(i)];
      if (operand.file == RegisterFile::integer && operand.access != Access::write)
        from_stack |= holds_[operand.number];
    }
    for (int i = 0; i < instruction.operand_count; ++i) {
      const Operand& operand = instruction.operands[static_cast<std::size_t>(i)];
      if (operand.file == RegisterFile::integer && operand.access != Access::read &&
          operand.number != 2)
        holds_[operand.number] = computes && from_stack;
    }
  }

 private:
  std::bitset<32> holds_;
};

Spills count_spills(const std::vector<Instruction>& function, const Loop& loop) {
  Spills spills;
  StackAddresses stack;
  for (std::size_t i = 0; i < loop.first; ++i) stack.step(function[i]);
  for (std::size_t i = loop.first; i <= loop.last; ++i) {
    const Instruction& instruction = function[i];
    const auto c = instruction.instruction_class();
    if (stack.uses(instruction)) {
      spills.vector_loads += is_vector_load(c);
      spills.vector_stores += is_vector_store(c);
      spills.scalar_loads += is_scalar_load(c);
      spills.scalar_stores += is_scalar_store(c);
    }
    stack.step(instruction);
  }
  return spills;
}

struct Resolved {
  std::vector<MicroOp> ops;
  VectorType exit;
};

Resolved resolve(const Parameters& parameters, std::span<const Instruction> loop,
                 VectorType entry) {
  Resolved resolved{{}, entry};
  for (const Instruction& instruction : loop) {
    resolved.ops.push_back(make_micro_op(parameters, instruction, resolved.exit));
    if (instruction.vector_type_known()) resolved.exit = instruction.new_vector_type(resolved.exit);
  }
  return resolved;
}

std::string describe(const Instruction& instruction, const MicroOp& op) {
  std::string text = instruction.name();
  if (op.destination_count > 0) text += " " + register_name(op.destinations[0].first);
  return text;
}

// Dependences alone: infinitely many units and slots. The growth an iteration is the recurrence
// bound.
void find_recurrence(std::span<const Instruction> loop, const std::vector<MicroOp>& ops,
                     Prediction& prediction) {
  struct Writer {
    Tick ready = 0;
    std::size_t step = ~std::size_t{0};
  };
  std::array<Writer, register_count> writers{};
  struct Step {
    Tick start = 0;
    std::size_t after = ~std::size_t{0};
  };
  std::vector<Step> steps;
  const int rounds = warm_up + measured;
  std::array<Tick, 2> latest{};  // end of warm-up, end
  for (int round = 0; round < rounds; ++round) {
    Tick end = 0;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const MicroOp& op = ops[i];
      Step step;
      const auto read = [&](RegisterRange range, Tick slack) {
        for (unsigned r = range.first; r < unsigned{range.first} + range.count; ++r)
          if (writers[r].ready - slack > step.start)
            step = {writers[r].ready - slack, writers[r].step};
      };
      for (int s = 0; s < op.source_count; ++s) read(op.sources[static_cast<std::size_t>(s)], 0);
      read(op.data, op.store_slack * ticks_per_cycle);
      for (int d = 0; d < op.destination_count; ++d) {
        const RegisterRange range = op.destinations[static_cast<std::size_t>(d)];
        for (unsigned r = range.first; r < unsigned{range.first} + range.count; ++r)
          writers[r] = {step.start + op.latency, steps.size()};
      }
      end = std::max(end, step.start + op.latency);
      steps.push_back(step);
    }
    if (round == warm_up - 1) latest[0] = end;
    if (round == rounds - 1) latest[1] = end;
  }
  prediction.recurrence_bound =
      static_cast<double>(latest[1] - latest[0]) / (ticks_per_cycle * measured);
  if (prediction.recurrence_bound <= 0) return;
  // Walk back from the last finisher until an instruction of the loop comes twice: that is the
  // cycle.
  std::size_t at = 0;
  Tick end = 0;
  for (std::size_t i = steps.size() - ops.size(); i < steps.size(); ++i)
    if (steps[i].start + ops[i % ops.size()].latency >= end)
      end = steps[i].start + ops[i % ops.size()].latency, at = i;
  std::vector<std::size_t> chain;
  while (at != ~std::size_t{0}) {
    const auto seen = std::find(chain.begin(), chain.end(), at % ops.size());
    if (seen != chain.end()) {
      chain.erase(chain.begin(), seen);
      break;
    }
    chain.push_back(at % ops.size());
    at = steps[at].after;
  }
  std::reverse(chain.begin(), chain.end());
  if (chain.empty()) return;
  for (const std::size_t i : chain) prediction.recurrence += describe(loop[i], ops[i]) + " -> ";
  prediction.recurrence += describe(loop[chain.front()], ops[chain.front()]);
}

}  // namespace

Prediction predict_loop(const Parameters& parameters, std::span<const Instruction> loop,
                        VectorType entry) {
  Prediction prediction;
  prediction.has_loop = !loop.empty();
  if (loop.empty()) return prediction;
  prediction.instructions = static_cast<int>(loop.size());
  prediction.vector_fmas = fma_count(loop);
  for (const Instruction& instruction : loop) {
    const auto c = instruction.instruction_class();
    prediction.vector_configures += c == InstructionClass::vector_configure;
    prediction.vector_loads += is_vector_load(c);
    prediction.scalar_loads += is_scalar_load(c);
    if (c == InstructionClass::unknown) prediction.unknown.push_back(instruction.name());
  }
  // From the second iteration on the vtype at the entry is the one that the loop leaves.
  const VectorType steady = resolve(parameters, loop, entry).exit;
  const std::vector<MicroOp> ops = resolve(parameters, loop, steady).ops;
  const bool branches = loop.back().is_conditional_branch() ||
                        loop.back().instruction_class() == InstructionClass::jump;

  Pipeline pipeline(parameters);
  std::int64_t begin = 0;
  for (int round = 0; round < warm_up + measured; ++round) {
    if (round == warm_up) {
      begin = pipeline.cycle();
      pipeline.clear_stalls();
    }
    for (const MicroOp& op : ops) pipeline.issue(op);
    if (branches) pipeline.end_group(parameters.taken_branch_bubble, StallCause::branch);
  }
  prediction.cycles = static_cast<double>(pipeline.cycle() - begin) / measured;
  for (std::size_t i = 0; i < stall_count; ++i)
    prediction.stalls[i] = static_cast<double>(pipeline.stalls()[i]) / measured;

  std::vector<double> busy(parameters.units.size());
  int vector_instructions = 0;
  for (const MicroOp& op : ops) {
    busy[op.unit] += static_cast<double>(op.occupancy) / static_cast<double>(ticks_per_cycle);
    vector_instructions += op.vector;
  }
  for (std::size_t unit = 0; unit < busy.size(); ++unit) {
    const double bound = busy[unit] / parameters.units[unit].count;
    if (bound > prediction.resource_bound) {
      prediction.resource_bound = bound;
      prediction.busiest_unit = parameters.units[unit].name;
    }
  }
  prediction.issue_bound =
      std::max(static_cast<double>(ops.size()) / parameters.issue_width,
               static_cast<double>(vector_instructions) / parameters.vector_issue_width);
  find_recurrence(loop, ops, prediction);

  const double close = 0.97 * prediction.cycles;
  if (prediction.resource_bound >= close) {
    prediction.bound_by = "unit " + prediction.busiest_unit;
  } else if (prediction.recurrence_bound >= close) {
    prediction.bound_by = "recurrence";
  } else if (prediction.issue_bound >= close) {
    prediction.bound_by = "issue";
  } else {
    // In-order issue loses more than any single bound: name what it waits for most.
    const auto most = std::max_element(prediction.stalls.begin(), prediction.stalls.end());
    prediction.bound_by =
        *most > 0 ? "stalls on " +
                        std::string(
                            stall_names[static_cast<std::size_t>(most - prediction.stalls.begin())])
                  : "issue";
  }
  return prediction;
}

Prediction predict(const Parameters& parameters, const ElfFile& file, const ElfFunction& function) {
  const std::vector<Instruction> instructions = decode_all(file.code(function));
  Loop best;
  int most = 0;
  for (const Loop& loop : innermost_loops(file, function, instructions)) {
    const int count =
        fma_count(std::span(instructions).subspan(loop.first, loop.last - loop.first + 1));
    if (count > most) most = count, best = loop;
  }
  Prediction prediction;
  if (most > 0) {
    VectorType entry;
    for (std::size_t i = 0; i < best.first; ++i)
      if (instructions[i].vector_type_known()) entry = instructions[i].new_vector_type(entry);
    prediction = predict_loop(
        parameters, std::span(instructions).subspan(best.first, best.last - best.first + 1), entry);
    prediction.spills = count_spills(instructions, best);
    for (std::size_t i = 0; i < best.first; ++i) prediction.loop_offset += instructions[i].bytes;
  }
  prediction.function = function.name;
  return prediction;
}

int k_per_iteration(const Prediction& prediction, int fmas_per_k) {
  if (fmas_per_k <= 0 || prediction.vector_fmas % fmas_per_k != 0) return 0;
  return prediction.vector_fmas / fmas_per_k;
}

}  // namespace quern::timing
