#include "planner/bounds/bounds.h"

#include <algorithm>

namespace quern::planner {
namespace {

// Closures above this many operations would take more than a few hundred megabytes and seconds.
constexpr int closure_limit = 20'000;

using Bits = std::vector<std::uint64_t>;

std::vector<int> topological(const Problem& problem) {
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

// For each operation, the operations that come before it in every order (itself included), as bits.
class Closure {
 public:
  Closure(const Problem& problem, const std::vector<int>& order)
      : words_((problem.operations() + 63) / 64),
        bits_(static_cast<std::size_t>(problem.operations()) * words_) {
    for (int operation : order) {
      std::uint64_t* row = at(operation);
      for (int before : problem.predecessors[operation]) {
        const std::uint64_t* other = at(before);
        for (std::size_t w = 0; w < words_; ++w) row[w] |= other[w];
      }
      row[operation / 64] |= std::uint64_t{1} << (operation % 64);
    }
  }
  bool precedes(int before, int operation) const {
    return (bits_[static_cast<std::size_t>(operation) * words_ + before / 64] >> (before % 64)) & 1;
  }

 private:
  std::uint64_t* at(int operation) {
    return bits_.data() + static_cast<std::size_t>(operation) * words_;
  }
  std::size_t words_;
  Bits bits_;
};

// Buffer b must be live while v runs if one of its users precedes v (or is v) and one follows v (or
// is v). The users that precede nothing else of the same buffer are its last ones; for long lists
// only the sources and sinks among them matter, but lists are short enough to test all.
void must_live(const Problem& problem, const Closure* closure, LowerBounds& bounds) {
  const std::size_t tiers = problem.machine->tiers.size();
  std::vector<std::int64_t> held(tiers), over(tiers, 0);
  std::vector<std::int64_t> worst_traffic(tiers, 0);
  for (int operation = 0; operation < problem.operations(); ++operation) {
    std::fill(held.begin(), held.end(), 0);
    // Units that must be outside cost at least one way (backed) or two ways each.
    if (closure == nullptr) {
      for (int buffer : problem.buffers_of[operation])
        held[problem.tier[buffer]] += problem.size[buffer];
    } else {
      for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
        bool before = false, after = false;
        for (int user : problem.operations_of[buffer]) {
          before = before || closure->precedes(user, operation);
          after = after || closure->precedes(operation, user);
          if (before && after) break;
        }
        if (before && after) held[problem.tier[buffer]] += problem.size[buffer];
      }
    }
    std::int64_t counted = 0;
    for (std::size_t t = 0; t < tiers; ++t) {
      if (problem.machine->tiers[t].counts_in_peak) counted += held[t];
      worst_traffic[t] = std::max(worst_traffic[t], held[t] - problem.machine->tiers[t].capacity);
    }
    bounds.peak = std::max(bounds.peak, counted);
  }
  for (std::int64_t units : worst_traffic) bounds.traffic += std::max<std::int64_t>(0, units);
}

}  // namespace

LowerBounds lower_bounds(const Problem& problem) {
  LowerBounds bounds;
  const std::vector<int> order = topological(problem);
  std::vector<std::int64_t> work(problem.machine->pipes.size(), 0);
  std::vector<std::int64_t> finish(problem.operations(), 0);
  for (int operation : order) {
    work[problem.pipe[operation]] += problem.cycles[operation];
    for (int before : problem.predecessors[operation]) {
      finish[operation] = std::max(finish[operation], finish[before]);
    }
    finish[operation] += problem.cycles[operation];
    bounds.critical_path = std::max(bounds.critical_path, finish[operation]);
  }
  bounds.must_live_exact = problem.operations() <= closure_limit &&
                           static_cast<std::int64_t>(problem.operations()) * problem.buffers() <=
                               std::int64_t{60'000'000};
  if (bounds.must_live_exact) {
    const Closure closure(problem, order);
    must_live(problem, &closure, bounds);
  } else {
    must_live(problem, nullptr, bounds);
  }
  // Every unit that must be moved comes back through the reload pipe.
  work[problem.machine->transfer.in_pipe] +=
      bounds.traffic == 0 ? 0 : problem.machine->in_cycles(0);
  for (std::size_t pipe = 0; pipe < work.size(); ++pipe) {
    if (work[pipe] <= bounds.busiest_pipe) continue;
    bounds.busiest_pipe = work[pipe];
    bounds.busiest_pipe_name = problem.machine->pipes[pipe];
  }
  return bounds;
}

}  // namespace quern::planner
