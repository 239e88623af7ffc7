#include "boards/timing/core.h"

#include <bit>
#include <cstring>

#include "base/error.h"

namespace quern::timing {
namespace {

constexpr std::size_t state_limit = 1u << 16;
constexpr std::size_t transition_limit = 1u << 20;

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15ull;
  return h ^ h >> 29;
}

std::uint64_t hash_of(const PipelineState& state) {
  static_assert(sizeof(PipelineState) % 4 == 0 && std::is_trivially_copyable_v<PipelineState>);
  std::uint64_t h = 1;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&state);
  std::size_t i = 0;
  for (; i + 8 <= sizeof state; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    h = mix(h, word);
  }
  if (i < sizeof state) {
    std::uint32_t word;
    std::memcpy(&word, bytes + i, 4);
    h = mix(h, word);
  }
  return h;
}

std::uint64_t hash_of(std::uint32_t from, std::uint32_t block, std::uint64_t variant) {
  return mix(mix(1, static_cast<std::uint64_t>(from) << 32 | block), variant);
}

}  // namespace

Block::Block(std::uint32_t id_, std::uint64_t address_, std::vector<Instruction> instructions_)
    : id(id_), address(address_), fall_through(address_), instructions(std::move(instructions_)) {
  for (const Instruction& instruction : instructions) {
    fall_through += instruction.bytes;
    unknown += instruction.instruction_class() == InstructionClass::unknown;
  }
  if (instructions.empty()) return;
  const Instruction& last = instructions.back();
  if (last.is_conditional_branch())
    end = End::conditional;
  else if (last.is_return())
    end = End::returns;
  else if (last.is_indirect_jump())
    end = End::indirect;
  else if (last.instruction_class() == InstructionClass::jump)
    end = End::direct;
}

Core::Core(const Parameters& parameters, std::shared_ptr<OuterMemory> outer)
    : parameters_(parameters), pipeline_(parameters), memory_(parameters, std::move(outer)) {
  state_index_.resize(1024);
  transition_index_.resize(1024);
  counters_.assign(std::size_t{1} << parameters.predictor_bits, 1);
}

BlockTotals& Core::totals_of(std::uint32_t block) {
  if (block >= totals_.size()) totals_.resize(std::max<std::size_t>(block + 1, totals_.size() * 2));
  return totals_[block];
}

Core::Outcome Core::branch_outcome(const Block& block, std::uint64_t next) {
  Outcome outcome;
  switch (block.end) {
    case Block::End::falls_through:
      break;
    case Block::End::direct:
    case Block::End::returns:  // a return-address stack that is never wrong: assumed
      outcome.taken = true;
      break;
    case Block::End::indirect: {
      outcome.taken = true;
      if (block.id >= last_target_.size()) last_target_.resize(block.id + 1);
      outcome.mispredicted = last_target_[block.id] != next;
      last_target_[block.id] = next;
      break;
    }
    case Block::End::conditional: {
      outcome.taken = next != block.fall_through;
      const std::uint32_t index_mask = (1u << parameters_.predictor_bits) - 1;
      std::uint8_t& counter =
          counters_[(static_cast<std::uint32_t>(block.fall_through >> 1) ^ history_) & index_mask];
      outcome.mispredicted = (counter >= 2) != outcome.taken;
      if (outcome.taken && counter < 3) ++counter;
      if (!outcome.taken && counter > 0) --counter;
      history_ = (history_ << 1 | static_cast<std::uint32_t>(outcome.taken)) &
                 ((1u << parameters_.predictor_history) - 1);
      break;
    }
  }
  return outcome;
}

bool Core::simple(const Block&, std::span<const MemoryAccess> accesses, std::uint64_t& variant) {
  const int shift = memory_.line_shift();
  const std::uint64_t line_bytes = std::uint64_t{1} << shift;
  bool all = true;
  if (ascending_.size() < accesses.size()) ascending_.resize(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const MemoryAccess& access = accesses[i];
    if (access.store) ascending_[i] = memory_.ascending_before(access.address, access.bytes);
    const Line first = access.address >> shift, last = (access.address + access.bytes - 1) >> shift;
    all &= memory_.simple_hit(first, access.store, cycle_);
    if (last != first) {
      for (Line line = first + 1; line <= last; ++line)
        all &= memory_.simple_hit(line, access.store, cycle_);
      const std::uint64_t fewest = (access.bytes + line_bytes - 1) >> shift;
      if (last - first + 1 > fewest) variant = mix(variant, access.instruction) | 4;
    }
    if (access.misaligned) variant = mix(variant, access.instruction + 0x10000u) | 4;
  }
  return all;
}

void Core::run(const Block& block, std::span<const MemoryAccess> accesses, std::uint64_t next) {
  const Outcome outcome = branch_outcome(block, next);
  // Bits 0 and 1: the branch. Anything in the other bits: a hash of crossings (with bit 2 set).
  std::uint64_t variant = 0;
  const bool all_simple = simple(block, accesses, variant);
  variant = variant << 2 | static_cast<std::uint64_t>(outcome.taken) << 1 |
            static_cast<std::uint64_t>(outcome.mispredicted);
  instructions_ += block.instructions.size();
  unknown_ += block.unknown;

  if (all_simple && state_ != unnamed) {
    Transition* transition = nullptr;
    if (last_transition_ != no_transition) {
      const std::uint32_t guess = transitions_[last_transition_].successor;
      if (guess != no_transition && transitions_[guess].block == block.id &&
          transitions_[guess].variant == variant)
        transition = &transitions_[guess];
    }
    if (!transition) {
      const std::uint32_t found = *find_transition(state_, block.id, variant);
      if (found) {
        transition = &transitions_[found - 1];
        if (last_transition_ != no_transition) transitions_[last_transition_].successor = found - 1;
      }
    }
    if (transition) {
      ++transition->count;
      cycle_ += transition->cycles;
      state_ = transition->to;
      last_transition_ = static_cast<std::uint32_t>(transition - transitions_.data());
      replayed_ += block.instructions.size();
      return;
    }
  }
  simulate(block, accesses, outcome, all_simple, variant);
}

// The lines of one instruction go one after the other while it keeps its unit: a vse of four lines
// that is busy for 20 cycles hands one over every 5. What the first line waits for delays the
// instruction; what a later one waits for beyond its turn keeps the unit longer.
MemoryOutcome Core::access(const MicroOp& op, std::span<const MemoryAccess> accesses,
                           std::size_t first_access, std::int64_t cycle, bool simple) {
  const int shift = memory_.line_shift();
  const std::uint64_t line_bytes = std::uint64_t{1} << shift;
  MemoryOutcome whole{.start = cycle};
  std::int64_t lines = 0;
  for (const MemoryAccess& access : accesses) {
    const Line first = access.address >> shift, last = (access.address + access.bytes - 1) >> shift;
    const std::uint64_t fewest = (access.bytes + line_bytes - 1) >> shift;
    if (op.unit_stride && last - first + 1 > fewest)
      whole.extra_occupancy += to_ticks(parameters_.memory.line_cross);
    if (access.misaligned && parameters_.misaligned_vector_traps) {
      whole.start += parameters_.trap_cycles;
      whole.start_cause = StallCause::trap;
    }
    lines += static_cast<std::int64_t>(last - first) + 1;
  }
  if (simple || lines == 0) return whole;
  const Tick step = op.vector ? op.occupancy / lines : 0;
  Tick ready = 0;  // absolute, of the latest line
  Tick late = 0;   // of the line in hand, behind its turn
  std::int64_t turn = 0;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const MemoryAccess& access = accesses[i];
    const Line first = access.address >> shift, last = (access.address + access.bytes - 1) >> shift;
    for (Line line = first; line <= last; ++line, ++turn) {
      const std::uint64_t low = std::max(access.address, static_cast<std::uint64_t>(line) << shift);
      const std::uint64_t high =
          std::min(access.address + access.bytes, static_cast<std::uint64_t>(line + 1) << shift);
      const std::int64_t at = whole.start + (turn * step + late) / ticks_per_cycle;
      const MemoryOutcome one =
          access.store ? memory_.store(line, static_cast<unsigned>(low & (line_bytes - 1)),
                                       static_cast<unsigned>(high - low),
                                       ascending_[first_access + i] + (low - access.address), at)
                       : memory_.load(line, at);
      if (one.start > at && turn == 0) {
        whole.start = one.start;
        whole.start_cause = one.start_cause;
      } else if (one.start > at) {
        late += (one.start - at) * ticks_per_cycle;
      }
      if (one.extra_latency > 0 && one.start * ticks_per_cycle + one.extra_latency > ready) {
        ready = one.start * ticks_per_cycle + one.extra_latency;
        whole.data_cause = one.data_cause;
      }
    }
  }
  whole.extra_occupancy += late;
  whole.extra_latency = std::max<Tick>(0, ready - whole.start * ticks_per_cycle);
  return whole;
}

void Core::simulate(const Block& block, std::span<const MemoryAccess> accesses, Outcome outcome,
                    bool all_simple, std::uint64_t variant) {
  const StateId from = state_;
  if (from != unnamed) pipeline_.restore(states_[from], cycle_);
  pipeline_.clear_stalls();
  const std::uint64_t l1_before =
      memory_.counts().l1_load_misses + memory_.counts().l1_store_misses;
  const std::uint64_t l2_before = memory_.counts().l2_misses;

  const Resolved& resolved = resolve(block, pipeline_.vector_type);
  std::size_t next_access = 0;
  BlockTotals& totals = totals_of(block.id);
  std::uint32_t misaligned = 0;
  for (std::size_t i = 0; i < resolved.ops.size(); ++i) {
    const MicroOp& op = resolved.ops[i];
    if (!op.memory) {
      pipeline_.issue(op);
      continue;
    }
    const std::size_t begin = next_access;
    while (next_access < accesses.size() && accesses[next_access].instruction == i) {
      misaligned += accesses[next_access].misaligned;
      ++next_access;
    }
    const auto mine = accesses.subspan(begin, next_access - begin);
    pipeline_.issue(op, [&](const MicroOp& o, std::int64_t cycle) {
      return access(o, mine, begin, cycle, all_simple);
    });
  }
  pipeline_.vector_type = resolved.exit;
  if (outcome.mispredicted)
    pipeline_.end_group(parameters_.mispredict_penalty, StallCause::branch);
  else if (outcome.taken)
    pipeline_.end_group(parameters_.taken_branch_bubble, StallCause::branch);

  const auto taken = static_cast<std::uint64_t>(pipeline_.cycle() - cycle_);
  cycle_ = pipeline_.cycle();
  // What is recorded as a transition is counted there, this first time too.
  const bool settled = replay_ && pipeline_.settled();
  const bool recorded = settled && all_simple && from != unnamed;
  if (!recorded) {
    ++totals.executions;
    totals.cycles += taken;
    for (std::size_t i = 0; i < stall_count; ++i) totals.stalls[i] += pipeline_.stalls()[i];
    totals.mispredicted += outcome.mispredicted;
    totals.misaligned += misaligned;
  }
  totals.l1_misses +=
      memory_.counts().l1_load_misses + memory_.counts().l1_store_misses - l1_before;
  totals.l2_misses += memory_.counts().l2_misses - l2_before;

  const std::uint32_t previous = last_transition_;
  last_transition_ = no_transition;
  state_ = unnamed;
  if (!settled) return;
  const StateId to = name_state(pipeline_.state());
  state_ = to;
  if (!recorded) return;
  Transition transition{.from = from,
                        .block = block.id,
                        .variant = variant,
                        .to = to,
                        .cycles = static_cast<std::uint32_t>(taken),
                        .count = 1,
                        .misaligned = misaligned};
  for (std::size_t i = 0; i < stall_count; ++i)
    transition.stalls[i] = static_cast<std::uint32_t>(pipeline_.stalls()[i]);
  transitions_.push_back(transition);
  last_transition_ = static_cast<std::uint32_t>(transitions_.size() - 1);
  if (previous != no_transition) transitions_[previous].successor = last_transition_;
  *find_transition(from, block.id, variant) = last_transition_ + 1;
  if (transitions_.size() * 2 > transition_index_.size()) grow_transitions();
  if (states_.size() >= state_limit || transitions_.size() >= transition_limit) forget();
}

const Core::Resolved& Core::resolve(const Block& block, VectorType entry) {
  if (block.id >= resolved_.size())
    resolved_.resize(std::max<std::size_t>(block.id + 1, resolved_.size() * 2));
  for (const auto& known : resolved_[block.id])
    if (known->entry == entry) return *known;
  auto resolved = std::make_unique<Resolved>();
  resolved->entry = entry;
  VectorType type = entry;
  resolved->ops.reserve(block.instructions.size());
  for (const Instruction& instruction : block.instructions) {
    resolved->ops.push_back(make_micro_op(parameters_, instruction, type));
    if (instruction.vector_type_known())
      type = instruction.new_vector_type(type);
    else if (instruction.sets_vector_type())
      ++assumed_types_;
  }
  resolved->exit = type;
  resolved_[block.id].push_back(std::move(resolved));
  return *resolved_[block.id].back();
}

Core::StateId Core::name_state(const PipelineState& state) {
  const std::size_t mask = state_index_.size() - 1;
  std::size_t at = hash_of(state) & mask;
  for (; state_index_[at]; at = (at + 1) & mask)
    if (states_[state_index_[at] - 1] == state) return state_index_[at] - 1;
  states_.push_back(state);
  state_index_[at] = static_cast<std::uint32_t>(states_.size());
  const auto id = static_cast<StateId>(states_.size() - 1);
  if (states_.size() * 2 > state_index_.size()) {
    std::vector<std::uint32_t> larger(state_index_.size() * 2);
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      std::size_t place = hash_of(states_[i]) & (larger.size() - 1);
      while (larger[place]) place = (place + 1) & (larger.size() - 1);
      larger[place] = i + 1;
    }
    state_index_ = std::move(larger);
  }
  return id;
}

std::uint32_t* Core::find_transition(StateId from, std::uint32_t block, std::uint64_t variant) {
  const std::size_t mask = transition_index_.size() - 1;
  std::size_t at = hash_of(from, block, variant) & mask;
  for (; transition_index_[at]; at = (at + 1) & mask) {
    const Transition& t = transitions_[transition_index_[at] - 1];
    if (t.from == from && t.block == block && t.variant == variant) break;
  }
  return &transition_index_[at];
}

void Core::grow_transitions() {
  std::vector<std::uint32_t> larger(transition_index_.size() * 2);
  for (std::uint32_t i = 0; i < transitions_.size(); ++i) {
    const Transition& t = transitions_[i];
    std::size_t place = hash_of(t.from, t.block, t.variant) & (larger.size() - 1);
    while (larger[place]) place = (place + 1) & (larger.size() - 1);
    larger[place] = i + 1;
  }
  transition_index_ = std::move(larger);
}

void Core::settle_counts() {
  for (Transition& t : transitions_) {
    if (t.count == 0) continue;
    BlockTotals& totals = totals_of(t.block);
    totals.executions += t.count;
    totals.cycles += t.count * t.cycles;
    totals.mispredicted += t.count * (t.variant & 1);
    totals.misaligned += t.count * t.misaligned;
    for (std::size_t i = 0; i < stall_count; ++i) totals.stalls[i] += t.count * t.stalls[i];
    t.count = 0;
  }
}

void Core::forget() {
  settle_counts();
  if (state_ != unnamed) pipeline_.restore(states_[state_], cycle_);
  state_ = unnamed;
  last_transition_ = no_transition;
  states_.clear();
  transitions_.clear();
  state_index_.assign(1024, 0);
  transition_index_.assign(1024, 0);
}

const std::vector<BlockTotals>& Core::totals() {
  settle_counts();
  return totals_;
}

}  // namespace quern::timing
