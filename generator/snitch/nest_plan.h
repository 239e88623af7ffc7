// How a nest over f32 or f16 elements is packed, streamed and tiled: every way that its data allow,
// the cheapest by estimate.
//
//   partial sums    both operands contiguous along the reduction as they lie (matmul_t)
//   transposed      the same after B has been copied transposed
//   outputs         lanes along the output's row, operands staged (pack_outputs.h)
//   both            some columns as partial sums, for which nothing is copied, and meanwhile all
//   that
//                   the outputs of the other columns need
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/snitch/pack_outputs.h"
#include "generator/snitch/point.h"
#include "generator/snitch/stream_nest.h"

namespace quern::generator::snitch {

struct PlanStep {
  LoopNest words;                     // level 1 as packed
  std::vector<Staging> staged_first;  // copied before the streams of this step start
  std::vector<StreamNest> regions;
};

struct NestPlan {
  std::vector<PlanStep> steps;
  std::int64_t workspace_bytes = 0;
  double cycles = 0;  // modelled; used only to choose
};

// The plans' common conditions.
struct PlanLimits {
  int m_r = 0, n_r = 0;             // asked unroll and jam in outputs; 0: free
  int workspace_argument = 0;       // pointer in a<argument>
  std::int64_t workspace_room = 0;  // bytes
  bool staging = true;              // allowed at all
};

// nullopt, and the reason in `why`, when no way is open. Throws bad_input when the asked factors
// are what closes the last one.
std::optional<NestPlan> plan_reduction(const LoopNest& nest, const PlanLimits& limits,
                                       const Machine& machine, std::string& why);

}  // namespace quern::generator::snitch
