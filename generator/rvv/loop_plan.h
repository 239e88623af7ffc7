// A plan of one loop iteration against the target's tables: cycle and program order of every
// instruction, so that no FMA waits for anything but its unit (Rau, "Iterative modulo scheduling",
// 1996, for a loop whose FMAs stand already; issue_table.h adds the order of the writes).
//
//     cycle of    fma0     fma1     fma2     fma3    | fma0'
//     gap              0        1        2       end |
//                  vle of the group that fma0 freed  | pointer additions, branch
//
// FMAs are spread evenly over the shortest iteration for which a plan is found; a gap is longer
// where a vector load could not write in order otherwise (LMUL 1 on the X60: 3 cycles behind a 5
// cycles' FMA). A vector is loaded as soon as its group is free: that costs nothing. A scalar is
// loaded as late as its latency and the look-ahead allow, so that it keeps its register for a short
// time.
//
// Pointers are moved at the end of the iteration, all together where the gap before the branch has
// the slots, and the others together in another gap: a core that wrote integer results in order too
// would then wait once for all of them.
#pragma once

#include "generator/rvv/schedule.h"

namespace quern::generator::rvv {

// Sets place and order of all loads and advances; false if no plan is found (nothing is changed).
bool plan_loop(const Tile& tile, const Schedule& schedule, Loads& loads);

}  // namespace quern::generator::rvv
