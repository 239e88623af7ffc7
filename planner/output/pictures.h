// A plan to look at: a timeline for chrome://tracing or Perfetto (one row a pipe, one counter a
// tier; one cycle shown as one microsecond), and a memory map as SVG (time across, addresses down,
// one lane a tier).
#pragma once

#include <string>

#include "planner/model/command_graph.h"
#include "planner/model/plan.h"

namespace quern::planner {

std::string chrome_timeline(const CommandGraph& graph, const Machine& machine, const Plan& plan);

// Of a plan with memory. Every stay of a buffer is a rectangle with its name, times and addresses
// as tooltip.
std::string memory_map_svg(const CommandGraph& graph, const Machine& machine, const Plan& plan);

}  // namespace quern::planner
