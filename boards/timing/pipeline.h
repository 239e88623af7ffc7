// The core: in-order issue over a scoreboard.
//
//   cycle        c          c+1         c+2
//   slots     [ op0 op1 ] [ op2 -- ] [ op3 op4 ]     up to `issue_width` a cycle, in program order
//
// An instruction issues in the first cycle, not before its predecessor's, in which
//   * a slot is left (and, for a vector instruction, a vector slot),
//   * its source registers are ready, a scalar store's data within `store_data_slack`,
//   * its result would not overtake an older write of the same register (with
//     `in_order_results`: of any register),
//   * a unit of its kind is free, and memory accepts the access.
// It then occupies the unit for `occupancy` and makes its registers ready after `latency`, plus
// what memory adds. Times are in ticks (1/64 cycle); issue is on whole cycles, so an occupancy
// of 2.45 cycles issues after 2 or 3 cycles and averages 2.45.
//
// Not modelled: a queue between the scalar and the vector part (none is documented for C908 or
// X60), write-after-read hazards, instruction fetch.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "boards/timing/micro_op.h"
#include "boards/timing/stall.h"

namespace quern::timing {

// What memory says to an access that would like to start in some cycle.
struct MemoryOutcome {
  std::int64_t start = 0;    // first cycle in which it is accepted
  Tick extra_latency = 0;    // over an L1 hit
  Tick extra_occupancy = 0;  // of the load/store unit
  StallCause start_cause = StallCause::miss_slots;
  StallCause data_cause = StallCause::load_result;
};

inline constexpr int unit_instance_count = 16;

// Everything that decides what happens next, relative to the current cycle: two equal states behave
// equally.
struct PipelineState {
  std::array<std::uint16_t, register_count> ready{};      // ticks from now
  std::array<std::uint16_t, unit_instance_count> free{};  // ticks from now
  std::array<std::uint8_t, register_count> producer{};    // StallCause, where ready > 0
  std::uint16_t write_back = 0;                           // ticks from now: the youngest result
  std::uint8_t slots_used = 0;
  std::uint8_t vector_used = 0;
  std::int8_t lmul_log2 = 0;
  std::uint8_t sew = 8;
  std::uint16_t vl = 0;
  bool operator==(const PipelineState&) const = default;
};

class Pipeline {
 public:
  explicit Pipeline(const Parameters& parameters);

  // Issues one micro-op; memory(op, cycle) is asked for memory ops only. Returns the cycle of
  // issue.
  template <class MemoryModel>
  std::int64_t issue(const MicroOp& op, MemoryModel&& memory);
  // The same with every access a hit in L1.
  std::int64_t issue(const MicroOp& op) {
    return issue(op,
                 [](const MicroOp&, std::int64_t cycle) { return MemoryOutcome{.start = cycle}; });
  }

  // A taken branch has issued: nothing more in this cycle (unless the core fetches past it), and
  // `bubble` cycles after it are lost.
  void end_group(int bubble, StallCause cause);

  std::int64_t cycle() const { return cycle_; }  // of the youngest issue
  const Stalls& stalls() const { return stalls_; }
  VectorType vector_type;  // under which the next instruction runs

  // Can the state be named? Not while a miss is on its way: its distance is an accident of the
  // moment.
  bool settled() const;
  PipelineState state() const;  // settled() must hold
  void restore(const PipelineState& state, std::int64_t cycle);
  void clear_stalls() { stalls_.fill(0); }

 private:
  const Parameters& parameters_;
  std::array<std::uint8_t, unit_instance_count> first_instance_{};  // by unit
  std::array<std::uint8_t, unit_instance_count> instances_{};
  std::array<StallCause, unit_instance_count> unit_cause_{};
  std::array<Tick, register_count> ready_{};
  std::array<StallCause, register_count> producer_{};
  std::array<Tick, unit_instance_count> free_{};
  Tick write_back_ = 0;  // of the youngest result among those that are written in order
  std::int64_t cycle_ = 0;
  int slots_used_ = 0;
  int vector_used_ = 0;
  Stalls stalls_{};
};

// Which cause a wait for this class's result is charged to.
StallCause producer_of(InstructionClass c);

template <class MemoryModel>
std::int64_t Pipeline::issue(const MicroOp& op, MemoryModel&& memory) {
  const bool full = slots_used_ >= parameters_.issue_width ||
                    (op.vector && vector_used_ >= parameters_.vector_issue_width);
  const std::int64_t earliest = cycle_ + (full ? 1 : 0);
  std::int64_t at = earliest;
  StallCause cause = StallCause::integer_result;
  const auto cycle_of = [](Tick t) { return (t + ticks_per_cycle - 1) >> 6; };
  static_assert(ticks_per_cycle == 64);

  for (int i = 0; i < op.source_count; ++i) {
    const RegisterRange range = op.sources[static_cast<std::size_t>(i)];
    for (unsigned r = range.first; r < unsigned{range.first} + range.count; ++r)
      if (ready_[r] > at * ticks_per_cycle) at = cycle_of(ready_[r]), cause = producer_[r];
  }
  if (op.data.count && ready_[op.data.first] > (at + op.store_slack) * ticks_per_cycle)
    at = cycle_of(ready_[op.data.first]) - op.store_slack, cause = producer_[op.data.first];
  for (int i = 0; i < op.destination_count; ++i) {
    const RegisterRange range = op.destinations[static_cast<std::size_t>(i)];
    for (unsigned r = range.first; r < unsigned{range.first} + range.count; ++r)
      if (ready_[r] > at * ticks_per_cycle + op.latency)
        at = cycle_of(ready_[r] - op.latency), cause = producer_[r];
  }
  if (op.in_order) {
    const Tick own = std::max(op.latency, Tick{ticks_per_cycle});
    if (write_back_ > at * ticks_per_cycle + own)
      at = cycle_of(write_back_ - own), cause = StallCause::write_order;
  }
  std::size_t instance = first_instance_[op.unit];
  for (std::size_t i = 1; i < instances_[op.unit]; ++i)
    if (free_[first_instance_[op.unit] + i] < free_[instance])
      instance = first_instance_[op.unit] + i;
  if ((free_[instance] >> 6) > at)
    at = free_[instance] >> 6, cause = op.memory   ? StallCause::memory_unit
                                       : op.vector ? StallCause::vector_unit
                                                   : StallCause::scalar_unit;

  Tick extra_latency = 0, extra_occupancy = 0;
  StallCause producer = producer_of(op.instruction_class);
  if (op.memory) {
    const MemoryOutcome outcome = memory(op, at);
    if (outcome.start > at) at = outcome.start, cause = outcome.start_cause;
    extra_latency = outcome.extra_latency;
    extra_occupancy = outcome.extra_occupancy;
    if (extra_latency > 0) producer = outcome.data_cause;
  }

  stalls_[static_cast<std::size_t>(cause)] += static_cast<std::uint64_t>(at - earliest);
  if (at > cycle_) {
    cycle_ = at;
    slots_used_ = vector_used_ = 0;
  }
  ++slots_used_;
  vector_used_ += op.vector;
  free_[instance] =
      std::max(free_[instance], at * ticks_per_cycle) + op.occupancy + extra_occupancy;
  const Tick done = at * ticks_per_cycle + op.latency + extra_latency;
  if (op.in_order) write_back_ = std::max(write_back_, done);
  for (int i = 0; i < op.destination_count; ++i) {
    const RegisterRange range = op.destinations[static_cast<std::size_t>(i)];
    for (unsigned r = range.first; r < unsigned{range.first} + range.count; ++r)
      ready_[r] = done, producer_[r] = producer;
  }
  return at;
}

}  // namespace quern::timing
