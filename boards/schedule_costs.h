// What the generator's schedules see of a board's timing tables: the loads and
// multiply-accumulates of a kernel's loop.
#pragma once

#include "boards/timing/parameters.h"
#include "generator/core/emitter.h"

namespace quern::boards {

generator::Costs schedule_costs(const timing::Parameters& parameters);

}  // namespace quern::boards
