#include "boards/schedule_costs.h"

namespace quern::boards {
namespace {

generator::Costs::Cost cost(const timing::ClassTiming& times, std::size_t lmul_index,
                            std::size_t sew_index) {
  const auto cycles = [](timing::Tick ticks) {
    return static_cast<double>(ticks) / timing::ticks_per_cycle;
  };
  return {cycles(times.latency[lmul_index][sew_index]),
          cycles(times.occupancy[lmul_index][sew_index])};
}

}  // namespace

generator::Costs schedule_costs(const timing::Parameters& parameters) {
  const auto of = [&](timing::InstructionClass c) -> const timing::ClassTiming& {
    return parameters.classes[static_cast<std::size_t>(c)];
  };
  // Tables start at LMUL 1/8, the generator's at 1/2.
  constexpr std::size_t half = 2, one = 3;
  using enum timing::InstructionClass;
  generator::Costs out;
  out.issue_width = parameters.issue_width;
  out.writes_in_order = parameters.in_order_results != timing::InOrder::none;
  out.one_load_unit = of(fp_load).unit == of(vector_load).unit;
  out.scalar_load = cost(of(fp_load), one, 0);
  out.integer_load = cost(of(load), one, 0);
  for (std::size_t sew = 0; sew < 4; ++sew) {
    for (std::size_t lmul = 0; lmul < 5; ++lmul) {
      out.vector_load[sew][lmul] = cost(of(vector_load), half + lmul, sew);
      out.fma[sew][lmul] = cost(of(vector_fma), half + lmul, sew);
      out.widening_fma[sew][lmul] = cost(of(vector_widen_fma), half + lmul, sew);
      out.widening_multiply_add[sew][lmul] = cost(of(vector_widen_multiply), half + lmul, sew);
    }
  }
  return out;
}

}  // namespace quern::boards
