// Lower bounds on the makespan: one in-order pipe at a time.
//
//   before   |-- head --|
//   the pipe            |= work of the pipe, never idle longer than heads force it =|
//   after                                                                           |-- tail --|
//
// A command cannot start before the longest chain of commands that lead to it (its head) and the
// run cannot end before the longest chain behind it (its tail). A pipe that serves its commands one
// by one, each not before its head and followed by its tail, ends no sooner than Jackson's
// preemptive schedule does (the ready command with the longest tail first; Carlier 1982): the order
// of a real run is one of those that the preemptive schedule is the best of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/decode/problem.h"

namespace quern::planner {

// Work on the transfer pipes that no plan avoids (see bounds.h), without head and tail.
struct UnavoidableTransfers {
  std::int64_t in_cycles = 0, out_cycles = 0;
};

struct PipeBounds {
  std::int64_t critical_path = 0;
  std::int64_t busiest_pipe = 0;  // of work alone
  std::int64_t scheduled = 0;     // of work, heads and tails: the largest of all pipes
  std::string busiest_name, scheduled_name;
};

PipeBounds pipe_bounds(const Problem& problem, const UnavoidableTransfers& transfers);

}  // namespace quern::planner
