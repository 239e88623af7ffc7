// Judges a solution by the definition of the problem alone. It shares no code with the solver (only
// the data types), so that a mistake there cannot hide here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/allocation/problem.h"

namespace quern::planner::allocation {

// The first violation found, in words; nothing if the solution is valid: as many offsets as
// buffers, each aligned, as prescribed, within [0, capacity - size], and no address held by two
// buffers at one time. Takes O(p log p) for p pieces (a buffer has one piece more for each gap, at
// most two).
std::optional<std::string> verify(const Problem& problem, const Solution& solution,
                                  std::int64_t capacity);

}  // namespace quern::planner::allocation
