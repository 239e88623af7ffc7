#include "planner/lattice/lattice.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "planner/decode/decoder.h"
#include "planner/decode/peak.h"
#include "planner/timing/timing.h"

namespace quern::planner {
namespace {

// Longest path from each operation to the end, in cycles.
std::vector<std::int64_t> path_to_end(const Problem& problem) {
  std::vector<int> waiting, order;
  for (int operation = 0; operation < problem.operations(); ++operation) {
    waiting.push_back(static_cast<int>(problem.successors[operation].size()));
    if (waiting.back() == 0) order.push_back(operation);
  }
  std::vector<std::int64_t> path(problem.operations(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int operation = order[i];
    for (int next : problem.successors[operation]) {
      path[operation] = std::max(path[operation], path[next]);
    }
    path[operation] += problem.cycles[operation];
    for (int before : problem.predecessors[operation]) {
      if (--waiting[before] == 0) order.push_back(before);
    }
  }
  return path;
}

}  // namespace

// An operation stands for its ALLOCs and for the lazy feeders it pulls in; FREE nodes follow the
// last use at once, which is "FREE first". The key of an operation is then what it allocates, minus
// nothing.
std::vector<int> mpas_sequence(const Problem& problem, bool single_buffers) {
  const std::vector<std::int64_t> path = path_to_end(problem);
  // What an operation would allocate: buffers without a user among what is done. Kept up to date.
  std::vector<char> born(problem.buffers(), 0), done(problem.operations(), 0);
  std::vector<int> waiting(problem.operations(), 0);
  std::vector<std::int64_t> allocates(problem.operations(), 0);
  const auto own_allocation = [&](int operation) {
    std::int64_t units = 0;
    for (int buffer : problem.buffers_of[operation]) {
      if (!born[buffer]) units += problem.size[buffer];
    }
    return units;
  };
  using Key = std::tuple<std::int64_t, std::int64_t, int>;
  std::set<Key> ready;
  std::vector<Key> key_of(problem.operations());
  const auto insert = [&](int operation) {
    allocates[operation] = own_allocation(operation);
    for (int before : problem.predecessors[operation]) {
      if (problem.lazy[before] && !done[before]) allocates[operation] += own_allocation(before);
    }
    key_of[operation] = {allocates[operation], -path[operation], operation};
    ready.insert(key_of[operation]);
  };
  // Lazy operations come with their consumers, so only the others are waited for, through lazy ones
  // too.
  std::vector<std::vector<int>> anchors_after(problem.operations());
  for (int operation = 0; operation < problem.operations(); ++operation) {
    if (problem.lazy[operation]) continue;
    std::vector<int> stack{operation};
    std::set<int> before;
    while (!stack.empty()) {
      const int at = stack.back();
      stack.pop_back();
      for (int other : problem.predecessors[at]) {
        if (problem.lazy[other])
          stack.push_back(other);
        else
          before.insert(other);
      }
    }
    waiting[operation] = static_cast<int>(before.size());
    for (int other : before) anchors_after[other].push_back(operation);
  }
  for (int operation = 0; operation < problem.operations(); ++operation) {
    if (!problem.lazy[operation] && waiting[operation] == 0) insert(operation);
  }

  const auto& tiers = problem.machine->tiers;
  std::vector<int> left(problem.buffers());
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    left[buffer] = static_cast<int>(problem.operations_of[buffer].size());
  }
  std::vector<std::int64_t> held(tiers.size(), 0), live(tiers.size(), 0), more(tiers.size()),
      more_live(tiers.size());
  const auto overfills = [&](int operation) {
    std::fill(more.begin(), more.end(), 0);
    std::fill(more_live.begin(), more_live.end(), 0);
    for (int buffer : problem.buffers_of[operation]) {
      if (born[buffer]) continue;
      more[problem.tier[buffer]] += problem.size[buffer];
      ++more_live[problem.tier[buffer]];
    }
    for (std::size_t t = 0; t < tiers.size(); ++t) {
      if (tiers[t].counts_in_peak || more_live[t] == 0) continue;
      if (single_buffers && tiers[t].peak_live_limit > 0) {
        if (live[t] + more_live[t] > tiers[t].peak_live_limit) return true;
      } else if (held[t] + more[t] > tiers[t].capacity) {
        return true;
      }
    }
    return false;
  };

  std::vector<int> sequence;
  std::size_t freed_up_to = 0;
  std::vector<int> stack;
  while (!ready.empty()) {
    auto first = ready.begin();
    while (first != ready.end() && overfills(std::get<2>(*first))) ++first;
    if (first == ready.end()) first = ready.begin();  // nothing fits: go on rather than deadlock
    const int chosen = std::get<2>(*first);
    ready.erase(first);
    stack.assign(1, chosen);
    while (!stack.empty()) {
      const int top = stack.back();
      bool missing = false;
      for (int before : problem.predecessors[top]) {
        if (!done[before]) {
          stack.push_back(before);
          missing = true;
        }
      }
      if (missing) continue;
      stack.pop_back();
      if (done[top]) continue;
      done[top] = 1;
      sequence.push_back(top);
      for (int buffer : problem.buffers_of[top]) {
        if (born[buffer]) continue;
        born[buffer] = 1;
        held[problem.tier[buffer]] += problem.size[buffer];
        ++live[problem.tier[buffer]];
        // Others that would have allocated it no longer do.
        for (int user : problem.operations_of[buffer]) {
          for (int affected : {user, problem.lazy[user] && !problem.successors[user].empty()
                                         ? problem.successors[user][0]
                                         : user}) {
            const auto at = ready.find(key_of[affected]);
            if (affected == chosen || at == ready.end() || std::get<2>(*at) != affected) continue;
            ready.erase(at);
            insert(affected);
          }
        }
      }
    }
    // FREE first: what the chosen operation and its feeders used last is gone.
    for (; freed_up_to < sequence.size(); ++freed_up_to) {
      for (int buffer : problem.buffers_of[sequence[freed_up_to]]) {
        if (--left[buffer] > 0) continue;
        held[problem.tier[buffer]] -= problem.size[buffer];
        --live[problem.tier[buffer]];
      }
    }
    for (int next : anchors_after[chosen]) {
      if (--waiting[next] == 0) insert(next);
    }
  }
  for (int operation = 0; operation < problem.operations(); ++operation) {
    if (!done[operation]) sequence.push_back(operation);  // lazy ones that nothing consumes
  }
  return sequence;
}

Plan lattice_plan(const Problem& problem, Objective objective) {
  const std::vector<int> sequence = mpas_sequence(problem, objective == Objective::peak);
  if (objective == Objective::peak) return order_only_plan(problem, sequence);
  Genes genes;  // best fit, cost over distance: the decoder's plainest policy
  Plan plan;
  Decoder(problem).run(sequence, genes, {}, &plan);
  if (objective == Objective::cycles) refine_critical_path(problem, plan);
  return plan;
}

namespace {

// The nodes of a critical path, last first: from the node that ends last, back along whatever it
// waited for.
std::vector<int> critical_nodes(const PlanConstraints& constraints, const std::vector<int>& order,
                                const PlanTiming& timing) {
  std::vector<int> previous(constraints.nodes(), -1);
  std::vector<int> last_on_pipe(64, -1);
  int at = order.empty() ? -1 : order.front();
  for (int node : order) {
    const int pipe = constraints.pipe_of(node);
    if (pipe >= 0) {
      if (pipe >= static_cast<int>(last_on_pipe.size())) last_on_pipe.resize(pipe + 1, -1);
      previous[node] = last_on_pipe[pipe];
      last_on_pipe[pipe] = node;
    }
    if (timing.finish[node] > timing.finish[at]) at = node;
  }
  std::vector<int> path;
  while (at >= 0) {
    path.push_back(at);
    int next = -1;
    if (timing.start[at] > 0) {
      if (previous[at] >= 0 && timing.finish[previous[at]] == timing.start[at]) next = previous[at];
      for (int before : constraints.before(at, true)) {
        if (next < 0 && timing.finish[before] == timing.start[at]) next = before;
      }
    }
    at = next;
  }
  return path;
}

}  // namespace

int refine_critical_path(const Problem& problem, Plan& plan, const CpeLimits& limits) {
  const PlanConstraints constraints(*problem.graph, *problem.machine, plan);
  std::vector<int> order = plan.order;
  PlanTiming timing = constraints.time(order, true);
  std::vector<int> position(constraints.nodes());
  const auto index = [&] {
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<int>(i);
  };
  int moves = 0, trials = 0;
  for (int pass = 0; pass < limits.passes && moves < limits.moves; ++pass) {
    bool improved = false;
    index();
    for (int node : critical_nodes(constraints, order, timing)) {
      if (moves >= limits.moves || trials >= limits.trials) break;
      const int pipe = constraints.pipe_of(node);
      if (pipe < 0) continue;
      // Swap with the neighbour before it on the same pipe: the node goes up to just before that
      // one, together with what stands between them and has to come first (its ALLOC, a reload).
      int before = position[node] - 1;
      while (before >= 0 && constraints.pipe_of(order[before]) != pipe) --before;
      if (before < 0) continue;
      std::vector<int> up;  // places, descending
      std::vector<char> needed(position[node] - before + 1, 0);
      needed[position[node] - before] = 1;
      for (int at = position[node]; at >= before; --at) {
        if (!needed[at - before]) continue;
        up.push_back(at);
        for (int other : constraints.before(order[at], true)) {
          if (position[other] >= before) needed[position[other] - before] = 1;
        }
      }
      if (needed[0]) continue;  // it waits for that neighbour
      std::vector<int> trial = order;
      std::size_t to = static_cast<std::size_t>(before);
      for (std::size_t i = up.size(); i-- > 0;) trial[to++] = order[up[i]];
      for (int at = before; at <= position[node]; ++at) {
        if (!needed[at - before]) trial[to++] = order[at];
      }
      ++trials;
      PlanTiming trial_timing = constraints.time(trial, true);
      if (trial_timing.cycles >= timing.cycles) continue;
      order = std::move(trial);
      timing = std::move(trial_timing);
      index();
      ++moves;
      improved = true;
    }
    if (!improved) break;
  }
  // The same pairs in a new order may need new numbers, so that pair k is the k-th SPILL_OUT.
  plan.order = std::move(order);
  plan = renumbered(*problem.graph, plan);
  return moves;
}

}  // namespace quern::planner
