// One core that is fed executed blocks: pipeline, memory and branch predictor together, fast.
//
// Most of a program's time goes to loops whose accesses hit L1. There the pipeline is a finite
// automaton: the same block entered in the same pipeline state (times relative to now) takes the
// same cycles and leaves the same state. So states are given numbers, and each (state, block,
// outcome of its branch, line crossings) is simulated once and then replayed from a table:
//
//   state 17 --block 4, all hits--> state 17, 34 cycles        one look-up for 60 instructions
//
// A block with a miss, a pending line or a prefetched line is simulated instruction by
// instruction. Both ways give the same figures; a test holds them against each other.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "boards/timing/block.h"
#include "boards/timing/memory.h"
#include "boards/timing/pipeline.h"

namespace quern::timing {

// What one block cost, over all its executions.
struct BlockTotals {
  std::uint64_t executions = 0;
  std::uint64_t cycles = 0;
  Stalls stalls{};
  std::uint64_t l1_misses = 0;
  std::uint64_t l2_misses = 0;
  std::uint64_t misaligned = 0;
  std::uint64_t mispredicted = 0;
};

class Core {
 public:
  Core(const Parameters& parameters, std::shared_ptr<OuterMemory> outer);

  // Simulates instruction by instruction always (for tests).
  void never_replay() { replay_ = false; }

  // The block ran, made these accesses, and control went on at `next`.
  void run(const Block& block, std::span<const MemoryAccess> accesses, std::uint64_t next);

  std::int64_t cycles() const { return cycle_; }
  std::uint64_t instructions() const { return instructions_; }
  std::uint64_t unknown_instructions() const { return unknown_; }
  std::uint64_t replayed_instructions() const { return replayed_; }
  // An executed vsetvl whose vtype comes from a register: the vtype before it is assumed to go on.
  std::uint64_t assumed_vector_types() const { return assumed_types_; }
  const MemoryCounts& memory_counts() const { return memory_.counts(); }
  // By block id.
  const std::vector<BlockTotals>& totals();

 private:
  using StateId = std::uint32_t;
  static constexpr StateId unnamed = ~StateId{0};
  static constexpr std::uint32_t no_transition = ~std::uint32_t{0};

  struct Transition {
    StateId from = 0;
    std::uint32_t block = 0;
    std::uint64_t variant = 0;
    StateId to = 0;
    std::uint32_t cycles = 0;
    std::uint64_t count = 0;
    std::uint32_t successor = no_transition;  // what followed last time
    std::uint32_t misaligned = 0;
    std::array<std::uint32_t, stall_count> stalls{};
  };

  struct Resolved {  // a block's micro-ops under the vtype at its entry
    VectorType entry;
    std::vector<MicroOp> ops;
    std::vector<VectorType> after;  // vtype after each op, only where it changes it; else empty
    VectorType exit;
  };

  struct Outcome {
    bool taken = false;
    bool mispredicted = false;
  };

  Outcome branch_outcome(const Block& block, std::uint64_t next);
  // Do all accesses hit simply? Adds line crossings and misalignments to `variant`.
  bool simple(const Block& block, std::span<const MemoryAccess> accesses, std::uint64_t& variant);
  void simulate(const Block& block, std::span<const MemoryAccess> accesses, Outcome outcome,
                bool simple, std::uint64_t variant);
  MemoryOutcome access(const MicroOp& op, std::span<const MemoryAccess> accesses,
                       std::size_t first_access, std::int64_t cycle, bool simple);
  const Resolved& resolve(const Block& block, VectorType entry);
  StateId name_state(const PipelineState& state);
  std::uint32_t* find_transition(StateId from, std::uint32_t block, std::uint64_t variant);
  void grow_transitions();
  void forget();  // drops states and transitions, keeping what they counted
  void settle_counts();
  BlockTotals& totals_of(std::uint32_t block);

  const Parameters& parameters_;
  Pipeline pipeline_;
  Memory memory_;
  bool replay_ = true;
  std::int64_t cycle_ = 0;
  StateId state_ = unnamed;  // unnamed: the pipeline itself holds the state
  std::uint32_t last_transition_ = no_transition;
  std::uint64_t instructions_ = 0, unknown_ = 0, replayed_ = 0, assumed_types_ = 0;
  std::vector<BlockTotals> totals_;
  std::vector<std::uint64_t>
      ascending_;  // of the block in hand: Memory::ascending_before, by access

  std::deque<PipelineState> states_;
  std::vector<std::uint32_t> state_index_;  // open addressing: state number + 1, 0 empty
  std::vector<Transition> transitions_;
  std::vector<std::uint32_t> transition_index_;  // the same for transitions
  std::vector<std::vector<std::unique_ptr<Resolved>>> resolved_;

  std::vector<std::uint8_t> counters_;  // two-bit counters of the branch predictor
  std::uint32_t history_ = 0;
  std::vector<std::uint64_t> last_target_;  // of indirect jumps, by block
};

}  // namespace quern::timing
