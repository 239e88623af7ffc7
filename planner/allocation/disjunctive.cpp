#include "planner/allocation/disjunctive.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace quern::planner::allocation {

Disjunctive::Disjunctive(const Model& model, std::vector<std::int64_t> latest)
    : model_(model),
      latest_(std::move(latest)),
      offsets_(model.buffers(), 0),
      edges_(model.buffers()) {
  std::map<std::pair<int, int>, std::vector<Interval>> forbidden;
  for (int s = 0; s < model.sections(); ++s) {
    for (const Member& a : model.members[s]) {
      for (const Member& b : model.members[s]) {
        if (a.buffer < b.buffer) {
          forbidden[{a.buffer, b.buffer}].push_back({a.lower - b.upper, a.upper - b.lower});
        }
      }
    }
  }
  for (auto& [buffers, intervals] : forbidden) {
    std::sort(intervals.begin(), intervals.end(),
              [](const Interval& x, const Interval& y) { return x.lower < y.lower; });
    Pair pair{buffers.first, buffers.second, {}};
    for (const Interval& interval : intervals) {
      // Open intervals: (0, 2) and (2, 4) leave 2 between them.
      if (!pair.forbidden.empty() && interval.lower < pair.forbidden.back().upper) {
        pair.forbidden.back().upper = std::max(pair.forbidden.back().upper, interval.upper);
      } else {
        pair.forbidden.push_back(interval);
      }
    }
    pairs_.push_back(std::move(pair));
  }
}

Disjunctive::State Disjunctive::run(const std::function<bool()>& go_on) {
  for (int b = 0; b < model_.buffers(); ++b) {
    if (latest_[b] < 0) return State::exhausted;
    offsets_[b] = std::max<std::int64_t>(0, model_.fixed[b]);
  }
  return search(go_on);
}

// Raises offsets until all edges hold; false if one passes its latest.
bool Disjunctive::relax(std::vector<int> changed) {
  while (!changed.empty()) {
    const int from = changed.back();
    changed.pop_back();
    for (const Edge& edge : edges_[from]) {
      const std::int64_t least = model_.aligned(edge.to, offsets_[from] + edge.distance);
      if (least <= offsets_[edge.to]) continue;
      if (least > latest_[edge.to]) return false;
      offsets_[edge.to] = least;
      changed.push_back(edge.to);
    }
  }
  return true;
}

// The violated pair with the fewest ways out, the lowest in address among those.
const Disjunctive::Pair* Disjunctive::violated() const {
  const Pair* best = nullptr;
  std::int64_t best_offset = 0;
  for (const Pair& pair : pairs_) {
    const std::int64_t difference = offsets_[pair.second] - offsets_[pair.first];
    for (const Interval& interval : pair.forbidden) {
      if (difference <= interval.lower || difference >= interval.upper) continue;
      const std::int64_t offset = std::min(offsets_[pair.first], offsets_[pair.second]);
      if (best == nullptr || offset < best_offset) {
        best = &pair;
        best_offset = offset;
      }
      break;
    }
  }
  return best;
}

Disjunctive::State Disjunctive::search(const std::function<bool()>& go_on) {
  ++nodes_;
  if (!go_on()) return State::stopped;
  const Pair* pair = violated();
  if (pair == nullptr) return State::found;
  const std::vector<std::int64_t> before = offsets_;
  // Way w lies between forbidden interval w - 1 and w.
  for (std::size_t w = 0; w <= pair->forbidden.size(); ++w) {
    const bool from_below = w > 0, from_above = w < pair->forbidden.size();
    if (from_below) {
      edges_[pair->first].push_back({pair->second, pair->forbidden[w - 1].upper});
    }
    if (from_above) {
      edges_[pair->second].push_back({pair->first, -pair->forbidden[w].lower});
    }
    State state = State::exhausted;
    if (relax({pair->first, pair->second})) state = search(go_on);
    if (state != State::exhausted) return state;
    if (from_below) edges_[pair->first].pop_back();
    if (from_above) edges_[pair->second].pop_back();
    offsets_ = before;
  }
  return State::exhausted;
}

}  // namespace quern::planner::allocation
