// The bound of deaths.h for peak orders, in which some tiers hold one buffer at a time: more must
// have run by the time a buffer dies than its history alone.
//
//   MOVE a,A1   MOVE a,A2   MOVE a,A3    a dies with its last MOVE, say the one that fills A3.
//      └► MATMUL   └► MATMUL   └► MATMUL  A holds one: A1 and A2 are over, their MATMULs have run.
//
// Let v be the last user of the buffer that dies, X what is known to have run (v included), and y
// the buffer of an exclusive tier that v uses, which is therefore alive. Then
//
//   1. another buffer of y's tier that X touches is over: all its history has run;
//   2. so is another buffer z of y's tier whose use comes before a use of y: it cannot be alive
//      beside y;
//   3. let w come after v and before or at a use of y, and use a buffer c of another exclusive
//      tier. c is not over. Any other d of c's tier that X touches was born before y dies, as c
//      was, so d is over before c is born; what d's history does with y's tier was done before y
//      was born, and is over as well.
//
// These are applied until nothing changes. A sequence of deaths remembers X; a buffer whose death
// would add nothing is taken to have died, which only lowers the bound.
#pragma once

#include "planner/bounds/closure.h"
#include "planner/bounds/deaths.h"

namespace quern::planner {

bool has_exclusive_tiers(const Problem& problem);

// Lower bound on the units of the tiers that count, for orders that respect peak_live_limit. `work`
// limits the search, in operations of the sets made; when it runs out, the best open sequence is
// the bound.
std::int64_t least_exclusive_peak(const Problem& problem, const Closure& closure,
                                  std::int64_t work);

}  // namespace quern::planner
