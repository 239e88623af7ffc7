#include "planner/bounds/exclusive.h"

#include <algorithm>
#include <memory>
#include <queue>
#include <unordered_map>
#include <unordered_set>

namespace quern::planner {
namespace {

bool exclusive(const Problem& problem, int buffer) {
  return problem.machine->tiers[problem.tier[buffer]].peak_live_limit == 1;
}

// What has run when `last`, having died with it, is the latest operation: rules 1 to 3.
class RunSets {
 public:
  RunSets(const Problem& problem, const Closure& closure) : problem_(problem), closure_(closure) {
    narrow_of_.resize(problem.operations());
    reach_.resize(problem.buffers());
    alive_.resize(problem.machine->tiers.size());
    next_.resize(problem.machine->tiers.size());
    for (int operation = 0; operation < problem.operations(); ++operation) {
      for (int buffer : problem.buffers_of[operation]) {
        if (exclusive(problem, buffer)) narrow_of_[operation].push_back(buffer);
      }
    }
    std::vector<int> stamp(problem.buffers(), -1);
    for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
      if (!exclusive(problem, buffer)) continue;
      closure.history[buffer].for_each([&](int operation) {
        for (int other : narrow_of_[operation]) {
          if (stamp[other] == buffer) continue;
          stamp[other] = buffer;
          reach_[buffer].push_back(other);
        }
      });
    }
    over_.assign(problem.buffers(), -1);
  }

  // Grows `run`, which holds `last`, by everything that must have run too.
  void close(Bits& run, int last) {
    ++stamp_;
    run_ = &run;
    std::fill(alive_.begin(), alive_.end(), -1);
    std::fill(next_.begin(), next_.end(), Next{});
    for (int buffer : narrow_of_[last]) alive_[problem_.tier[buffer]] = buffer;
    for (int y : narrow_of_[last]) {
      const int tier = problem_.tier[y];
      for (int z : reach_[y]) {
        if (z != y && problem_.tier[z] == tier) finish(z);  // rule 2
      }
      closure_.history[y].for_each([&](int w) {
        if (w == last || !closure_.before[w].contains(last)) return;
        for (int c : narrow_of_[w]) {
          if (problem_.tier[c] != tier) next_[problem_.tier[c]] = {c, y};
        }
      });
    }
    seen_ = Bits(problem_.operations());
    for (bool more = true; more;) {
      more = false;
      const Bits now = run;
      now.for_each_beyond(seen_, [&](int operation) {
        more = true;
        for (int z : narrow_of_[operation]) born(z);
      });
      seen_ = now;
    }
  }

 private:
  void finish(int buffer) {
    if (over_[buffer] == stamp_) return;
    over_[buffer] = stamp_;
    *run_ |= closure_.history[buffer];
  }
  void born(int z) {
    const int tier = problem_.tier[z];
    if (alive_[tier] >= 0) {
      if (alive_[tier] != z) finish(z);  // rule 1
      return;
    }
    const Next& next = next_[tier];
    if (next.c < 0 || next.c == z) return;
    for (int x : reach_[z]) {  // rule 3
      if (problem_.tier[x] == problem_.tier[next.y] && x != next.y) finish(x);
    }
  }

  const Problem& problem_;
  const Closure& closure_;
  std::vector<std::vector<int>> narrow_of_;  // operation -> its buffers of exclusive tiers
  std::vector<std::vector<int>> reach_;      // buffer -> exclusive buffers that its history uses
  struct Next {
    int c = -1, y = -1;
  };
  std::vector<int> alive_;  // by tier: y
  std::vector<Next> next_;  // by tier: a c that is not over, and the y before whose end it is used
  std::vector<int> over_;
  int stamp_ = 0;
  Bits* run_ = nullptr;
  Bits seen_;
};

// One way for a buffer to die: with `last` as its last user.
struct Way {
  int member = 0;
  int last = 0;
  Bits run, touched;
};

struct State {
  std::int64_t most = 0, live = 0;
  int last = -1;
  Bits run, touched;
  std::vector<char> dead;
};

// An entry of the queue: a state and one more death, priced by the union of their sets, or exactly.
struct Step {
  std::int64_t most = 0;
  std::shared_ptr<const State> from;
  int way = -1;
  std::shared_ptr<const State> exact;
};
struct Later {
  bool operator()(const Step& a, const Step& b) const { return a.most > b.most; }
};

class ExclusiveSearch {
 public:
  ExclusiveSearch(const Problem& problem, const Closure& closure, std::int64_t work)
      : problem_(problem),
        closure_(closure),
        sets_(problem, closure),
        left_(work / std::max(1, problem.operations())) {
    std::vector<int> counted;
    for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
      if (counts(buffer)) counted.push_back(buffer);
    }
    make_ways(counted);
    const std::vector<int> telling = telling_members();
    if (telling.size() < counted.size()) make_ways(telling);
  }

  std::int64_t run() {
    if (ways_.empty() || left_ < 0) return 0;
    std::priority_queue<Step, std::vector<Step>, Later> open;
    std::unordered_map<Bits, std::unordered_set<int>, BitsHash> known;  // run -> last
    const auto start = std::make_shared<State>();
    const int count = static_cast<int>(members_.size());
    *start = {0, 0, -1, Bits(problem_.operations()), Bits(count), std::vector<char>(count, 0)};
    open.push({0, nullptr, -1, start});
    std::int64_t bound = 0;
    while (!open.empty()) {
      Step step = open.top();
      open.pop();
      bound = std::max(bound, step.most);
      if (step.exact == nullptr) {
        if (--left_ < 0) return bound;
        step.exact = follow(*step.from, ways_[step.way]);
        step.most = step.exact->most;
        if (step.most > bound) {
          open.push(std::move(step));
          continue;
        }
      }
      const auto& state = step.exact;
      if (!known[state->run].insert(state->last).second) continue;
      if (std::find(state->dead.begin(), state->dead.end(), 0) == state->dead.end()) return bound;
      for (std::size_t w = 0; w < ways_.size(); ++w) {
        const Way& way = ways_[w];
        if (state->dead[way.member] != 0) continue;
        // What has run before cannot be what it dies with.
        if (state->run.contains(way.last) && way.last != state->last) continue;
        std::int64_t live = state->live;
        way.touched.for_each_beyond(state->touched, [&](int born) { live += size(born); });
        open.push({std::max(state->most, live), state, static_cast<int>(w), nullptr});
      }
      if (open.size() > most_open) return bound;
    }
    return bound;
  }

 private:
  static constexpr std::size_t most_open = 4'000'000;

  bool counts(int buffer) const {
    return problem_.machine->tiers[problem_.tier[buffer]].counts_in_peak &&
           problem_.size[buffer] > 0 && !problem_.operations_of[buffer].empty();
  }
  std::int64_t size(int member) const { return problem_.size[members_[member]]; }

  Bits touched_by(const Bits& run) const {
    Bits touched(static_cast<int>(members_.size()));
    run.for_each([&](int operation) {
      for (int buffer : problem_.buffers_of[operation]) {
        if (member_of_[buffer] >= 0) touched.insert(member_of_[buffer]);
      }
    });
    return touched;
  }

  // Those of the members whose death tells most (deaths.h), whichever way they die.
  std::vector<int> telling_members() const {
    const int count = static_cast<int>(members_.size());
    Deaths deaths;
    for (int m = 0; m < count; ++m) deaths.buffers.push_back({size(m), 0});
    std::vector<char> any(members_.size(), 0);
    deaths.touched.assign(members_.size(), Bits(count));
    for (const Way& way : ways_) {
      if (any[way.member] != 0)
        deaths.touched[way.member] &= way.touched;
      else
        deaths.touched[way.member] = way.touched;
      any[way.member] = 1;
    }
    std::vector<int> telling;
    for (int m : telling_set(deaths).members) telling.push_back(members_[m]);
    return telling;
  }

  void make_ways(const std::vector<int>& members) {
    members_ = members;
    ways_.clear();
    member_of_.assign(problem_.buffers(), -1);
    for (std::size_t m = 0; m < members_.size(); ++m) member_of_[members_[m]] = static_cast<int>(m);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const int buffer = members_[m];
      for (int last : problem_.operations_of[buffer]) {
        bool maximal = true;
        for (int other : problem_.operations_of[buffer]) {
          maximal = maximal && (other == last || !closure_.before[other].contains(last));
        }
        if (!maximal) continue;
        if (--left_ < 0) {  // without all ways to die there is no bound
          ways_.clear();
          return;
        }
        Way way{static_cast<int>(m), last, closure_.history[buffer], {}};
        sets_.close(way.run, last);
        way.touched = touched_by(way.run);
        ways_.push_back(std::move(way));
      }
    }
  }

  std::shared_ptr<const State> follow(const State& from, const Way& way) {
    auto state = std::make_shared<State>();
    state->run = from.run;
    state->run |= way.run;
    sets_.close(state->run, way.last);
    state->touched = touched_by(state->run);
    state->last = way.last;
    state->live = from.live;
    state->touched.for_each_beyond(from.touched, [&](int born) { state->live += size(born); });
    state->most = std::max(from.most, state->live);
    state->dead = from.dead;
    const auto die = [&](int member) {
      if (state->dead[member] != 0) return;
      state->dead[member] = 1;
      state->live -= size(member);
    };
    die(way.member);
    for (const Way& other : ways_) {
      if (state->dead[other.member] == 0 && state->touched.contains_all(other.touched)) {
        die(other.member);
      }
    }
    return state;
  }

  const Problem& problem_;
  const Closure& closure_;
  RunSets sets_;
  std::int64_t left_;  // closures
  std::vector<int> members_, member_of_;
  std::vector<Way> ways_;
};

}  // namespace

bool has_exclusive_tiers(const Problem& problem) {
  for (const Tier& tier : problem.machine->tiers) {
    if (tier.peak_live_limit == 1) return true;
  }
  return false;
}

std::int64_t least_exclusive_peak(const Problem& problem, const Closure& closure,
                                  std::int64_t work) {
  return ExclusiveSearch(problem, closure, work).run();
}

}  // namespace quern::planner
