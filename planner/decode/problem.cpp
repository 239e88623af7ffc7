#include "planner/decode/problem.h"

#include <algorithm>

#include "base/error.h"

namespace quern::planner {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

void sort_unique(Pairs& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

Pairs reversed(Pairs pairs) {
  for (auto& [a, b] : pairs) std::swap(a, b);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

// Users of `buffer` that come before `operation` along users of it: an accumulation names its
// predecessor only, but gives back what all before it have written.
int users_before(const Problem& problem, int operation, int buffer) {
  std::vector<int> found{operation};
  for (std::size_t at = 0; at < found.size(); ++at) {
    for (int before : problem.predecessors[found[at]]) {
      const auto uses = problem.buffers_of[before];
      if (std::find(uses.begin(), uses.end(), buffer) != uses.end() &&
          std::find(found.begin(), found.end(), before) == found.end()) {
        found.push_back(before);
      }
    }
  }
  return static_cast<int>(found.size()) - 1;
}

// How much of its tiers an operation takes first and gives back last, in shares of the capacity, as
// far as the graph alone tells: it takes the buffers that nothing before it uses, and gives back
// those that all other users come before.
double pressure(const Problem& problem, int operation) {
  double change = 0;
  for (int buffer : problem.buffers_of[operation]) {
    const int others = static_cast<int>(problem.operations_of[buffer].size()) - 1;
    const int before = users_before(problem, operation, buffer);
    const double share = static_cast<double>(problem.size[buffer]) /
                         static_cast<double>(problem.machine->tiers[problem.tier[buffer]].capacity);
    if (before == 0) change += share;
    if (before == others) change -= share;
  }
  return change;
}

// Buffers with very many users would make `pressure` quadratic; only operations with few buffers
// and buffers with few users matter there, so the test below comes first.
bool may_be_lazy(const Problem& problem, int operation) {
  const auto next = problem.successors[operation];
  return next.size() == 1 && problem.pipe[next[0]] != problem.pipe[operation];
}

void classify(Problem& problem) {
  const int count = problem.operations();
  problem.lazy.assign(count, 0);
  problem.eager.assign(count, 0);
  for (int operation = 0; operation < count; ++operation) {
    const auto next = problem.successors[operation];
    if (problem.predecessors[operation].empty() && !next.empty()) {
      problem.lazy[operation] = 1;
    } else if (may_be_lazy(problem, operation) && pressure(problem, operation) > 0) {
      problem.lazy[operation] = 1;
    } else if (next.empty() && !problem.predecessors[operation].empty() &&
               pressure(problem, operation) <= 0) {
      problem.eager[operation] = 1;
    }
    if (!problem.lazy[operation] && !problem.eager[operation]) {
      problem.anchors.push_back(operation);
    }
  }
}

}  // namespace

Problem compile(const CommandGraph& graph, const Machine& machine) {
  Problem problem;
  problem.graph = &graph;
  problem.machine = &machine;
  std::vector<int> operation_of(graph.size(), -1);
  for (int node = 0; node < graph.size(); ++node) {
    const Command& command = graph.commands[node];
    if (command.kind != CommandKind::operation) continue;
    operation_of[node] = problem.operations();
    problem.node_of.push_back(node);
    problem.pipe.push_back(command.pipe);
    problem.cycles.push_back(command.cycles);
  }
  const int count = problem.operations();
  const int buffers = static_cast<int>(graph.buffers.size());

  // An edge between an operation and the ALLOC or FREE of a buffer it does not name still keeps the
  // buffer alive around it; counting it as a use says so.
  Pairs uses, edges;
  for (int node = 0; node < graph.size(); ++node) {
    const Command& command = graph.commands[node];
    for (int buffer : graph.buffers_of[node]) uses.emplace_back(operation_of[node], buffer);
    for (int next : graph.successors[node]) {
      const Command& other = graph.commands[next];
      if (command.kind == CommandKind::operation && other.kind == CommandKind::operation) {
        edges.emplace_back(operation_of[node], operation_of[next]);
      } else if (command.kind == CommandKind::alloc && other.kind == CommandKind::operation) {
        uses.emplace_back(operation_of[next], command.buffer);
      } else if (command.kind == CommandKind::operation && other.kind == CommandKind::free) {
        uses.emplace_back(operation_of[node], other.buffer);
      }
    }
  }
  sort_unique(uses);
  problem.buffers_of = Adjacency(count, uses);
  problem.operations_of = Adjacency(buffers, reversed(uses));

  // Edges that go through memory nodes: everything that must wait for a FREE waits for all users of
  // that buffer; everything before an ALLOC comes before all its users.
  for (int node = 0; node < graph.size(); ++node) {
    const Command& command = graph.commands[node];
    for (int next : graph.successors[node]) {
      const Command& other = graph.commands[next];
      const bool from_free = command.kind == CommandKind::free;
      const bool to_alloc = other.kind == CommandKind::alloc;
      if (!from_free && !to_alloc) continue;
      const std::vector<int> single_from{operation_of[node]}, single_to{operation_of[next]};
      std::span<const int> before = single_from, after = single_to;
      if (from_free) before = problem.operations_of[command.buffer];
      if (to_alloc) after = problem.operations_of[other.buffer];
      for (int a : before) {
        for (int b : after) edges.emplace_back(a, b);
      }
    }
  }
  sort_unique(edges);
  problem.successors = Adjacency(count, edges);
  problem.predecessors = Adjacency(count, reversed(edges));

  for (const Buffer& buffer : graph.buffers) {
    problem.size.push_back(buffer.size);
    problem.tier.push_back(buffer.tier);
    problem.pair_traffic.push_back(machine.pair_traffic(buffer.size, buffer.backed));
    problem.in_cycles.push_back(machine.in_cycles(buffer.size));
    problem.out_cycles.push_back(machine.out_cycles(buffer.size, buffer.backed));
  }
  classify(problem);
  return problem;
}

Linearizer::Linearizer(const Problem& problem) : problem_(problem) {
  for (int operation = 0; operation < problem.operations(); ++operation) {
    predecessor_count_.push_back(static_cast<int>(problem.predecessors[operation].size()));
  }
}

void Linearizer::run(const std::vector<int>& anchors, std::vector<int>& sequence) {
  sequence.clear();
  waiting_ = predecessor_count_;
  done_.assign(problem_.operations(), 0);
  for (int anchor : anchors) emit(anchor, sequence);
  // Lazy operations all have consumers and eager ones all have predecessors, so this finds nothing
  // unless everything that follows a lazy operation is eager.
  if (static_cast<int>(sequence.size()) == problem_.operations()) return;
  for (int operation = 0; operation < problem_.operations(); ++operation) {
    emit(operation, sequence);
  }
  QUERN_CHECK(static_cast<int>(sequence.size()) == problem_.operations());
}

void Linearizer::emit(int operation, std::vector<int>& sequence) {
  if (done_[operation]) return;
  stack_.assign(1, operation);
  while (!stack_.empty()) {
    const int top = stack_.back();
    if (done_[top]) {
      stack_.pop_back();
      continue;
    }
    if (waiting_[top] > 0) {
      // The first missing predecessor comes first, so it goes on the stack last.
      const auto before = problem_.predecessors[top];
      for (std::size_t i = before.size(); i-- > 0;) {
        if (!done_[before[i]]) stack_.push_back(before[i]);
      }
      continue;
    }
    stack_.pop_back();
    done_[top] = 1;
    sequence.push_back(top);
    for (int next : problem_.successors[top]) {
      if (--waiting_[next] == 0 && problem_.eager[next] && !done_[next]) {
        done_[next] = 1;
        sequence.push_back(next);
      }
    }
  }
}

std::vector<int> anchors_of(const Problem& problem, const std::vector<int>& sequence) {
  std::vector<int> anchors;
  anchors.reserve(problem.anchors.size());
  for (int operation : sequence) {
    if (!problem.lazy[operation] && !problem.eager[operation]) anchors.push_back(operation);
  }
  return anchors;
}

}  // namespace quern::planner
