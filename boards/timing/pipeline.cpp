#include "boards/timing/pipeline.h"

#include "base/error.h"

namespace quern::timing {

StallCause producer_of(InstructionClass c) {
  using enum InstructionClass;
  if (c == vector_configure) return StallCause::configure_result;
  if (is_load(c)) return StallCause::load_result;
  if (is_vector(c)) return StallCause::vector_result;
  if (c >= fp_add_single && c <= fp_move_from_integer) return StallCause::fp_result;
  return StallCause::integer_result;
}

Pipeline::Pipeline(const Parameters& parameters) : parameters_(parameters) {
  std::size_t next = 0;
  for (std::size_t unit = 0; unit < parameters.units.size(); ++unit) {
    first_instance_[unit] = static_cast<std::uint8_t>(next);
    instances_[unit] = static_cast<std::uint8_t>(parameters.units[unit].count);
    next += static_cast<std::size_t>(parameters.units[unit].count);
  }
  QUERN_CHECK(next <= unit_instance_count);
}

void Pipeline::end_group(int bubble, StallCause cause) {
  if (bubble > 0) {
    stalls_[static_cast<std::size_t>(cause)] += static_cast<std::uint64_t>(bubble);
    cycle_ += bubble;
  }
  if (bubble > 0 || parameters_.taken_branch_ends_group) slots_used_ = parameters_.issue_width;
}

bool Pipeline::settled() const {
  const Tick now = cycle_ * ticks_per_cycle;
  for (std::size_t r = 0; r < register_count; ++r) {
    const Tick wait = ready_[r] - now;
    if (wait > 0 &&
        (producer_[r] == StallCause::l2 || producer_[r] == StallCause::dram || wait > 0xffff))
      return false;
  }
  for (const Tick free : free_)
    if (free - now > 0xffff) return false;
  return write_back_ - now <= 0xffff;
}

PipelineState Pipeline::state() const {
  const Tick now = cycle_ * ticks_per_cycle;
  PipelineState state;
  for (std::size_t r = 0; r < register_count; ++r)
    if (ready_[r] > now) {
      state.ready[r] = static_cast<std::uint16_t>(ready_[r] - now);
      state.producer[r] = static_cast<std::uint8_t>(producer_[r]);
    }
  for (std::size_t i = 0; i < free_.size(); ++i)
    if (free_[i] > now) state.free[i] = static_cast<std::uint16_t>(free_[i] - now);
  if (write_back_ > now) state.write_back = static_cast<std::uint16_t>(write_back_ - now);
  state.slots_used = static_cast<std::uint8_t>(slots_used_);
  state.vector_used = static_cast<std::uint8_t>(vector_used_);
  state.lmul_log2 = vector_type.lmul_log2;
  state.sew = vector_type.sew;
  state.vl = vector_type.vl;
  return state;
}

void Pipeline::restore(const PipelineState& state, std::int64_t cycle) {
  const Tick now = cycle * ticks_per_cycle;
  for (std::size_t r = 0; r < register_count; ++r) {
    ready_[r] = now + state.ready[r];
    producer_[r] = static_cast<StallCause>(state.producer[r]);
  }
  for (std::size_t i = 0; i < free_.size(); ++i) free_[i] = now + state.free[i];
  write_back_ = now + state.write_back;
  cycle_ = cycle;
  slots_used_ = state.slots_used;
  vector_used_ = state.vector_used;
  vector_type = {state.lmul_log2, state.sew, state.vl};
}

}  // namespace quern::timing
