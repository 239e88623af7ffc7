#include "planner/search/starts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "planner/lattice/lattice.h"

namespace quern::planner {
namespace {

// Postorder of a depth-first walk from the sinks along predecessors.
std::vector<int> depth_first(const Problem& problem, bool sinks_down, bool predecessors_down) {
  std::vector<int> sinks;
  for (int operation = 0; operation < problem.operations(); ++operation) {
    if (problem.successors[operation].empty()) sinks.push_back(operation);
  }
  if (sinks_down) std::reverse(sinks.begin(), sinks.end());
  std::vector<char> seen(problem.operations(), 0);
  std::vector<int> order;
  std::vector<std::pair<int, std::size_t>> stack;
  for (int sink : sinks) {
    if (seen[sink]) continue;
    seen[sink] = 1;
    stack.emplace_back(sink, 0);
    while (!stack.empty()) {
      const int operation = stack.back().first;
      const auto before = problem.predecessors[operation];
      if (stack.back().second == before.size()) {
        order.push_back(operation);
        stack.pop_back();
        continue;
      }
      const std::size_t i = stack.back().second++;
      const int next = before[predecessors_down ? before.size() - 1 - i : i];
      if (!seen[next]) {
        seen[next] = 1;
        stack.emplace_back(next, 0);
      }
    }
  }
  return anchors_of(problem, order);
}

std::vector<int> by_level(const Problem& problem, const std::vector<int>& stable) {
  std::vector<int> level(problem.operations(), 0);
  for (int operation : stable) {
    for (int before : problem.predecessors[operation]) {
      level[operation] = std::max(level[operation], level[before] + 1);
    }
  }
  std::vector<int> anchors = problem.anchors;
  std::stable_sort(anchors.begin(), anchors.end(),
                   [&](int a, int b) { return level[a] < level[b]; });
  return anchors;
}

// The order, but whatever takes no more than `tolerance` units beyond what it gives back goes first
// as soon as it can: -1 for commands that relieve memory, the size of a small buffer for commands
// that are about neutral, such as the bookkeeping between large tiles, which then is done before
// the next tile comes. Only the next few ready operations are looked at, so that the order stays
// what it was otherwise.
std::vector<int> relieved(const Problem& problem, const std::vector<int>& sequence,
                          std::int64_t tolerance) {
  constexpr int look_ahead = 48;
  std::vector<int> rank(problem.operations()), waiting(problem.operations(), 0);
  for (std::size_t i = 0; i < sequence.size(); ++i) rank[sequence[i]] = static_cast<int>(i);
  // Lazy operations come with their consumers, so the others wait for each other through them.
  std::vector<std::vector<int>> after(problem.operations());
  std::vector<int> stack, before;
  for (int operation = 0; operation < problem.operations(); ++operation) {
    if (problem.lazy[operation]) continue;
    stack.assign(1, operation);
    before.clear();
    while (!stack.empty()) {
      const int at = stack.back();
      stack.pop_back();
      for (int other : problem.predecessors[at]) {
        (problem.lazy[other] ? stack : before).push_back(other);
      }
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    waiting[operation] = static_cast<int>(before.size());
    for (int other : before) after[other].push_back(operation);
  }
  std::set<std::pair<int, int>> ready;
  for (int operation = 0; operation < problem.operations(); ++operation) {
    if (!problem.lazy[operation] && waiting[operation] == 0)
      ready.insert({rank[operation], operation});
  }
  std::vector<int> left(problem.buffers());
  std::vector<char> born(problem.buffers(), 0), done(problem.operations(), 0);
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    left[buffer] = static_cast<int>(problem.operations_of[buffer].size());
  }
  const auto& tiers = problem.machine->tiers;
  const auto change = [&](int operation) {
    std::int64_t units = 0;
    for (int buffer : problem.buffers_of[operation]) {
      if (!tiers[problem.tier[buffer]].counts_in_peak) continue;
      if (!born[buffer]) units += problem.size[buffer];
      if (left[buffer] == 1) units -= problem.size[buffer];
    }
    for (int other : problem.predecessors[operation]) {
      if (!problem.lazy[other] || done[other]) continue;
      for (int buffer : problem.buffers_of[other]) {
        if (!born[buffer] && tiers[problem.tier[buffer]].counts_in_peak)
          units += problem.size[buffer];
      }
    }
    return units;
  };
  // Tiers with a limit on live buffers: the first ready operation that holds it, rather than the
  // first.
  std::vector<int> live(tiers.size(), 0), more(tiers.size());
  const auto overfills = [&](int operation) {
    std::fill(more.begin(), more.end(), 0);
    for (int buffer : problem.buffers_of[operation]) {
      if (!born[buffer]) ++more[problem.tier[buffer]];
    }
    for (std::size_t t = 0; t < tiers.size(); ++t) {
      const int limit = tiers[t].peak_live_limit;
      if (limit > 0 && more[t] > 0 && live[t] + more[t] > limit) return true;
    }
    return false;
  };
  std::vector<char> narrow(problem.operations(), 0);
  for (int operation = 0; operation < problem.operations(); ++operation) {
    for (int buffer : problem.buffers_of[operation]) {
      if (tiers[problem.tier[buffer]].peak_live_limit > 0) narrow[operation] = 1;
    }
  }
  std::vector<int> order;
  while (!ready.empty()) {
    auto chosen = ready.end();
    bool eases = false;
    std::int64_t best = tolerance + 1;
    int seen = 0;
    for (auto at = ready.begin(); at != ready.end() && seen < look_ahead; ++at, ++seen) {
      if (overfills(at->second)) continue;
      const std::int64_t units = change(at->second);
      // What is neutral in the large tiers but takes a narrow one would only stand in the way
      // there.
      const bool may_ease = tolerance < 0 || !narrow[at->second];
      if (may_ease && units < best) {
        best = units;
        chosen = at;
        eases = true;
      } else if (!eases && chosen == ready.end()) {
        chosen = at;
      }
    }
    if (chosen == ready.end()) chosen = ready.begin();
    const int operation = chosen->second;
    ready.erase(chosen);
    order.push_back(operation);
    stack.assign(1, operation);
    while (!stack.empty()) {
      const int at = stack.back();
      stack.pop_back();
      if (done[at]) continue;
      done[at] = 1;
      for (int buffer : problem.buffers_of[at]) {
        if (!born[buffer]) ++live[problem.tier[buffer]];
        born[buffer] = 1;
        if (--left[buffer] == 0) --live[problem.tier[buffer]];
      }
      for (int other : problem.predecessors[at]) {
        if (problem.lazy[other]) stack.push_back(other);
      }
    }
    for (int next : after[operation]) {
      if (--waiting[next] == 0) ready.insert({rank[next], next});
    }
  }
  return order;
}

class ChainGroups {
 public:
  ChainGroups(const Problem& problem, const Structure& structure)
      : problem_(problem), structure_(structure) {
    for (const auto& chain : structure.chains) {
      std::vector<int> buffers;
      for (int anchor : chain) {
        for (int buffer : structure.footprint[anchor]) {
          if (structure.touched_by[buffer].size() > 1) buffers.push_back(buffer);
        }
      }
      std::sort(buffers.begin(), buffers.end());
      buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
      // Buffers of this chain alone tie nothing together.
      std::erase_if(buffers, [&](int buffer) {
        for (int anchor : structure.touched_by[buffer]) {
          if (structure.chain_of[anchor] != structure.chain_of[chain.front()]) return false;
        }
        return true;
      });
      shared_.push_back(std::move(buffers));
    }
    chains_of_.resize(problem.buffers());
    for (std::size_t chain = 0; chain < shared_.size(); ++chain) {
      for (int buffer : shared_[chain]) chains_of_[buffer].push_back(static_cast<int>(chain));
    }
  }

  std::vector<int> order(int group_size, int interleave, bool high_ties) const {
    std::vector<std::vector<int>> groups = make_groups(group_size, high_ties);
    std::vector<int> anchors;
    for (int group : walk(groups)) {
      const auto& members = groups[group];
      for (std::size_t at = 0; at < members.size(); at += interleave) {
        const std::size_t end = std::min(members.size(), at + interleave);
        for (std::size_t step = 0, more = 1; more != 0; ++step) {
          more = 0;
          for (std::size_t m = at; m < end; ++m) {
            const auto& chain = structure_.chains[members[m]];
            if (step >= chain.size()) continue;
            anchors.push_back(chain[step]);
            more = 1;
          }
        }
      }
    }
    return anchors;
  }

 private:
  // Groups of chains that all share some buffer with the group's first ones.
  std::vector<std::vector<int>> make_groups(int group_size, bool high_ties) const {
    std::vector<std::vector<int>> groups;
    std::vector<char> taken(shared_.size(), 0);
    for (std::size_t first = 0; first < shared_.size(); ++first) {
      if (taken[first]) continue;
      taken[first] = 1;
      std::vector<int> group{static_cast<int>(first)};
      std::vector<int> common = shared_[first];
      while (static_cast<int>(group.size()) < group_size && !common.empty()) {
        std::map<int, std::int64_t> overlap;
        for (int buffer : common) {
          for (int chain : chains_of_[buffer]) {
            if (!taken[chain]) overlap[chain] += problem_.size[buffer];
          }
        }
        int best = -1;
        std::int64_t most = 0;
        for (const auto& [chain, units] : overlap) {
          if (units > most || (units == most && high_ties)) {
            best = chain;
            most = units;
          }
        }
        if (best < 0) break;
        taken[best] = 1;
        group.push_back(best);
        std::vector<int> rest;
        std::set_intersection(common.begin(), common.end(), shared_[best].begin(),
                              shared_[best].end(), std::back_inserter(rest));
        common = std::move(rest);
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }

  // From each group to the one not visited that shares most with it; first by number otherwise.
  std::vector<int> walk(const std::vector<std::vector<int>>& groups) const {
    std::vector<std::vector<int>> groups_of(problem_.buffers()), buffers_of;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<int> buffers;
      for (int chain : groups[g]) {
        buffers.insert(buffers.end(), shared_[chain].begin(), shared_[chain].end());
      }
      std::sort(buffers.begin(), buffers.end());
      buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
      for (int buffer : buffers) groups_of[buffer].push_back(static_cast<int>(g));
      buffers_of.push_back(std::move(buffers));
    }
    std::vector<int> path;
    std::vector<char> seen(groups.size(), 0);
    std::size_t lowest = 0;
    int at = -1;
    std::unordered_map<int, std::int64_t> overlap;
    while (path.size() < groups.size()) {
      int next = -1;
      if (at >= 0) {
        overlap.clear();
        for (int buffer : buffers_of[at]) {
          for (int g : groups_of[buffer]) {
            if (!seen[g]) overlap[g] += problem_.size[buffer];
          }
        }
        std::int64_t most = 0;
        for (const auto& [g, units] : overlap) {
          if (units > most || (units == most && g < next)) {
            next = g;
            most = units;
          }
        }
      }
      if (next < 0) {
        while (seen[lowest]) ++lowest;
        next = static_cast<int>(lowest);
      }
      seen[next] = 1;
      path.push_back(next);
      at = next;
    }
    return path;
  }

  const Problem& problem_;
  const Structure& structure_;
  std::vector<std::vector<int>> shared_;     // by chain: buffers that other chains touch too
  std::vector<std::vector<int>> chains_of_;  // by buffer
};

}  // namespace

std::vector<Start> constructed_starts(const Problem& problem, const Structure& structure) {
  std::vector<Start> starts;
  std::vector<std::vector<int>> sequences;
  std::vector<int> sequence;
  Linearizer linearizer(problem);
  const auto add = [&](std::string name, const std::vector<int>& anchors) {
    linearizer.run(anchors, sequence);
    std::vector<int> legal = anchors_of(problem, sequence);
    for (const Start& start : starts) {
      if (start.anchors == legal) return;
    }
    starts.push_back({std::move(name), std::move(legal)});
  };
  add("stable", problem.anchors);
  linearizer.run(problem.anchors, sequence);
  const std::vector<int> stable = sequence;
  for (int ties = 0; ties < 4; ++ties) {
    add(fmt::format("depth-first-{}", ties),
        depth_first(problem, (ties & 1) != 0, (ties & 2) != 0));
  }
  add("level", by_level(problem, stable));
  add("mpas", anchors_of(problem, mpas_sequence(problem, false)));
  add("mpas-single", anchors_of(problem, mpas_sequence(problem, true)));
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    if (problem.machine->tiers[problem.tier[buffer]].counts_in_peak) {
      smallest = std::min(smallest, std::max<std::int64_t>(1, problem.size[buffer]));
    }
  }
  for (std::size_t i = 0, plain = starts.size(); i < plain; ++i) {
    const std::string name = starts[i].name;
    linearizer.run(starts[i].anchors, sequence);
    const std::vector<int> whole = sequence;
    add("relieved-" + name, anchors_of(problem, relieved(problem, whole, -1)));
    add("eased-" + name, anchors_of(problem, relieved(problem, whole, smallest)));
  }
  const ChainGroups groups(problem, structure);
  for (int size = 1; size <= 8; ++size) {
    for (int interleave = 1; interleave <= std::min(size, 4); ++interleave) {
      for (bool high : {false, true}) {
        add(fmt::format("chains-{}x{}{}", size, interleave, high ? "-high" : ""),
            groups.order(size, interleave, high));
      }
    }
  }
  return starts;
}

}  // namespace quern::planner
