#include "planner/search/structure.h"

#include <algorithm>

namespace quern::planner {

Structure::Structure(const Problem& problem) {
  const int count = problem.operations();
  std::vector<std::pair<int, int>> touches;
  std::vector<int> stack;
  for (int anchor : problem.anchors) {
    stack.assign(1, anchor);
    while (!stack.empty()) {
      const int operation = stack.back();
      stack.pop_back();
      for (int buffer : problem.buffers_of[operation]) touches.emplace_back(anchor, buffer);
      for (int before : problem.predecessors[operation]) {
        if (problem.lazy[before]) stack.push_back(before);
      }
    }
  }
  std::sort(touches.begin(), touches.end());
  touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
  footprint = Adjacency(count, touches);
  for (auto& [anchor, buffer] : touches) std::swap(anchor, buffer);
  std::sort(touches.begin(), touches.end());
  touched_by = Adjacency(problem.buffers(), touches);
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    if (touched_by[buffer].size() > 1) shared.push_back(buffer);
  }

  // A chain continues where an anchor has one anchor before and that one has one anchor after it.
  const auto only_anchor = [&](std::span<const int> list) {
    int found = -1;
    for (int other : list) {
      if (problem.lazy[other] || problem.eager[other]) continue;
      if (found >= 0) return -1;
      found = other;
    }
    return found;
  };
  chain_of.assign(count, -1);
  for (int anchor : problem.anchors) {
    const int before = only_anchor(problem.predecessors[anchor]);
    if (before >= 0 && only_anchor(problem.successors[before]) == anchor) continue;  // not a head
    const int chain = static_cast<int>(chains.size());
    chains.emplace_back();
    for (int at = anchor; at >= 0;) {
      chain_of[at] = chain;
      chains.back().push_back(at);
      const int next = only_anchor(problem.successors[at]);
      at = next >= 0 && only_anchor(problem.predecessors[next]) == at ? next : -1;
    }
  }
}

}  // namespace quern::planner
