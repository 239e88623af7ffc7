#include "planner/allocation/portfolio.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "planner/allocation/disjunctive.h"
#include "planner/allocation/search.h"

namespace quern::planner::allocation {
namespace {

using Clock = std::chrono::steady_clock;

// SplitMix64 (Steele, Lea, Flood 2014): the same numbers with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... for i = 1, 2, 3, ...
std::int64_t luby(std::int64_t i) {
  for (;;) {
    std::int64_t power = 1;
    while (power - 1 < i) power *= 2;
    if (power - 1 == i) return power / 2;
    i -= power / 2 - 1;
  }
}

}  // namespace

Meter::Meter(const Budget& budget) : seed(budget.seed), budget_(budget), start_(Clock::now()) {}

double Meter::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool Meter::over() const {
  return nodes >= budget_.nodes || (budget_.stop != nullptr && budget_.stop()) ||
         seconds() >= budget_.seconds;
}

namespace {

Problem chosen(const Problem& whole, const std::vector<int>& index) {
  Problem problem;
  for (const int b : index) problem.buffers.push_back(whole.buffers[b]);
  return problem;
}

}  // namespace

Part::Part(const Problem& whole, std::vector<int> indices)
    : index(std::move(indices)),
      problem(chosen(whole, index)),
      model(problem),
      bound(lower_bound(problem, model)) {}

std::vector<Part> split(const Problem& problem) {
  std::vector<int> by_start(problem.buffers.size());
  std::iota(by_start.begin(), by_start.end(), 0);
  auto life = [&](int b) { return problem.buffers[b].lifespan; };
  std::stable_sort(by_start.begin(), by_start.end(),
                   [&](int x, int y) { return life(x).lower < life(y).lower; });
  std::vector<Part> parts;
  std::vector<int> indices;
  std::int64_t end = 0;
  for (const int b : by_start) {
    if (!indices.empty() && life(b).lower >= end) {
      parts.emplace_back(problem, std::exchange(indices, {}));
    }
    indices.push_back(b);
    end = std::max(end, life(b).upper);
  }
  if (!indices.empty()) parts.emplace_back(problem, std::move(indices));
  return parts;
}

std::vector<std::vector<int>> orders(const Part& part) {
  const Model& model = part.model;
  const int n = model.buffers();
  // The fullest section that each buffer is live in.
  std::vector<double> load(n, 0), area(n), width(n), size(n);
  for (int s = 0; s < model.sections(); ++s) {
    double sum = 0;
    for (const Member& m : model.members[s]) sum += static_cast<double>(m.upper - m.lower);
    for (const Member& m : model.members[s]) load[m.buffer] = std::max(load[m.buffer], sum);
  }
  for (int b = 0; b < n; ++b) {
    width[b] = static_cast<double>(model.duration[b]);
    size[b] = static_cast<double>(model.size[b]);
    area[b] = width[b] * size[b];
  }
  const std::vector<double> same(n, 0);
  const std::pair<const std::vector<double>*, const std::vector<double>*> keys[] = {
      {&area, &same}, {&width, &size}, {&size, &width}, {&load, &area}, {&load, &width}};
  std::vector<std::vector<int>> result;
  for (const auto& [first, second] : keys) {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [f = first, s = second](int x, int y) {
      return (*f)[x] != (*f)[y] ? (*f)[x] > (*f)[y] : (*s)[x] > (*s)[y];
    });
    result.push_back(std::move(order));
  }
  return result;
}

namespace {

// One rule set of the portfolio.
struct Entry {
  Branching branching;
  int order;
  bool strong;
};

// In each run of twenty every branching meets every order. Strong reasoning costs some five times
// the time a node and pays, except where the branching looks at slack only.
Entry entry(std::int64_t round) {
  constexpr Branching branchings[] = {Branching::scarce_choices, Branching::scarce,
                                      Branching::lowest, Branching::tight};
  constexpr int order[] = {1, 4, 0, 3, 2};
  return {branchings[round % 4], order[round % 5], round % 4 != 3};
}

Verdict interlocked(const Part& part, const std::vector<std::int64_t>& latest, std::int64_t nodes,
                    Meter& meter, std::vector<std::int64_t>& offsets) {
  Disjunctive search(part.model, latest);
  const std::int64_t before = meter.nodes;
  const auto state = search.run([&] {
    meter.nodes = before + search.nodes();
    return search.nodes() <= nodes && !meter.over();
  });
  if (state == Disjunctive::State::stopped) return Verdict::undecided;
  if (state == Disjunctive::State::exhausted) return Verdict::infeasible;
  offsets = search.offsets();
  return Verdict::feasible;
}

}  // namespace

Verdict attempt(const Part& part, std::int64_t capacity, std::int64_t nodes, Meter& meter,
                std::vector<std::int64_t>& offsets) {
  const Model& model = part.model;
  if (part.bound.capacity > capacity) return Verdict::infeasible;
  const auto latest = model.latest_offsets(capacity);

  std::vector<int> hinted(model.buffers());
  std::iota(hinted.begin(), hinted.end(), 0);
  auto hint = [&](int b) {
    return part.problem.buffers[b].hint.value_or(std::numeric_limits<std::int64_t>::max());
  };
  std::stable_sort(hinted.begin(), hinted.end(), [&](int x, int y) { return hint(x) < hint(y); });
  const bool hints = model.buffers() > 0 && hint(hinted[0]) <= largest_value;
  const auto by_rule = orders(part);
  auto fits = [&](const std::vector<int>& order) {
    FirstFit fit = first_fit(model, latest, order);
    if (!fit.left_over.empty()) return false;
    offsets = std::move(fit.offsets);
    return true;
  };
  if (hints && fits(hinted)) return Verdict::feasible;
  for (const auto& order : by_rule) {
    if (!meter.over() && fits(order)) return Verdict::feasible;
  }

  // A search of an unordered model finds solutions but proves nothing.
  constexpr std::int64_t rounds_unordered = 20;
  constexpr std::size_t most_pairs_unordered = 40'000;  // the depth of that recursion
  const bool interlocking = !model.ordered && model.conflicts.total() / 2 <= most_pairs_unordered;

  const std::int64_t end = nodes > std::numeric_limits<std::int64_t>::max() - meter.nodes
                               ? std::numeric_limits<std::int64_t>::max()
                               : meter.nodes + nodes;
  // Look at the clock every few milliseconds.
  const std::int64_t slice = std::max<std::int64_t>(1, 100'000 / (model.buffers() + 1));
  auto run = [&](Search& search, std::int64_t length) {
    const std::int64_t stop = std::min(end, meter.nodes + length);
    while (meter.nodes < stop && !meter.over()) {
      const std::int64_t before = search.nodes();
      const auto state = search.run(std::min(slice, stop - meter.nodes));
      meter.nodes += search.nodes() - before;
      if (state == Search::State::running) continue;
      if (state == Search::State::found) {
        offsets = search.offsets();
        return Verdict::feasible;
      }
      return model.ordered ? Verdict::infeasible : Verdict::undecided;
    }
    return Verdict::undecided;
  };
  auto priorities = [&](int order, double noise, Random& random) {
    std::vector<double> priority(model.buffers());
    for (std::size_t r = 0; r < priority.size(); ++r) {
      priority[by_rule[order][r]] =
          -static_cast<double>(r) + noise * static_cast<double>(priority.size()) * random.unit();
    }
    return priority;
  };

  Random random(meter.seed);
  Search hunter(model, latest), prover(model, latest);
  prover.restart(Branching::scarce_choices, priorities(4, 0, random), true);
  const std::int64_t base = 1000 + 2 * model.buffers();
  for (std::int64_t round = 0; meter.nodes < end && !meter.over(); ++round) {
    if (interlocking && round == rounds_unordered) {
      return interlocked(part, latest, end - meter.nodes, meter, offsets);
    }
    const Entry rules = entry(round);
    const double noise = round < 20 ? 0 : 0.2;
    hunter.restart(rules.branching, priorities(rules.order, noise, random), rules.strong);
    const std::int64_t length = base * luby(round + 1);
    if (const Verdict v = run(hunter, length); v != Verdict::undecided) return v;
    if (!model.ordered || round == 0) continue;
    if (const Verdict v = run(prover, length); v != Verdict::undecided) return v;
  }
  return Verdict::undecided;
}

}  // namespace quern::planner::allocation
