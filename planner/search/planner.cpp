#include "planner/search/planner.h"

#include <algorithm>
#include <thread>

#include "planner/lattice/lattice.h"
#include "planner/search/annealer.h"
#include "planner/search/starts.h"
#include "planner/timing/timing.h"

namespace quern::planner {
namespace {

using Clock = Monitor::Clock;

// The default effort, in operations planned. On two shared slow cores it takes about a third of the
// default time limit.
struct Defaults {
  double work;
  double seconds;
};
Defaults defaults(Objective objective) {
  switch (objective) {
    case Objective::peak:
      return {1.2e8, 18};
    case Objective::traffic:
      return {8e7, 18};
    case Objective::cycles:
      break;
  }
  return {2e8, 110};
}

// The same problem when every command takes no time at all.
Problem without_times(Problem problem) {
  std::fill(problem.cycles.begin(), problem.cycles.end(), 0);
  std::fill(problem.in_cycles.begin(), problem.in_cycles.end(), 0);
  std::fill(problem.out_cycles.begin(), problem.out_cycles.end(), 0);
  return problem;
}

// Temperature of the cold chains, as a share of the hot ones'.
constexpr double cold_share = 0.001;

class Search {
 public:
  Search(const Problem& problem, const PlanOptions& options, Monitor& monitor)
      : problem_(problem),
        timeless_(without_times(problem)),
        options_(options),
        monitor_(monitor),
        structure_(problem) {}

  // `end`: when the last round should be over, whatever its work.
  Candidate run(Clock::time_point end) {
    const double work = options_.effort * defaults(options_.objective).work;
    monitor_.expect_work(static_cast<std::int64_t>(work));
    Target target;
    target.objective = options_.objective;
    std::vector<Candidate> pool;
    const std::vector<Start> starts = constructed_starts(problem_, structure_);
    if (options_.objective == Objective::cycles) {
      // What traffic can be had, first: the allowance follows from it, and its orders are good
      // starts.
      Target traffic{.objective = Objective::traffic};
      std::vector<Candidate> low = seed_pool(starts, traffic);
      improve(low, traffic, 0.15 * work, Clock::now() + (end - Clock::now()) / 2);
      Evaluator evaluator(timeless_, traffic);
      evaluator.set_base(low.front().genes);
      target.traffic_allowance = evaluator.outcome().traffic * 5 / 4;
      pool = seed_pool(starts, target);
      for (Candidate& candidate : low) {
        for (Candidate& variant : variants(candidate.genes, target)) pool.push_back(variant);
      }
      sort(pool);
      improve(pool, target, 0.85 * work, end);
    } else {
      pool = seed_pool(starts, target);
      if (options_.objective == Objective::peak) {
        Evaluator coarse(problem_, target);
        coarse.set_base(pool.front().genes);
        target.peak_floor = coarse.peak().peak * 8 / 10;
        Evaluator evaluator(problem_, target);
        for (Candidate& candidate : pool) {
          evaluator.set_base(candidate.genes);
          candidate.rank = evaluator.rank();
        }
        sort(pool);
      }
      improve(pool, target, work, end);
    }
    return pool.front();
  }

  std::int64_t candidates() const { return candidates_; }

 private:
  // Traffic does not depend on time, and without times the decoder can tell when a trial has become
  // its base again.
  const Problem& problem_for(const Target& target) const {
    return target.objective == Objective::traffic ? timeless_ : problem_;
  }

  static void sort(std::vector<Candidate>& pool) {
    std::stable_sort(pool.begin(), pool.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
  }

  // One order under the different ways to place buffers.
  std::vector<Candidate> variants(const Genes& genes, const Target& target) {
    std::vector<Candidate> result;
    Evaluator evaluator(problem_for(target), target);
    const bool cycles = target.objective == Objective::cycles;
    for (int kind = 0; kind < (target.objective == Objective::peak ? 1 : 4); ++kind) {
      Candidate candidate{.genes = genes};
      candidate.genes.policy.time_first = cycles && (kind & 1) == 0;
      candidate.genes.policy.distance_power = (kind & 2) == 0 ? 1 : 2;
      evaluator.set_base(candidate.genes);
      candidate.rank = evaluator.rank();
      result.push_back(std::move(candidate));
    }
    return result;
  }

  std::vector<Candidate> seed_pool(const std::vector<Start>& starts, const Target& target) {
    std::vector<Candidate> pool;
    for (const Start& start : starts) {
      Genes genes;
      genes.anchors = start.anchors;
      for (Candidate& candidate : variants(genes, target)) {
        pool.push_back(std::move(candidate));
      }
      if (monitor_.stopped()) break;
    }
    sort(pool);
    return pool;
  }

  // Rounds of annealing: many starts for a short while, the better ones for longer, the best for
  // longest. Chains of a round are independent, so threads do not change the result.
  void improve(std::vector<Candidate>& pool, const Target& target, double work,
               Clock::time_point end) {
    // The best start in each order, not four variants of one.
    distinct(pool);
    // Cold chains hardly go uphill at all; they polish copies of the best candidate while the
    // others roam.
    const struct {
      int hot, cold;
      double share, heat;
    } rounds[] = {{6, 2, 0.2, 1}, {3, 1, 0.3, 0.6}, {1, 1, 0.5, 0.4}};
    int round_number = 0;
    double shares_left = 1;
    for (const auto& round : rounds) {
      ++round_number;
      // Time that one round leaves over is there for the next.
      const auto round_end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                (end - Clock::now()) * (round.share / shares_left));
      shares_left -= round.share;
      const int chains = round.hot + round.cold;
      std::vector<Candidate> next;
      for (int chain = 0; chain < chains; ++chain) {
        const bool cold = chain >= round.hot;
        next.push_back(pool[cold ? 0 : chain % std::min(round.hot, static_cast<int>(pool.size()))]);
      }
      pool = std::move(next);
      std::vector<std::int64_t> tried(pool.size(), 0);
      const auto chain_work = static_cast<std::int64_t>(work * round.share / chains);
      in_parallel(chains, [&](int chain) {
        const double scale = temperature_scale(target, pool[chain].rank) *
                             (chain >= round.hot ? cold_share : round.heat);
        const int turns = (chains - chain + options_.threads - 1) / options_.threads;
        const std::chrono::duration<double> time_left = round_end - Clock::now();
        const double chain_seconds = std::max(1e-3, time_left.count() / turns);
        const Cooling cooling{chain_work, chain_seconds, scale, scale / 100};
        const std::uint64_t seed =
            options_.seed * 1'000'003 + static_cast<std::uint64_t>(round_number * 101 + chain);
        Target aim = target;
        // A cold chain grinds down the highest positions only.
        if (chain >= round.hot) {
          aim.peak_floor = static_cast<std::int64_t>(pool[chain].rank * 0.999);
        }
        tried[chain] =
            anneal(problem_for(target), structure_, aim, cooling, seed, monitor_, pool[chain]);
      });
      for (std::int64_t count : tried) candidates_ += count;
      sort(pool);
    }
  }

  static void distinct(std::vector<Candidate>& pool) {
    std::vector<Candidate> kept;
    for (Candidate& candidate : pool) {
      bool known = false;
      for (const Candidate& other : kept)
        known = known || other.genes.anchors == candidate.genes.anchors;
      if (!known) kept.push_back(std::move(candidate));
    }
    pool = std::move(kept);
  }

  double temperature_scale(const Target& target, double price) const {
    switch (target.objective) {
      case Objective::cycles:
        return price * 0.002;
      case Objective::traffic:
        return std::max(1.0, price * 0.01);
      case Objective::peak:
        break;
    }
    return 2;
  }

  template <class Body>
  void in_parallel(int count, Body body) {
    std::atomic<int> next = 0;
    const auto work = [&] {
      for (int i = next++; i < count; i = next++) body(i);
    };
    std::vector<std::thread> threads;
    for (int t = 1; t < options_.threads; ++t) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
  }

  const Problem& problem_;
  const Problem timeless_;
  const PlanOptions& options_;
  Monitor& monitor_;
  Structure structure_;
  std::int64_t candidates_ = 0;
};

std::int64_t moved(const Problem& problem, const Plan& plan) {
  std::int64_t units = 0;
  for (const Spill& pair : plan.spills) units += problem.pair_traffic[pair.buffer];
  return units;
}

}  // namespace

PlanResult make_plan(const Problem& problem, const PlanOptions& options) {
  const double seconds =
      options.time_limit > 0 ? options.time_limit : defaults(options.objective).seconds;
  const auto begin = Clock::now();
  const auto limit = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(seconds, 1e9)));
  std::function<void(double, std::int64_t)> progress;
  if (options.progress) {
    progress = [&](double share, std::int64_t candidates) {
      options.progress({share, candidates});
    };
  }
  Monitor monitor(options.interrupted, begin + limit, std::move(progress));
  PlanResult result;
  if (options.pipeline == Pipeline::lattice) {
    result.plan = lattice_plan(problem, options.objective);
    return result;
  }
  Genes genes;
  if (options.pipeline == Pipeline::search && !problem.anchors.empty()) {
    Search search(problem, options, monitor);
    genes = search.run(begin + limit * 9 / 10).genes;
    result.candidates = search.candidates();
    result.stopped_by = monitor.reason();
  } else {
    genes.anchors = problem.anchors;
    genes.policy.time_first = options.objective == Objective::cycles;
  }
  std::vector<int> sequence;
  Linearizer(problem).run(genes.anchors, sequence);
  if (options.objective == Objective::peak) {
    result.plan = order_only_plan(problem, sequence);
    return result;
  }
  const bool traffic = options.objective == Objective::traffic;
  const Problem timeless = without_times(problem);
  Decoder(traffic ? timeless : problem).run(sequence, genes, {}, &result.plan);
  if (traffic && options.pipeline == Pipeline::search) {
    // Evictions chosen with an eye on time are now and then the better ones by luck.
    Plan other = lattice_plan(problem, options.objective);
    if (moved(problem, other) < moved(problem, result.plan)) result.plan = std::move(other);
  }
  const auto cycles = [&](const Plan& plan) {
    return time_plan(*problem.graph, *problem.machine, plan).cycles;
  };
  Plan early = with_early_spill_outs(*problem.graph, result.plan);
  if (cycles(early) <= cycles(result.plan)) result.plan = std::move(early);
  if (options.objective == Objective::cycles && options.pipeline == Pipeline::search) {
    refine_critical_path(problem, result.plan, {.passes = 4, .moves = 100, .trials = 2000});
  }
  return result;
}

}  // namespace quern::planner
