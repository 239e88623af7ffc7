// What comes before what in every order, as sets: the facts that all bounds on memory stand on.
#pragma once

#include "planner/bounds/bits.h"
#include "planner/decode/problem.h"

namespace quern::planner {

// Operations so that each comes after its predecessors.
std::vector<int> topological_order(const Problem& problem);

struct Closure {
  explicit Closure(const Problem& problem);
  // Not when the sets would take hundreds of megabytes.
  static bool affordable(const Problem& problem);

  std::vector<Bits> before;   // operation -> the operations that come before it, and itself
  std::vector<Bits> history;  // buffer -> its users and all operations before them
};

}  // namespace quern::planner
