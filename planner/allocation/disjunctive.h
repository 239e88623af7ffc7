// Exact search for problems in which buffers with partial gaps may interlock.
//
//        +--------------+        A buffer that shrinks in the middle of its life is an arch:
//        another one may |  +--------+  |        lie above its feet and below its beam. The
//        difference of two offsets is then
//        +--+ +----+ +--+        allowed in several intervals, not only "above" and "below", and no
//        order by
//             +----+             offset tells which. This search chooses, pair by pair, one of
//             them.
//
// All choices made, offsets follow: the least solution of constraints x >= y + distance, rounded up
// to alignments, is the least in each coordinate. If it violates no pair, it is a solution;
// otherwise the search branches over the intervals of a violated pair. Complete, and slow beyond
// some dozens of buffers.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/allocation/model.h"

namespace quern::planner::allocation {

class Disjunctive {
 public:
  enum class State { found, exhausted, stopped };

  Disjunctive(const Model& model, std::vector<std::int64_t> latest);
  // Searches until `go_on` (asked at each node) says no.
  State run(const std::function<bool()>& go_on);
  const std::vector<std::int64_t>& offsets() const { return offsets_; }
  std::int64_t nodes() const { return nodes_; }

 private:
  // Allowed differences offset(second) - offset(first): outside all of these open intervals.
  struct Pair {
    int first, second;
    std::vector<Interval> forbidden;  // disjoint, ascending
  };
  struct Edge {
    int to;
    std::int64_t distance;  // offset(to) >= offset(from) + distance
  };
  State search(const std::function<bool()>& go_on);
  bool relax(std::vector<int> changed);
  const Pair* violated() const;

  const Model& model_;
  std::vector<std::int64_t> latest_, offsets_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<Edge>> edges_;  // by buffer
  std::int64_t nodes_ = 0;
};

}  // namespace quern::planner::allocation
