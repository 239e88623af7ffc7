#include "planner/bounds/closure.h"

namespace quern::planner {

std::vector<int> topological_order(const Problem& problem) {
  std::vector<int> waiting, order;
  for (int operation = 0; operation < problem.operations(); ++operation) {
    waiting.push_back(static_cast<int>(problem.predecessors[operation].size()));
    if (waiting.back() == 0) order.push_back(operation);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (int next : problem.successors[order[i]]) {
      if (--waiting[next] == 0) order.push_back(next);
    }
  }
  return order;
}

bool Closure::affordable(const Problem& problem) {
  constexpr std::int64_t most_bits = std::int64_t{1} << 29;
  const std::int64_t sets = problem.operations() + std::int64_t{problem.buffers()};
  return sets * problem.operations() <= most_bits;
}

Closure::Closure(const Problem& problem) {
  const Bits none(problem.operations());
  before.assign(problem.operations(), none);
  for (int operation : topological_order(problem)) {
    for (int other : problem.predecessors[operation]) before[operation] |= before[other];
    before[operation].insert(operation);
  }
  history.assign(problem.buffers(), none);
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    for (int user : problem.operations_of[buffer]) history[buffer] |= before[user];
  }
}

}  // namespace quern::planner
