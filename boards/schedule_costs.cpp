#include "boards/schedule_costs.h"

namespace quern::boards {
namespace {

generator::Costs::Cost cost(const timing::ClassTiming& times, std::size_t lmul_log2,
                            std::size_t sew_index) {
  const auto cycles = [](timing::Tick ticks) {
    return static_cast<double>(ticks) / timing::ticks_per_cycle;
  };
  // Tables start at LMUL 1/8.
  constexpr std::size_t m1 = 3;
  return {cycles(times.latency[m1 + lmul_log2][sew_index]),
          cycles(times.occupancy[m1 + lmul_log2][sew_index])};
}

}  // namespace

generator::Costs schedule_costs(const timing::Parameters& parameters) {
  const auto of = [&](timing::InstructionClass c) -> const timing::ClassTiming& {
    return parameters.classes[static_cast<std::size_t>(c)];
  };
  generator::Costs out;
  out.issue_width = parameters.issue_width;
  out.scalar_load = cost(of(timing::InstructionClass::fp_load), 0, 0);
  for (std::size_t sew = 0; sew < 4; ++sew) {
    for (std::size_t lmul = 0; lmul < 4; ++lmul) {
      out.vector_load[sew][lmul] = cost(of(timing::InstructionClass::vector_load), lmul, sew);
      out.fma[sew][lmul] = cost(of(timing::InstructionClass::vector_fma), lmul, sew);
      out.widening_fma[sew][lmul] = cost(of(timing::InstructionClass::vector_widen_fma), lmul, sew);
    }
  }
  return out;
}

}  // namespace quern::boards
