// First fit: buffers in a given order, each at the lowest address that is free during its lifespan.
// Fast, and enough when memory is not tight.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/allocation/model.h"

namespace quern::planner::allocation {

// Offsets by buffer, in units. Buffers with a fixed offset are placed there before all others. A
// buffer for which there is no room below latest[buffer] gets -1 and is listed in `left_over`.
struct FirstFit {
  std::vector<std::int64_t> offsets;
  std::vector<int> left_over;
};
FirstFit first_fit(const Model& model, const std::vector<std::int64_t>& latest,
                   const std::vector<int>& order);

}  // namespace quern::planner::allocation
