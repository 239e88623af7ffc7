// Capacities that are certainly needed.
#pragma once

#include <cstdint>
#include <string>

#include "planner/allocation/model.h"
#include "planner/allocation/problem.h"

namespace quern::planner::allocation {

struct LowerBound {
  std::int64_t capacity = 0;
  std::string reason;  // in words, for messages
};

// The largest of
// * what one buffer needs: its size, or the end of its fixed address range;
// * what is live in one section: the buffers there in a stack, each rounded up to the common
// alignment except
//   the top one; fixed ones where they are, the others in the holes between (those too small for
//   any stay empty) and above.
LowerBound lower_bound(const Problem& problem, const Model& model);

// Any capacity that is needed is at least this one, given that it is at least `capacity`: the next
// multiple of what all sizes, alignments and fixed offsets have in common.
std::int64_t round_up(const Problem& problem, const Model& model, std::int64_t capacity);

}  // namespace quern::planner::allocation
