#include "planner/allocation/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "planner/allocation/portfolio.h"
#include "planner/allocation/verify.h"

namespace quern::planner::allocation {
namespace {

void check_problem(const Problem& problem) {
  std::int64_t total = 0;
  for (const Buffer& buffer : problem.buffers) {
    if (auto wrong = defect(buffer)) throw bad_input("buffer '{}': {}", buffer.id, *wrong);
    total += buffer.size;
    if (total > largest_value) {
      throw bad_input("buffer '{}': the sizes add up to more than {}", buffer.id, largest_value);
    }
  }
}

void put(Solution& whole, const Part& part, const std::vector<std::int64_t>& offsets) {
  const Solution solution = part.model.solution(offsets);
  for (std::size_t i = 0; i < part.index.size(); ++i) {
    whole.offsets[part.index[i]] = solution.offsets[i];
  }
}

std::int64_t part_height(const Part& part, const std::vector<std::int64_t>& offsets) {
  return height(part.problem, part.model.solution(offsets));
}

void check_solution(const Problem& problem, const Solution& solution, std::int64_t capacity) {
  if (const auto wrong = verify(problem, solution, capacity)) {
    fmt::print(stderr, "quern: the allocator made an invalid solution: {}\n", *wrong);
    QUERN_CHECK(!"the solution is valid");
  }
}

std::string bound_reason(const LowerBound& bound, std::int64_t capacity) {
  return fmt::format("{}; the capacity is {}", bound.reason, capacity);
}

// Two prescribed address ranges that cannot both be: the commonest mistake, worth naming.
std::optional<std::string> fixed_clash(const Part& part) {
  const auto& fixed = part.model.fixed;
  for (int b = 0; b < part.model.buffers(); ++b) {
    for (const Conflict& k : part.model.conflicts[b]) {
      if (fixed[b] < 0 || fixed[k.buffer] < 0 || !part.model.ordered) continue;
      const std::int64_t difference = fixed[k.buffer] - fixed[b];
      if (difference <= -k.below || difference >= k.above) continue;
      const auto& buffers = part.problem.buffers;
      return fmt::format("buffers '{}' and '{}' have fixed addresses that overlap", buffers[b].id,
                         buffers[k.buffer].id);
    }
  }
  return std::nullopt;
}

std::string search_reason(std::int64_t capacity, std::int64_t nodes) {
  return fmt::format("no arrangement fits the capacity {}: exhaustive search, {} nodes", capacity,
                     nodes);
}

}  // namespace

Outcome solve(const Problem& problem, std::int64_t capacity, const Budget& budget) {
  check_problem(problem);
  capacity = std::clamp<std::int64_t>(capacity, 0, largest_value);
  Meter meter(budget);
  Outcome outcome;
  outcome.solution.offsets.assign(problem.buffers.size(), 0);
  outcome.verdict = Verdict::feasible;
  const auto parts = split(problem);
  for (const Part& part : parts) {
    outcome.lower_bound = std::max(outcome.lower_bound, part.bound.capacity);
    if (part.bound.capacity <= capacity || outcome.verdict == Verdict::infeasible) continue;
    outcome.verdict = Verdict::infeasible;
    outcome.reason = bound_reason(part.bound, capacity);
  }
  for (const Part& part : parts) {
    if (outcome.verdict != Verdict::feasible) break;
    std::vector<std::int64_t> offsets;
    outcome.verdict =
        attempt(part, capacity, std::numeric_limits<std::int64_t>::max(), meter, offsets);
    if (outcome.verdict == Verdict::feasible) put(outcome.solution, part, offsets);
    if (outcome.verdict == Verdict::infeasible) {
      outcome.reason = fixed_clash(part).value_or(search_reason(capacity, meter.nodes));
      outcome.lower_bound = std::max(outcome.lower_bound, capacity + 1);
    }
  }
  if (outcome.verdict == Verdict::feasible) {
    check_solution(problem, outcome.solution, capacity);
    outcome.height = height(problem, outcome.solution);
  } else {
    outcome.solution.offsets.clear();
  }
  outcome.nodes = meter.nodes;
  outcome.seconds = meter.seconds();
  return outcome;
}

namespace {

// The minimum of all parts together: the height of the highest.
class Minimizer {
 public:
  Minimizer(const Problem& problem, const Budget& budget, std::int64_t limit)
      : meter_(budget),
        limit_(limit),
        parts_(split(problem)),
        best_(parts_.size()),
        heights_(parts_.size(), limit + 1) {
    minimum_.solution.offsets.assign(problem.buffers.size(), 0);
  }

  Minimum run(const Problem& problem) {
    bound_from_below();
    if (minimum_.verdict != Verdict::infeasible) first_solutions();
    if (minimum_.verdict == Verdict::feasible) improve();
    if (minimum_.verdict == Verdict::feasible) {
      for (std::size_t p = 0; p < parts_.size(); ++p) put(minimum_.solution, parts_[p], best_[p]);
      minimum_.height = top();
      check_solution(problem, minimum_.solution, minimum_.height);
      minimum_.optimal = minimum_.lower_bound == minimum_.height;
    } else {
      minimum_.solution.offsets.clear();
    }
    minimum_.nodes = meter_.nodes;
    minimum_.seconds = meter_.seconds();
    return std::move(minimum_);
  }

 private:
  std::int64_t top() const {
    return heights_.empty() ? 0 : *std::max_element(heights_.begin(), heights_.end());
  }

  // Any sufficient capacity is at least `capacity`: so is the largest of what the parts make of
  // that.
  void raise_bound(std::int64_t capacity, const Part& part) {
    minimum_.lower_bound =
        std::max(minimum_.lower_bound, round_up(part.problem, part.model, capacity));
  }

  void bound_from_below() {
    for (const Part& part : parts_) {
      raise_bound(part.bound.capacity, part);
      if (part.bound.capacity > limit_) {
        minimum_.verdict = Verdict::infeasible;
        minimum_.reason = bound_reason(part.bound, limit_);
      }
    }
  }

  void keep(std::size_t p, std::vector<std::int64_t> offsets) {
    const std::int64_t found = part_height(parts_[p], offsets);
    if (found >= heights_[p]) return;
    heights_[p] = found;
    best_[p] = std::move(offsets);
  }

  void first_solutions() {
    minimum_.verdict = Verdict::feasible;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      const auto latest = part.model.latest_offsets(limit_);
      for (const auto& order : orders(part)) {
        FirstFit fit = first_fit(part.model, latest, order);
        if (fit.left_over.empty()) keep(p, std::move(fit.offsets));
        if (meter_.over()) break;
      }
      if (heights_[p] <= limit_) continue;
      const Verdict verdict = attempt_part(p, limit_, std::numeric_limits<std::int64_t>::max());
      if (verdict == Verdict::feasible) continue;
      minimum_.verdict = verdict;
      if (verdict == Verdict::infeasible) {
        minimum_.reason = fixed_clash(part).value_or(search_reason(limit_, meter_.nodes));
      }
      return;
    }
  }

  Verdict attempt_part(std::size_t p, std::int64_t capacity, std::int64_t nodes) {
    std::vector<std::int64_t> offsets;
    const Verdict verdict = attempt(parts_[p], capacity, nodes, meter_, offsets);
    if (verdict == Verdict::feasible) keep(p, std::move(offsets));
    return verdict;
  }

  // Whether all parts fit `capacity`; raises the lower bound if they do not.
  Verdict try_capacity(std::int64_t capacity, std::int64_t nodes) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (heights_[p] <= capacity) continue;
      const Verdict verdict = attempt_part(p, capacity, nodes);
      if (verdict == Verdict::infeasible) raise_bound(capacity + 1, parts_[p]);
      if (verdict != Verdict::feasible) return verdict;
    }
    return Verdict::feasible;
  }

  // What all heights are multiples of.
  std::int64_t step() const {
    std::int64_t common = 0;
    for (const Part& part : parts_) {
      const bool multiples = round_up(part.problem, part.model, 1) > 1;
      common = std::gcd(common, multiples ? part.model.unit : 1);
    }
    return std::max<std::int64_t>(1, common);
  }

  // Most often the lower bound is the answer, so it is tried first; then capacities between the
  // largest one tried in vain and the best one are halved. When nothing is left between, once more
  // with twice the effort. The capacity just below the best is always among those tried: proven
  // infeasible, it ends the work.
  void improve() {
    const std::int64_t unit = step();
    std::int64_t effort = 500;
    for (const Part& part : parts_) {
      effort = std::max<std::int64_t>(effort, 500 + 4 * part.model.buffers());
    }
    auto open = [&] { return minimum_.lower_bound < top() && !meter_.over(); };
    for (; open(); effort *= 2) {
      std::int64_t vain = (minimum_.lower_bound - 1) / unit;  // in units
      std::int64_t next = vain + 1;
      while (open() && next > vain && next * unit < top()) {
        if (try_capacity(next * unit, effort) == Verdict::undecided) vain = next;
        vain = std::max(vain, (minimum_.lower_bound - 1) / unit);
        next = vain + (top() / unit - vain) / 2;
      }
    }
  }

  Meter meter_;
  const std::int64_t limit_;
  const std::vector<Part> parts_;
  std::vector<std::vector<std::int64_t>> best_;  // by part, in its units
  std::vector<std::int64_t> heights_;            // by part; limit + 1 before the first solution
  Minimum minimum_;
};

}  // namespace

Minimum minimize(const Problem& problem, const Budget& budget, std::int64_t limit) {
  check_problem(problem);
  return Minimizer(problem, budget, std::clamp<std::int64_t>(limit, 0, largest_value)).run(problem);
}

}  // namespace quern::planner::allocation
