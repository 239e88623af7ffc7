#include "generator/snitch/unroll.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "generator/snitch/lowering.h"
#include "generator/snitch/registers.h"

namespace quern::generator::snitch {
namespace {

std::int64_t product(const JamFactors& factors) {
  std::int64_t total = 1;
  for (std::int64_t f : factors) total *= f;
  return total;
}

// Results that leave in pairs need an even jam in the innermost parallel iterator; single stores
// need their addresses within the offset of an instruction.
bool allowed(const LoopNest& nest, const JamFactors& jam) {
  if (!nest.sums_lanes()) return true;
  constexpr std::int64_t kOffset = 2047;
  std::int64_t reach = 0;
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    reach += (jam[d] - 1) * nest.output().map.coefficients[d];
  }
  if (!nest.paired) return reach <= kOffset;
  for (std::size_t d = nest.iterators.size(); d-- > 0;) {
    if (nest.iterators[d].kind == IteratorKind::parallel) return jam[d] % 2 == 0;
  }
  return false;
}

std::vector<int> parallel_iterators(const LoopNest& nest) {
  std::vector<int> result;
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    if (nest.iterators[d].kind == IteratorKind::parallel) result.push_back(static_cast<int>(d));
  }
  return result;
}

std::int64_t available_registers(const LoopNest& nest) {
  return available_float_registers(
      std::any_of(nest.operands.begin(), nest.operands.end(),
                  [](const Operand& o) { return o.access == Access::scalar; }));
}

bool is_max(const LoopNest& nest) { return nest.body.op == ScalarOp::max; }

using Regions = std::vector<StreamNest>;

// All factors up to kMost accumulators.
constexpr std::int64_t kMost = 32;
template <class Visit>
void each_factors(const LoopNest& nest, Visit visit) {
  const std::vector<int> parallel = parallel_iterators(nest);
  const auto extent = [&](std::size_t i) {
    return i < parallel.size() ? std::min(kMost, nest.iterators[parallel[i]].extent) : 1;
  };
  JamFactors factors(nest.iterators.size(), 1);
  for (std::int64_t first = 1; first <= extent(0); ++first) {
    for (std::int64_t second = 1; second <= extent(1) && first * second <= kMost; ++second) {
      if (!parallel.empty()) factors[parallel[0]] = first;
      if (parallel.size() > 1) factors[parallel[1]] = second;
      visit(factors);
    }
  }
}

// Finds the factors of a nest and, in turn, of the strips that they leave. What is best for a strip
// depends on its extents alone, so it is looked up the second time.
class Chooser {
 public:
  explicit Chooser(const Machine& machine) : machine_(machine) {}

  // The main region with these factors, the strips with the best of their own.
  std::optional<Regions> place(const LoopNest& nest, const JamFactors& factors, std::string& why);
  // The cheapest factors.
  std::optional<Regions> choose(const LoopNest& nest, bool dividing_only, std::string& why);

 private:
  struct Candidate {
    JamFactors factors;
    double bound;  // no more than its cycles: the main region's work
    std::size_t order;
  };
  std::vector<Candidate> candidates(const LoopNest& nest, bool dividing_only, std::string& why);

  const Machine& machine_;
  using Key = std::pair<bool, std::vector<std::int64_t>>;  // dividing_only, extents
  std::map<Key, std::optional<JamFactors>> known_;
};

std::optional<Regions> Chooser::place(const LoopNest& nest, const JamFactors& factors,
                                      std::string& why) {
  const Cut parts = cut(nest, factors);
  if (!allowed(parts.main, parts.jam)) {
    why = fmt::format("the results of {} do not leave in whole tiles of this size", nest.name);
    return std::nullopt;
  }
  std::optional<StreamNest> main = place_streams(parts.main, parts.jam, false, machine_, why);
  if (!main) return std::nullopt;
  Regions result;
  result.push_back(std::move(*main));
  for (const LoopNest& rest : parts.rests) {
    std::optional<Regions> placed = choose(rest, true, why);
    // A strip whose extents have no good divisors is cut once more.
    if (!placed || placed->front().jam_factor() <= machine_.add_multiply_distance) {
      std::string ignored;
      std::optional<Regions> again = choose(rest, false, ignored);
      if (again &&
          (!placed || estimate_cycles(*again, machine_) < estimate_cycles(*placed, machine_))) {
        placed = std::move(again);
      }
    }
    if (!placed) return std::nullopt;
    for (StreamNest& region : *placed) result.push_back(std::move(region));
  }
  return result;
}

std::vector<Chooser::Candidate> Chooser::candidates(const LoopNest& nest, bool dividing_only,
                                                    std::string& why) {
  std::vector<Candidate> result;
  const std::int64_t available = available_registers(nest);
  each_factors(nest, [&](const JamFactors& factors) {
    if (float_registers_needed(nest, factors) > available) return;
    for (std::size_t d = 0; dividing_only && d < factors.size(); ++d) {
      if (nest.iterators[d].extent % factors[d] != 0) return;
    }
    const Cut parts = cut(nest, factors);
    if (!allowed(parts.main, parts.jam)) {
      why = fmt::format("the results of {} do not leave in whole tiles", nest.name);
      return;
    }
    std::string reason;
    const auto main = place_streams(parts.main, parts.jam, false, machine_, reason);
    if (!main) {
      why = reason;
      return;
    }
    result.push_back({factors, estimate(*main, machine_).work, result.size()});
  });
  std::stable_sort(result.begin(), result.end(),
                   [](const Candidate& a, const Candidate& b) { return a.bound < b.bound; });
  return result;
}

std::optional<Regions> Chooser::choose(const LoopNest& nest, bool dividing_only, std::string& why) {
  Key key{dividing_only, {}};
  for (const Iterator& it : nest.iterators) key.second.push_back(it.extent);
  if (const auto found = known_.find(key); found != known_.end()) {
    if (!found->second) return std::nullopt;
    return place(nest, *found->second, why);
  }
  std::optional<Regions> best;
  std::optional<JamFactors> best_factors;
  double best_cycles = 0;
  std::size_t best_order = 0;
  for (const Candidate& candidate : candidates(nest, dividing_only, why)) {
    if (best && candidate.bound > best_cycles) break;
    std::string reason;
    std::optional<Regions> placed = place(nest, candidate.factors, reason);
    if (!placed) {
      why = reason;
      continue;
    }
    const double cycles = estimate_cycles(*placed, machine_);
    if (!best || cycles < best_cycles || (cycles == best_cycles && candidate.order < best_order)) {
      best = std::move(placed);
      best_factors = candidate.factors;
      best_cycles = cycles;
      best_order = candidate.order;
    }
  }
  known_[key] = best_factors;
  return best;
}

}  // namespace

LoopNest restrict_iterator(LoopNest nest, std::size_t d, std::int64_t first, std::int64_t count) {
  nest.iterators[d].extent = count;
  for (Operand& o : nest.operands) {
    const std::int64_t moved = first * o.map.coefficients[d];
    const bool alternating = o.staging && o.staging->alternating;
    if (!alternating) o.map.offset += moved;
    if (!o.staging || d != 0) continue;
    o.staging->offset += first * o.staging->rows * o.staging->row;
    if (!alternating) o.staging->target += moved;
  }
  return nest;
}

Cut cut(const LoopNest& nest, const JamFactors& factors) {
  Cut result{nest, JamFactors(nest.iterators.size(), 1), {}};
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    if (nest.iterators[d].kind == IteratorKind::reduction) continue;
    const std::int64_t extent = nest.iterators[d].extent, factor = std::min(factors[d], extent);
    const std::int64_t whole = extent / factor * factor;
    if (whole < extent) {
      result.rests.push_back(restrict_iterator(result.main, d, whole, extent - whole));
      result.main = restrict_iterator(result.main, d, 0, whole);
    }
    result.jam[d] = factor;
  }
  std::reverse(result.rests.begin(), result.rests.end());
  return result;
}

std::int64_t float_registers_needed(const LoopNest& nest, const JamFactors& jam) {
  const std::int64_t factor = product(jam);
  if (!nest.has_reduction()) return splits_fma(nest) ? factor + 1 : 1;
  std::int64_t count = factor;
  if (nest.sums_lanes()) count += factor;
  const bool from_zero = nest.lanes > 1 && nest.type == ScalarType::f16 && !is_max(nest);
  if (nest.sums_lanes() || nest.relu || nest.body.op == ScalarOp::add || from_zero) ++count;  // 0
  // Where outputs are packed, accumulators are loaded with the bias.
  if (nest.init == Init::operand && (nest.lanes == 1 || nest.sums_lanes())) {
    const AffineMap& map = nest.operands[nest.init_operand].map;
    std::int64_t kept = 1;
    for (std::size_t d = 0; d < jam.size(); ++d) {
      if (map.coefficients[d] != 0) kept *= jam[d];
    }
    count += kept;
  }
  return count;
}

Estimate estimate(const StreamNest& s, const Machine& machine) {
  const LoopNest& n = s.nest;
  const auto jam = static_cast<double>(s.jam_factor());
  const auto length = static_cast<double>(s.reduction_length());
  const auto tiles = static_cast<double>(s.tile_count());
  double hoisted = 1;
  for (const TiledLoop& loop : s.hoisted) hoisted *= static_cast<double>(loop.extent);

  // Configuration: an instruction or two for bound and for stride of each dimension. A stream that
  // fetches one bank again and again gets into the way of the others.
  double setup = 12, conflicts = 0;
  for (const StreamedOperand& o : s.operands) {
    if (o.place != StreamedOperand::Place::stream) continue;
    setup += 3.0 * static_cast<double>(o.pattern.dimensions.size()) + 2;
    const StreamDimension& inner = o.pattern.dimensions.front();
    constexpr std::int64_t kAllBanks = 256;  // bytes
    if (inner.extent > 1 && inner.stride % kAllBanks == 0) {
      conflicts += 0.02 / static_cast<double>(o.pattern.repeat);
    }
  }
  // A step of fewer accumulators than the pipeline is deep waits for its own results. At exactly
  // that number every bank conflict shows, one more hides them.
  const double distance = n.body.op == ScalarOp::max ? machine.non_computational_distance
                                                     : machine.add_multiply_distance;
  double step = std::max(jam, distance);
  if (jam <= distance) step *= 1.02;
  step *= 1 + conflicts;
  double tile = n.has_reduction() ? step * length : jam;
  double entries = jam * (length > 2 ? 3 : length);
  if (!n.has_reduction() && splits_fma(n)) tile = 2 * step;
  if (n.relu) tile += jam;
  if (n.lanes > 1 && n.has_reduction() && !n.sums_lanes() && !is_max(n)) {
    const bool last_is_peeled = !n.relu && n.type == ScalarType::f32 && n.body.op == ScalarOp::add;
    if (!last_is_peeled && !n.relu) tile += jam;
    if (n.type == ScalarType::f16) tile += jam;
  }
  if (n.sums_lanes()) {
    tile += (n.paired ? 2.5 : 3) * jam + (n.type == ScalarType::f16 ? jam : 0);
    entries = jam * 4.5;
  }
  // Tiles that do not fit in the sequencer are issued by the core; the loop around an frep costs a
  // few cycles each time, as does every integer loop.
  if (entries > machine.sequencer_entries) tile += 6;
  JamFactors factors(n.iterators.size(), 1);
  for (const TiledLoop& loop : s.jam) factors[loop.iterator] = loop.extent;
  const auto registers = static_cast<double>(float_registers_needed(n, factors));
  constexpr double kCallerSaved = 17;
  if (registers > kCallerSaved) setup += 2 * (registers - kCallerSaved) + 4;
  const double restart = s.hoisted.empty() ? 0 : 6;
  double iteration = restart + tiles * tile;
  // The integer core copies the next rows and issues the tile's instructions meanwhile.
  if (const Operand* staged = n.staged()) {
    double rows = static_cast<double>(staged->staging->rows);
    if (!factors.empty()) rows *= static_cast<double>(factors[0]);
    const double copying = rows * staged->staging->row_cycles();
    // Both want the memory; what is hidden still costs a little.
    const double core = copying + entries + 8;
    iteration = std::max(iteration, core) + 0.1 * std::min(iteration, core);
    setup += copying + static_cast<double>(staged->staging->halo) * staged->staging->row_cycles();
  }
  return {setup, hoisted * iteration};
}

double estimate_cycles(const std::vector<StreamNest>& regions, const Machine& machine) {
  constexpr double kSwitch = 6;
  double cycles = 0, previous_work = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const Estimate e = estimate(regions[i], machine);
    cycles += e.work + (i == 0 ? e.setup : std::max(kSwitch, e.setup - previous_work));
    previous_work = e.work;
  }
  return cycles;
}

std::optional<std::vector<StreamNest>> unroll_and_jam(const LoopNest& nest, int m_r, int n_r,
                                                      const Machine& machine, std::string& why) {
  Chooser chooser(machine);
  const std::vector<int> parallel = parallel_iterators(nest);
  JamFactors factors(nest.iterators.size(), 1);
  if (!nest.has_reduction()) {
    // Elementwise work needs several elements at a time only where it is two dependent
    // instructions.
    if (!parallel.empty() && splits_fma(nest)) {
      factors[parallel.back()] = std::min<std::int64_t>(machine.add_multiply_distance,
                                                        nest.iterators[parallel.back()].extent);
    }
    return chooser.place(nest, factors, why);
  }
  if (m_r == 0 || parallel.size() < 2) return chooser.choose(nest, false, why);
  factors[parallel[0]] = std::min<std::int64_t>(m_r, nest.iterators[parallel[0]].extent);
  factors[parallel[1]] = std::min<std::int64_t>(n_r, nest.iterators[parallel[1]].extent);
  const std::int64_t needed = float_registers_needed(nest, factors);
  if (const std::int64_t available = available_registers(nest); needed > available) {
    throw bad_input(
        "out of floating-point registers: unroll and jam {}x{} of {} needs {}, there are {} "
        "(ft0-ft2 are the streams; nothing is spilled)",
        m_r, n_r, nest.name, needed, available);
  }
  return chooser.place(nest, factors, why);
}

}  // namespace quern::generator::snitch
