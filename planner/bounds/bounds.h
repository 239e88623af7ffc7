// What no plan can beat, order and memory left free. Every figure holds for every legal plan:
//
//   cycles     critical path: the longest chain of dependent commands
//              busiest pipe: the work of one in-order pipe, unavoidable transfers included
//              scheduled pipe: the same with what must come before and after its commands (pipes.h)
//   peak       must-live: buffers alive whenever one given command runs, whatever the order
//              deaths: what is alive when the first, second, ... buffer of a set dies (deaths.h);
//              with tiers that hold one buffer at a time, exclusive.h
//   traffic    what deaths show to be live in one tier beyond its capacity has to be outside then.
//              Sets of buffers that share none, and tiers, add up: an eviction belongs to one buffer.
//              phases: what arrives in a tier in a stretch of the plan feeds only so many products
//              (phases.h)
#pragma once

#include <cstdint>
#include <string>

#include "planner/decode/problem.h"

namespace quern::planner {

struct LowerBounds {
  std::int64_t peak = 0;
  std::string peak_by;  // which of the above it is
  std::int64_t must_live = 0;
  std::int64_t traffic = 0;
  std::string traffic_by;
  std::int64_t critical_path = 0;
  std::int64_t busiest_pipe = 0;
  std::string busiest_pipe_name;
  std::int64_t scheduled_pipe = 0;
  std::string scheduled_pipe_name;
  // false: the graph is too large for the closures, and peak and traffic rest on operands only.
  bool memory_exact = true;

  std::int64_t cycles() const {
    return scheduled_pipe > critical_path ? scheduled_pipe : critical_path;
  }
};

LowerBounds lower_bounds(const Problem& problem);

}  // namespace quern::planner
