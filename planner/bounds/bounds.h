// What no plan can beat, order and memory left free. Every figure is provable from the graph:
//
//   busiest pipe      the work of one in-order pipe
//   critical path     the longest chain of dependent commands
//   must-live         buffers that are alive whenever one given command runs, whatever the order
//   traffic           must-live beyond a tier's capacity has to be outside: at least that much is
//   moved
#pragma once

#include <cstdint>
#include <string>

#include "planner/decode/problem.h"

namespace quern::planner {

struct LowerBounds {
  std::int64_t peak = 0;
  std::int64_t traffic = 0;
  std::int64_t busiest_pipe = 0;
  std::string busiest_pipe_name;
  std::int64_t critical_path = 0;
  bool must_live_exact = true;  // false: the graph is too large for the closure; operands only

  std::int64_t cycles() const {
    return busiest_pipe > critical_path ? busiest_pipe : critical_path;
  }
};

LowerBounds lower_bounds(const Problem& problem);

}  // namespace quern::planner
