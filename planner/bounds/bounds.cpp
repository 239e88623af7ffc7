#include "planner/bounds/bounds.h"

#include <algorithm>

#include "planner/bounds/closure.h"
#include "planner/bounds/deaths.h"
#include "planner/bounds/exclusive.h"
#include "planner/bounds/phases.h"
#include "planner/bounds/pipes.h"

namespace quern::planner {
namespace {

// Limits of the searches (deaths.h, exclusive.h), each about a second on a slow core.
constexpr std::int64_t deaths_work = 500'000'000;
constexpr std::int64_t exclusive_work = 300'000'000;

// A buffer is live while `operation` runs if one of its users comes before it (or is it) and one
// after.
std::int64_t must_live(const Problem& problem, const Closure* closure) {
  std::int64_t most = 0;
  for (int operation = 0; operation < problem.operations(); ++operation) {
    std::int64_t held = 0;
    const auto count = [&](int buffer) {
      if (problem.machine->tiers[problem.tier[buffer]].counts_in_peak) held += problem.size[buffer];
    };
    if (closure == nullptr) {
      for (int buffer : problem.buffers_of[operation]) count(buffer);
    } else {
      for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
        bool before = false, after = false;
        for (int user : problem.operations_of[buffer]) {
          before = before || closure->before[operation].contains(user);
          after = after || closure->before[user].contains(operation);
          if (before && after) break;
        }
        if (before && after) count(buffer);
      }
    }
    most = std::max(most, held);
  }
  return most;
}

// The deaths of `buffers`, of which only these are looked at.
Deaths deaths_of(const Problem& problem, const Closure& closure, const std::vector<int>& buffers,
                 std::int64_t capacity) {
  const int count = static_cast<int>(buffers.size());
  std::vector<int> index(problem.buffers(), -1);
  for (int i = 0; i < count; ++i) index[buffers[i]] = i;
  Deaths deaths{{}, std::vector<Bits>(buffers.size(), Bits(count)), capacity};
  for (int i = 0; i < count; ++i) {
    const bool backed = problem.graph->buffers[buffers[i]].backed;
    deaths.buffers.push_back({problem.size[buffers[i]], backed ? 0 : problem.size[buffers[i]]});
    closure.history[buffers[i]].for_each([&](int operation) {
      for (int other : problem.buffers_of[operation]) {
        if (index[other] >= 0) deaths.touched[i].insert(index[other]);
      }
    });
  }
  return deaths;
}

std::vector<int> used_buffers(const Problem& problem, auto wanted) {
  std::vector<int> buffers;
  for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
    if (wanted(buffer) && problem.size[buffer] > 0 && !problem.operations_of[buffer].empty()) {
      buffers.push_back(buffer);
    }
  }
  return buffers;
}

// Peak: residency itself is the price.
std::int64_t least_peak(const Problem& problem, const Closure& closure) {
  const std::vector<int> counted = used_buffers(problem, [&](int buffer) {
    return problem.machine->tiers[problem.tier[buffer]].counts_in_peak;
  });
  Deaths deaths = deaths_of(problem, closure, counted, 0);
  for (Live& buffer : deaths.buffers) buffer.unbacked = 0;
  const TellingSet telling = telling_set(deaths);
  return std::max(telling.first_death,
                  least_held(restricted(deaths, telling.members), deaths_work));
}

struct ForcedTransfers {
  std::int64_t traffic = 0;
  UnavoidableTransfers cycles;
};

// One tier: set after set, as long as one forces something.
void add_tier(const Problem& problem, const Closure& closure, int tier, ForcedTransfers& forced) {
  const Machine& machine = *problem.machine;
  const std::int64_t capacity = machine.tiers[tier].capacity;
  std::vector<int> buffers =
      used_buffers(problem, [&](int buffer) { return problem.tier[buffer] == tier; });
  while (!buffers.empty()) {
    const Deaths deaths = deaths_of(problem, closure, buffers, capacity);
    const TellingSet telling = telling_set(deaths);
    if (telling.first_death == 0) return;
    const Deaths told = restricted(deaths, telling.members);
    const std::int64_t traffic = std::max(telling.first_death, least_held(told, deaths_work));
    forced.traffic += traffic;
    // Each unit costs at most two, so half of them come in at least, in one transfer or more.
    forced.cycles.in_cycles += machine.in_cycles((traffic + 1) / 2);
    std::vector<int> rest;
    std::size_t next = 0;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (next < telling.members.size() && telling.members[next] == static_cast<int>(i))
        ++next;
      else
        rest.push_back(buffers[i]);
    }
    buffers = std::move(rest);
  }
}

}  // namespace

LowerBounds lower_bounds(const Problem& problem) {
  LowerBounds bounds;
  ForcedTransfers forced;
  bounds.memory_exact = Closure::affordable(problem);
  bounds.peak_by = "must-live";
  bounds.traffic_by = "deaths";
  if (bounds.memory_exact) {
    const Closure closure(problem);
    bounds.peak = bounds.must_live = must_live(problem, &closure);
    const auto raise = [&](std::int64_t peak, const char* by) {
      if (peak <= bounds.peak) return;
      bounds.peak = peak;
      bounds.peak_by = by;
    };
    raise(least_peak(problem, closure), "deaths");
    if (has_exclusive_tiers(problem)) {
      raise(least_exclusive_peak(problem, closure, exclusive_work), "deaths, exclusive tiers");
    }
    for (std::size_t t = 0; t < problem.machine->tiers.size(); ++t) {
      add_tier(problem, closure, static_cast<int>(t), forced);
    }
  } else {
    bounds.peak = bounds.must_live = must_live(problem, nullptr);
  }
  if (const std::int64_t phases = least_phase_traffic(problem); phases > forced.traffic) {
    forced.traffic = phases;
    bounds.traffic_by = "phases";
    forced.cycles.in_cycles =
        std::max(forced.cycles.in_cycles, problem.machine->in_cycles((phases + 1) / 2));
  }
  bounds.traffic = forced.traffic;
  const PipeBounds pipes = pipe_bounds(problem, forced.cycles);
  bounds.critical_path = pipes.critical_path;
  bounds.busiest_pipe = pipes.busiest_pipe;
  bounds.busiest_pipe_name = pipes.busiest_name;
  bounds.scheduled_pipe = pipes.scheduled;
  bounds.scheduled_pipe_name = pipes.scheduled_name;
  return bounds;
}

}  // namespace quern::planner
