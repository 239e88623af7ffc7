// The command graph, compiled for search: operations only, numbered densely. ALLOC and FREE follow
// from the order of the operations (ALLOC just before the first use, FREE just after the last), so
// a search that orders operations orders everything.
//
//   trace:   ALLOC a ─► COPY_IN a ─► MATMUL ─► FREE a        problem:   COPY_IN ─► MATMUL
#pragma once

#include <cstdint>
#include <vector>

#include "planner/model/command_graph.h"

namespace quern::planner {

struct Problem {
  const CommandGraph* graph = nullptr;
  const Machine* machine = nullptr;

  // By operation.
  std::vector<int> node_of;  // node id
  std::vector<int> pipe;
  std::vector<std::int64_t> cycles;
  Adjacency predecessors, successors;
  Adjacency buffers_of;  // what must be in memory while it runs

  // By buffer.
  std::vector<std::int64_t> size, pair_traffic, in_cycles, out_cycles;
  std::vector<int> tier;
  Adjacency operations_of;

  // Operations that are pulled in just before their first consumer: loads, and feeders of a narrow
  // tier. They take no place in the sequence that a search permutes.
  std::vector<char> lazy;
  // Operations that run as soon as they can, because they only give memory back.
  std::vector<char> eager;
  // What a search permutes, by node id: everything that is neither lazy nor eager.
  std::vector<int> anchors;

  int operations() const { return static_cast<int>(node_of.size()); }
  int buffers() const { return static_cast<int>(size.size()); }
};

Problem compile(const CommandGraph& graph, const Machine& machine);

// Turns a priority sequence of anchors into a legal sequence of all operations: takes the anchors
// in turn, puts their missing predecessors in front of them, and lets eager operations follow what
// they wait for.
class Linearizer {
 public:
  explicit Linearizer(const Problem& problem);
  // `anchors` may be any permutation of problem.anchors; `sequence` receives every operation once.
  void run(const std::vector<int>& anchors, std::vector<int>& sequence);

 private:
  void emit(int operation, std::vector<int>& sequence);

  const Problem& problem_;
  std::vector<int> predecessor_count_;
  std::vector<int> waiting_;
  std::vector<char> done_;
  std::vector<int> stack_;
};

// The anchors of a sequence, in its order.
std::vector<int> anchors_of(const Problem& problem, const std::vector<int>& sequence);

}  // namespace quern::planner
