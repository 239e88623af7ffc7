// The bounds against hand-computed cases and against exhaustive search on thousands of small random
// graphs: no bound may exceed what some legal order reaches.
#include "planner/bounds/bounds.h"

#include <gtest/gtest.h>

#include <map>
#include <queue>

#include "planner/bounds/closure.h"
#include "planner/bounds/exclusive.h"
#include "planner/bounds/phases.h"
#include "planner/decode/decoder.h"
#include "planner/model/trace_reader.h"
#include "planner/search/random.h"
#include "planner/synthetic/trace_builder.h"
#include "planner/timing/timing.h"

namespace quern::planner {
namespace {

const std::filesystem::path room = std::filesystem::path(QUERN_SOURCE_DIR) / "planner";

Machine npu() {
  return read_machine(room / "machines/davinci-npu.json", room / "machines/schema.json");
}

// W and V count and hold 6 and 4; A and B hold one buffer at a time in a peak order, two otherwise.
Machine small_machine() {
  Machine machine;
  machine.name = "small";
  machine.tiers = {{"W", 6, true, 0}, {"V", 4, true, 0}, {"A", 2, false, 1}, {"B", 2, false, 1}};
  machine.pipes = {"IN", "OUT", "X", "Y"};
  machine.transfer = {
      .out_pipe = 1, .in_pipe = 0, .fixed_cycles = 3, .cycles_per_unit = 1, .backed_by = {"LOAD"}};
  return machine;
}

// Loads, commands that turn one or two buffers into another, and commands that only read.
Trace random_trace(std::uint64_t seed, int operations) {
  Random random(seed);
  TraceBuilder t("random");
  const char* tiers[] = {"W", "V", "A", "B"};
  std::vector<int> buffers, sizes;
  const auto fresh = [&](int tier) {
    const int size = tier >= 2 ? 1 : 1 + random.below(2);
    buffers.push_back(t.buffer(tiers[tier], size));
    sizes.push_back(tier);
    return buffers.back();
  };
  for (int i = 0; i < operations; ++i) {
    if (buffers.empty() || random.chance(0.3)) {
      t.op("LOAD", "IN", 1 + random.below(9), {fresh(random.below(2))}, {});
      continue;
    }
    std::vector<int> reads;
    std::vector<char> taken(4, 0);
    for (int tries = 1 + random.below(2); tries > 0; --tries) {
      // Early ones more often, so that they stay live; of each tier one at most, so that every
      // command fits.
      const int count = static_cast<int>(buffers.size());
      const int which = random.below(random.chance(0.5) ? std::min(4, count) : count);
      if (taken[sizes[which]] != 0) continue;
      taken[sizes[which]] = 1;
      reads.push_back(buffers[which]);
    }
    std::vector<int> writes;
    const int tier = random.below(4);
    if (random.chance(0.8) && taken[tier] == 0) writes.push_back(fresh(tier));
    t.op("DO", random.chance(0.5) ? "X" : "Y", 1 + random.below(9), writes, reads);
  }
  return t.finish();
}

// Outputs that each gather some of the same inputs: more is alive together than a small tier holds.
Trace sharing_trace(std::uint64_t seed) {
  Random random(seed);
  TraceBuilder t("sharing");
  std::vector<int> inputs;
  for (int i = 2 + random.below(2); i > 0; --i) {
    inputs.push_back(t.buffer("W", 1 + random.below(2)));
    t.op(random.chance(0.6) ? "LOAD" : "MAKE", "IN", 1 + random.below(9), {inputs.back()}, {});
  }
  for (int i = 2 + random.below(2); i > 0; --i) {
    const int output = t.buffer("W", 1);
    for (std::size_t from = 0; from < inputs.size(); ++from) {
      if (random.chance(0.8))
        t.op("DO", "X", 1 + random.below(9), {output}, {inputs[from], output});
    }
    t.op("DO", "Y", 1, {}, {output});
  }
  return t.finish();
}

// Accumulators in B fed through A, whose results become operands again: what the exclusive tiers of
// peak orders reason about.
Trace chained_trace(std::uint64_t seed) {
  Random random(seed);
  TraceBuilder t("chained");
  std::vector<int> tiles, sums;
  const auto tile = [&] {
    tiles.push_back(t.buffer("W", 1 + random.below(2)));
    return tiles.back();
  };
  const auto any = [&](const std::vector<int>& of) {
    return of[random.below(static_cast<int>(of.size()))];
  };
  for (int operations = 0; operations < 11;) {
    const int kind = random.below(6);
    if (tiles.empty() || kind == 0) {
      t.op("LOAD", "IN", 1, {tile()}, {});
      ++operations;
    } else if (sums.empty() || kind < 4) {
      const int fed = t.buffer("A", 1);
      t.op("MOVE", "Y", 1, {fed}, {any(tiles)});
      if (sums.empty() || random.chance(0.4)) sums.push_back(t.buffer("B", 1));
      const int sum = any(sums);
      t.op("ADD", "X", 1, {sum}, {fed, sum});
      operations += 2;
    } else {
      const int from = any(sums);
      t.op("STORE", "Y", 1, {tile()}, {from});
      ++operations;
    }
  }
  return t.finish();
}

// The least peak of all orders that respect the live limits, by dynamic programming over the sets
// of operations that can have run; -1 if there is none.
std::int64_t exhaustive_peak(const Problem& problem) {
  const int count = problem.operations();
  constexpr std::int64_t never = 1 << 30;
  std::vector<std::int64_t> best(std::size_t{1} << count, never);
  best[0] = 0;
  for (unsigned done = 0; done < (1U << count); ++done) {
    if (best[done] == never) continue;
    for (int operation = 0; operation < count; ++operation) {
      bool ready = ((done >> operation) & 1) == 0;
      for (int before : problem.predecessors[operation])
        ready = ready && ((done >> before) & 1) != 0;
      if (!ready) continue;
      const unsigned now = done | (1U << operation);
      std::int64_t held = 0;
      std::vector<int> live(problem.machine->tiers.size(), 0);
      for (int buffer = 0; buffer < problem.buffers(); ++buffer) {
        bool born = false, dead = true;
        for (int user : problem.operations_of[buffer]) {
          born = born || ((now >> user) & 1) != 0;
          dead = dead && ((done >> user) & 1) != 0;
        }
        if (!born || dead) continue;
        ++live[problem.tier[buffer]];
        if (problem.machine->tiers[problem.tier[buffer]].counts_in_peak)
          held += problem.size[buffer];
      }
      bool allowed = true;
      for (std::size_t t = 0; t < live.size(); ++t) {
        const int limit = problem.machine->tiers[t].peak_live_limit;
        allowed = allowed && (limit == 0 || live[t] <= limit);
      }
      if (allowed) best[now] = std::min(best[now], std::max(best[done], held));
    }
  }
  const std::int64_t result = best.back();
  return result == never ? -1 : result;
}

// The least traffic of all orders and evictions when only capacities matter, not addresses: the
// cheapest way through the states (what has run, what is in memory).
std::int64_t exhaustive_traffic(const Problem& problem) {
  using State = std::pair<unsigned, unsigned>;
  std::map<State, std::int64_t> known;
  std::priority_queue<std::pair<std::int64_t, State>, std::vector<std::pair<std::int64_t, State>>,
                      std::greater<>>
      open;
  open.push({0, {0, 0}});
  const int count = problem.operations();
  const auto fits = [&](unsigned resident) {
    std::vector<std::int64_t> held(problem.machine->tiers.size(), 0);
    for (int b = 0; b < problem.buffers(); ++b) {
      if (((resident >> b) & 1) != 0) held[problem.tier[b]] += problem.size[b];
    }
    for (std::size_t t = 0; t < held.size(); ++t) {
      if (held[t] > problem.machine->tiers[t].capacity) return false;
    }
    return true;
  };
  while (!open.empty()) {
    const auto [price, state] = open.top();
    open.pop();
    if (!known.try_emplace(state, price).second) continue;
    const auto [done, resident] = state;
    if (done == (1U << count) - 1) return price;
    for (int b = 0; b < problem.buffers(); ++b) {  // evict; the pair is paid here
      if (((resident >> b) & 1) != 0) {
        open.push({price + problem.pair_traffic[b], {done, resident & ~(1U << b)}});
      }
    }
    for (int operation = 0; operation < count; ++operation) {
      bool ready = ((done >> operation) & 1) == 0;
      for (int before : problem.predecessors[operation])
        ready = ready && ((done >> before) & 1) != 0;
      if (!ready) continue;
      unsigned with = resident;
      for (int b : problem.buffers_of[operation]) with |= 1U << b;
      if (!fits(with)) continue;
      const unsigned now = done | (1U << operation);
      for (int b : problem.buffers_of[operation]) {
        bool dead = true;
        for (int user : problem.operations_of[b]) dead = dead && ((now >> user) & 1) != 0;
        if (dead) with &= ~(1U << b);
      }
      open.push({price, {now, with}});
    }
  }
  return -1;
}

TEST(Bounds, NeverAboveTheBestOrderOfSmallGraphs) {
  const Machine machine = small_machine();
  int tight_peaks = 0, peaks = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    const CommandGraph graph = build_command_graph(
        seed % 2 == 0 ? random_trace(seed, 6 + static_cast<int>(seed % 7)) : chained_trace(seed),
        machine);
    const Problem problem = compile(graph, machine);
    const std::int64_t peak = exhaustive_peak(problem);
    if (peak < 0) continue;  // no order respects the limits
    const LowerBounds bounds = lower_bounds(problem);
    ASSERT_LE(bounds.peak, peak) << "seed " << seed << ", by " << bounds.peak_by;
    // A search that is cut short still says something true.
    const Closure closure(problem);
    for (int work : {1, 30, 300}) {
      ASSERT_LE(least_exclusive_peak(problem, closure, std::int64_t{work} * problem.operations()),
                peak)
          << "seed " << seed << ", cut after " << work;
    }
    ++peaks;
    if (bounds.peak == peak) ++tight_peaks;
  }
  for (const Trace& trace : {matmul_trace(1, 2, 1), matmul_trace(1, 3, 1), matmul_trace(2, 2, 1),
                             matmul_trace(1, 2, 2)}) {
    const Machine wide = npu();
    const CommandGraph graph = build_command_graph(trace, wide);
    const Problem problem = compile(graph, wide);
    EXPECT_LE(lower_bounds(problem).peak, exhaustive_peak(problem)) << trace.name;
  }
  EXPECT_GT(peaks, 500);
  EXPECT_GT(tight_peaks, peaks / 2);  // and they do say something
}

// Products sum(i,j) += a(i,k) b(k,j) on W: the sums in B or in W, one operand through A or not, all
// of them or some, with the right indices or any, of one size or two: what phases reason about.
struct ProductsCase {
  Machine machine = small_machine();
  CommandGraph graph;
};

ProductsCase products_case(std::uint64_t seed) {
  Random random(seed);
  ProductsCase result;
  const bool inside = random.chance(0.25), fed = !inside && random.chance(0.25);
  const bool mixed = random.chance(0.2), backed = inside || random.chance(0.5);
  const bool scrambled = random.chance(0.2);
  const double kept = random.chance(0.7) ? 1 : 0.85;
  constexpr int shapes[][3] = {{2, 2, 2}, {2, 2, 3}, {2, 2, 4}, {2, 2, 5}, {2, 3, 2}, {2, 3, 3}};
  const auto& [m, n, k] = shapes[fed ? 0 : 1 + random.below(inside ? 3 : 5)];
  const int tile = random.chance(0.3) ? 20 : 1;  // larger than a sum or not
  TraceBuilder t("products");
  std::vector<int> a, b, sums;
  const auto size = [&] { return tile * (mixed ? 1 + random.below(2) : 1); };
  for (int i = 0; i < m * k; ++i) a.push_back(t.buffer("W", size()));
  for (int i = 0; i < k * n; ++i) b.push_back(t.buffer("W", size()));
  for (int i = 0; i < m * n; ++i) sums.push_back(t.buffer(inside ? "W" : "B", 1));
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int step = 0; step < k; ++step) {
        if (!random.chance(kept)) continue;
        int left = a[i * k + step];
        if (fed) {
          const int part = t.buffer("A", 1);
          t.op("MOVE", "Y", 1, {part}, {left});
          left = part;
        }
        const int sum = sums[scrambled ? random.below(m * n) : i * n + j];
        t.op("DO", "X", 1, {sum}, {left, b[step * n + j]});
      }
      if (k == 2 && !scrambled) t.op("STORE", "Y", 1, {}, {sums[i * n + j]});
    }
  }
  result.machine.tiers[0].capacity = tile * ((inside ? 3
                                              : fed  ? 1
                                                     : 2) *
                                                 (mixed ? 2 : 1) +
                                             random.below(2));
  result.machine.tiers[2].capacity = 1;
  result.machine.tiers[3].capacity = 1 + random.below(2);
  result.graph = build_command_graph(t.finish(), result.machine);
  for (int buffer : a) result.graph.buffers[buffer].backed = backed;
  for (int buffer : b) result.graph.buffers[buffer].backed = backed;
  return result;
}

TEST(Bounds, PhasesNeverAboveTheLeastTrafficOfSmallProducts) {
  int cases = 0, positive_bounds = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const ProductsCase products = products_case(seed);
    const Problem problem = compile(products.graph, products.machine);
    const std::int64_t traffic = exhaustive_traffic(problem);
    if (traffic < 0) continue;  // some command does not fit
    const std::int64_t bound = least_phase_traffic(problem);
    ASSERT_LE(bound, traffic) << "seed " << seed;
    ++cases;
    if (bound > 0) ++positive_bounds;
  }
  EXPECT_GT(cases, 100);
  EXPECT_GT(positive_bounds, 10);
}

TEST(Bounds, NeverAboveTheLeastTrafficOfSmallGraphs) {
  Machine machine = small_machine();
  int positive = 0, positive_bounds = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    machine.tiers[0].capacity = 3 + static_cast<int>(seed % 2);
    const CommandGraph graph =
        build_command_graph(seed % 3 == 0 ? random_trace(seed, 7) : sharing_trace(seed), machine);
    const Problem problem = compile(graph, machine);
    const std::int64_t traffic = exhaustive_traffic(problem);
    ASSERT_GE(traffic, 0);
    const LowerBounds bounds = lower_bounds(problem);
    ASSERT_LE(bounds.traffic, traffic) << "seed " << seed << ", by " << bounds.traffic_by;
    if (traffic > 0) ++positive;
    if (bounds.traffic > 0) ++positive_bounds;
  }
  EXPECT_GT(positive, 20);
  EXPECT_GT(positive_bounds, 5);
}

// Every plan of random sequences, with spills, takes at least the bound in cycles and traffic.
TEST(Bounds, NeverAboveAnyPlan) {
  Machine machine = small_machine();
  machine.tiers[0].capacity = 4;
  machine.tiers[1].capacity = 3;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const CommandGraph graph =
        build_command_graph(random_trace(seed, 12 + static_cast<int>(seed % 20)), machine);
    const Problem problem = compile(graph, machine);
    const LowerBounds bounds = lower_bounds(problem);
    Decoder decoder(problem);
    Linearizer linearizer(problem);
    Random random(seed);
    std::vector<int> sequence;
    for (int tries = 0; tries < 20; ++tries) {
      Genes genes;
      genes.anchors = problem.anchors;
      for (std::size_t i = genes.anchors.size(); i > 1; --i) {
        std::swap(genes.anchors[i - 1], genes.anchors[random.below(static_cast<int>(i))]);
      }
      linearizer.run(genes.anchors, sequence);
      Plan plan;
      const Outcome outcome = decoder.run(sequence, genes, {}, &plan);
      ASSERT_LE(bounds.traffic, outcome.traffic) << "seed " << seed;
      ASSERT_LE(bounds.cycles(), time_plan(graph, machine, plan).cycles) << "seed " << seed;
    }
  }
}

TEST(Bounds, HandComputed) {
  // a feeds two commands on X that run for 10 each; b lives between them.
  TraceBuilder t("bounds");
  const int a = t.buffer("UB", 100), b = t.buffer("UB", 30);
  t.op("COPY_IN", "MTE2", 5, {a}, {});
  t.op("EXP", "VECTOR", 10, {b}, {a});
  t.op("ADD", "VECTOR", 10, {}, {a, b});
  const Machine machine = npu();
  const CommandGraph graph = build_command_graph(t.finish(), machine);
  const LowerBounds bounds = lower_bounds(compile(graph, machine));
  EXPECT_EQ(bounds.critical_path, 25);
  EXPECT_EQ(bounds.busiest_pipe, 20);
  EXPECT_EQ(bounds.busiest_pipe_name, "VECTOR");
  EXPECT_EQ(bounds.cycles(), 25);
  EXPECT_EQ(bounds.peak, 130);
  EXPECT_EQ(bounds.traffic, 0);
}

// sum(i,j) += a(i,k) b(k,j) for 2 x 2 sums and 5 steps: 20 products, 20 tiles of one size, of which
// W holds 3. With phases of 9 tiles two phases see M = 3 + 9 tiles each, and with one sum in memory
// do 12 / 2 * sqrt(2 (4 + 1)) = 18.97 products. A third phase begins with tile 3 + 2 * 9 + 1 = 22,
// two more than are loaded in any case; or (20 / 6)^2 / 2 - 5 = 0.56 sums are evicted. With two
// sums in memory, two phases do 20.8 products.
TEST(Bounds, PhasesByHand) {
  const struct {
    int tile, sum, sums_in_memory, parts_in_memory;  // 0: no parts
    bool backed;
    std::int64_t bound;
  } rows[] = {
      {1, 50, 1, 0, true, 2},   // two tiles come in again
      {1, 50, 1, 0, false, 4},  // and have been moved out before
      {7, 50, 1, 0, true, 14},  // twice 7 units
      {40, 1, 1, 0, true, 2},   // 0.56 evictions of a sum, of two units
      {1, 50, 2, 0, true, 0},   // two sums go on
      {1, 50, 1, 1, true, 1},   // one product is cut: 19 are left, and 0.03 parts are evicted
      {40, 50, 1, 2, true, 0},  // two are cut: 18 are left
  };
  for (const auto& row : rows) {
    Machine machine = small_machine();
    machine.tiers[0].capacity = 3 * row.tile;
    machine.tiers[2].capacity = row.parts_in_memory;
    machine.tiers[3].capacity = row.sums_in_memory * row.sum;
    TraceBuilder t("five steps");
    std::vector<int> a, b;
    for (int i = 0; i < 10; ++i) {
      a.push_back(t.buffer("W", row.tile));
      b.push_back(t.buffer("W", row.tile));
    }
    for (int sum_index = 0; sum_index < 4; ++sum_index) {
      const int sum = t.buffer("B", row.sum);
      for (int step = 0; step < 5; ++step) {
        int left = a[sum_index / 2 * 5 + step];
        if (row.parts_in_memory > 0) {
          const int part = t.buffer("A", 1);
          t.op("MOVE", "Y", 1, {part}, {left});
          left = part;
        }
        t.op("DO", "X", 1, {sum}, {left, b[sum_index % 2 * 5 + step]});
      }
    }
    CommandGraph graph = build_command_graph(t.finish(), machine);
    for (const std::vector<int>& tiles : {a, b}) {
      for (int buffer : tiles) graph.buffers[buffer].backed = row.backed;
    }
    const Problem problem = compile(graph, machine);
    EXPECT_EQ(least_phase_traffic(problem), row.bound)
        << row.tile << ' ' << row.sum << ' ' << row.sums_in_memory << ' ' << row.parts_in_memory;
    if (row.parts_in_memory == 0) {
      EXPECT_LE(row.bound, exhaustive_traffic(problem));
    }
  }
}

// Every a meets every b, and the sums are those of a Latin square: there are no indices, and four
// sums, four b and one a at a time in memory do it all. Taken for a matrix product, 16 products on
// four sums would need two tiles to come in again.
TEST(Bounds, NoPhasesWithoutIndices) {
  Machine machine = small_machine();
  machine.tiers[0].capacity = 5;
  machine.tiers[3].capacity = 4;
  TraceBuilder t("latin square");
  int a[4], b[4], sums[4];
  for (int i = 0; i < 4; ++i) {
    a[i] = t.buffer("W", 1);
    b[i] = t.buffer("W", 1);
    sums[i] = t.buffer("B", 1);
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) t.op("DO", "X", 1, {sums[(i + j) % 4]}, {a[i], b[j]});
  }
  const CommandGraph graph = build_command_graph(t.finish(), machine);
  const Problem problem = compile(graph, machine);
  EXPECT_EQ(exhaustive_traffic(problem), 0);
  EXPECT_EQ(least_phase_traffic(problem), 0);
}

// Two inputs, each read for both of two outputs, one after the other: when the first input dies
// both outputs have begun.
TEST(Bounds, FirstDeathByHand) {
  Machine machine = small_machine();
  machine.tiers[0].capacity = 2;
  TraceBuilder t("two by two");
  const int i1 = t.buffer("W", 1), i2 = t.buffer("W", 1);
  t.op("LOAD", "IN", 5, {i1}, {});
  t.op("LOAD", "IN", 5, {i2}, {});
  int out[2];
  for (int& o : out) {
    o = t.buffer("W", 1);
    t.op("DO", "X", 10, {o}, {i1});
    t.op("DO", "X", 10, {o}, {i2, o});
  }
  t.op("DO", "Y", 1, {}, {out[0]});
  t.op("DO", "Y", 1, {}, {out[1]});
  const CommandGraph graph = build_command_graph(t.finish(), machine);
  const LowerBounds bounds = lower_bounds(compile(graph, machine));
  EXPECT_EQ(bounds.peak, 3);
  EXPECT_EQ(bounds.must_live, 2);
  EXPECT_EQ(bounds.traffic, 1);  // one unit too many, and a copy of the inputs is outside
  // X: 40 cycles, not before one load, and one command on Y after it.
  EXPECT_EQ(bounds.busiest_pipe, 40);
  EXPECT_EQ(bounds.scheduled_pipe, 5 + 40 + 1);
  EXPECT_EQ(bounds.critical_path, 5 + 10 + 10 + 1);
}

// Known optima of the published traces: no order of Matmul_Case0 is below 9,216 (with one
// accumulator the chains run one after another, so when the second line of tiles is entered all
// crossing lines are in memory), and Conv_Case0's 6,912 is what others found. Work and critical
// paths are published.
TEST(Bounds, ProveTheKnownPeaks) {
  const Machine machine = npu();
  const struct {
    const char* name;
    std::int64_t peak, traffic, cycles, busiest_pipe, critical_path;
  } rows[] = {{"Matmul_Case0", 9216, 1664, 66155, 65536, 1643},
              {"FlashAttention_Case0", 2068, 0, 26723, 25600, 2536},
              {"Conv_Case0", 6912, 5632, 351599, 348677, 92168}};
  for (const auto& row : rows) {
    const CommandGraph graph = build_command_graph(
        read_trace(room / "traces" / (std::string(row.name) + ".json")), machine);
    const LowerBounds bounds = lower_bounds(compile(graph, machine));
    EXPECT_EQ(bounds.peak, row.peak) << row.name;
    EXPECT_EQ(bounds.traffic, row.traffic) << row.name;
    EXPECT_EQ(bounds.cycles(), row.cycles) << row.name;
    EXPECT_EQ(bounds.busiest_pipe, row.busiest_pipe) << row.name;
    EXPECT_EQ(bounds.critical_path, row.critical_path) << row.name;
  }
}

// The family of Matmul_Case0, larger: what does not fit grows, and so does what phases prove. A
// plan with 230,400 is known for 16 x 16 x 16.
TEST(Bounds, PhasesOfTiledProducts) {
  const Machine machine = npu();
  const struct {
    int m, n, k;
    std::int64_t traffic;
  } rows[] = {
      {4, 4, 4, 0}, {8, 8, 8, 1664}, {8, 8, 16, 15196}, {16, 16, 8, 26752}, {16, 16, 16, 124719}};
  for (const auto& row : rows) {
    const CommandGraph graph = build_command_graph(matmul_trace(row.m, row.n, row.k), machine);
    EXPECT_EQ(least_phase_traffic(compile(graph, machine)), row.traffic) << graph.name;
  }
}

}  // namespace
}  // namespace quern::planner
