#include "generator/snitch/unroll.h"

#include <fmt/format.h>

#include <algorithm>

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

bool packed_reduction(const LoopNest& nest) { return nest.lanes > 1 && nest.has_reduction(); }

// Results leave in pairs: each jam must be even in the innermost parallel iterator.
bool allowed(const LoopNest& nest, const JamFactors& jam) {
  if (!packed_reduction(nest)) return true;
  for (std::size_t d = nest.iterators.size(); d-- > 0;) {
    if (nest.iterators[d].kind == IteratorKind::parallel) return jam[d] % 2 == 0;
  }
  return false;
}

LoopNest restrict_iterator(LoopNest nest, std::size_t d, std::int64_t first, std::int64_t count) {
  nest.iterators[d].extent = count;
  for (Operand& o : nest.operands) o.map.offset += first * o.map.coefficients[d];
  return nest;
}

std::vector<int> parallel_iterators(const LoopNest& nest) {
  std::vector<int> result;
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    if (nest.iterators[d].kind == IteratorKind::parallel) result.push_back(static_cast<int>(d));
  }
  return result;
}

std::optional<std::vector<StreamNest>> place_regions(const LoopNest& nest, const JamFactors& factors,
                                                     const Machine& machine, std::string& why) {
  std::vector<StreamNest> result;
  for (const Region& region : cut(nest, factors)) {
    if (!allowed(region.nest, region.jam)) {
      why = fmt::format("{} cannot be split into pairs of results", nest.name);
      return std::nullopt;
    }
    std::optional<StreamNest> placed = place_streams(region.nest, region.jam, false, machine, why);
    if (!placed) return std::nullopt;
    result.push_back(std::move(*placed));
  }
  return result;
}

}  // namespace

std::vector<Region> cut(const LoopNest& nest, const JamFactors& factors) {
  std::vector<Region> regions = {{nest, JamFactors(nest.iterators.size(), 1)}};
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    const std::int64_t extent = nest.iterators[d].extent, factor = std::min(factors[d], extent);
    if (nest.iterators[d].kind == IteratorKind::reduction) continue;
    const std::int64_t whole = extent / factor * factor;
    std::vector<Region> next;
    for (Region& region : regions) {
      Region main{restrict_iterator(region.nest, d, 0, whole), region.jam};
      main.jam[d] = factor;
      next.push_back(std::move(main));
      if (whole < extent) {
        Region rest{restrict_iterator(region.nest, d, whole, extent - whole), region.jam};
        rest.jam[d] = extent - whole;
        next.push_back(std::move(rest));
      }
    }
    regions = std::move(next);
  }
  return regions;
}

std::int64_t float_registers_needed(const LoopNest& nest, const JamFactors& jam) {
  const std::int64_t factor = product(jam);
  if (!nest.has_reduction()) return splits_fma(nest) ? factor + 1 : 1;
  std::int64_t count = factor;
  if (packed_reduction(nest)) count += factor + 1;                   // sums, zero
  if (nest.relu || nest.body.op == ScalarOp::add) count += 1;        // zero
  if (nest.relu && packed_reduction(nest)) count -= 1;               // counted twice
  if (nest.init == Init::operand) {
    const AffineMap& map = nest.operands[nest.init_operand].map;
    std::int64_t kept = 1;
    for (std::size_t d = 0; d < jam.size(); ++d) {
      if (map.coefficients[d] != 0) kept *= jam[d];
    }
    count += kept;
  }
  return count;
}

double estimate_cycles(const StreamNest& s, const Machine& machine) {
  const LoopNest& n = s.nest;
  const auto jam = static_cast<double>(s.jam_factor());
  const auto length = static_cast<double>(s.reduction_length());
  const auto tiles = static_cast<double>(s.tile_count());
  double hoisted = 1;
  for (const TiledLoop& loop : s.hoisted) hoisted *= static_cast<double>(loop.extent);

  // Configuration: two instructions for bound and for stride of each dimension.
  double setup = 12;
  for (const StreamedOperand& o : s.operands) {
    setup += 3.0 * static_cast<double>(o.pattern.dimensions.size()) + 2;
  }
  // A step of fewer accumulators than the pipeline is deep waits for its own results. At exactly that
  // number every bank conflict shows, one more hides them.
  const double distance = n.body.op == ScalarOp::max ? machine.non_computational_distance
                                                     : machine.add_multiply_distance;
  double step = std::max(jam, distance);
  if (jam <= distance) step *= 1.02;
  double tile = n.has_reduction() ? step * length : jam;
  double entries = jam * (length > 2 ? 3 : length);
  if (!n.has_reduction() && splits_fma(n)) tile = 2 * step;
  if (n.relu) tile += jam;
  if (packed_reduction(n)) {
    tile += 2.5 * jam + (n.type == ScalarType::f16 ? jam : 0);
    entries = jam * (n.type == ScalarType::f16 ? 4.5 : 4.5);
  }
  // Tiles that do not fit in the sequencer are issued by the core; the loop around an frep costs a few
  // cycles each time, as does every integer loop.
  const bool in_sequencer = entries <= machine.sequencer_entries;
  if (!in_sequencer) tile += 6;
  double registers = static_cast<double>(float_registers_needed(n, [&] {
    JamFactors factors(n.iterators.size(), 1);
    for (const TiledLoop& loop : s.jam) factors[loop.iterator] = loop.extent;
    return factors;
  }()));
  constexpr double kCallerSaved = 17;
  if (registers > kCallerSaved) setup += 2 * (registers - kCallerSaved) + 4;
  const double restart = s.hoisted.empty() ? 0 : 12 + jam;
  return setup + hoisted * (restart + tiles * tile);
}

std::optional<std::vector<StreamNest>> unroll_and_jam(const LoopNest& nest, int m_r, int n_r,
                                                      const Machine& machine, std::string& why) {
  const std::vector<int> parallel = parallel_iterators(nest);
  const bool scalar = std::any_of(nest.operands.begin(), nest.operands.end(), [](const Operand& o) {
    return o.access == Access::scalar;
  });
  const std::int64_t available = available_float_registers(scalar);
  if (m_r > 0 && parallel.size() >= 2 && nest.has_reduction()) {
    JamFactors factors(nest.iterators.size(), 1);
    factors[parallel[0]] = std::min<std::int64_t>(m_r, nest.iterators[parallel[0]].extent);
    factors[parallel[1]] = std::min<std::int64_t>(n_r, nest.iterators[parallel[1]].extent);
    const std::int64_t needed = float_registers_needed(nest, factors);
    if (needed > available) {
      throw bad_input(
          "out of floating-point registers: unroll and jam {}x{} of {} needs {}, there are {} "
          "(ft0-ft2 are the streams; nothing is spilled)",
          m_r, n_r, nest.name, needed, available);
    }
    return place_regions(nest, factors, machine, why);
  }
  std::optional<std::vector<StreamNest>> best;
  double best_cycles = 0;
  const auto consider = [&](const JamFactors& factors) {
    if (float_registers_needed(nest, factors) > available) return;
    std::string reason;
    std::optional<std::vector<StreamNest>> placed = place_regions(nest, factors, machine, reason);
    if (!placed) {
      why = reason;
      return;
    }
    double cycles = 0;
    for (const StreamNest& region : *placed) cycles += estimate_cycles(region, machine);
    if (!best || cycles < best_cycles) {
      best = std::move(placed);
      best_cycles = cycles;
    }
  };
  JamFactors factors(nest.iterators.size(), 1);
  if (!nest.has_reduction()) {
    // Elementwise work needs several elements at a time only where it is two dependent instructions.
    if (!parallel.empty() && splits_fma(nest)) {
      factors[parallel.back()] =
          std::min<std::int64_t>(machine.add_multiply_distance, nest.iterators[parallel.back()].extent);
    }
    consider(factors);
    return best;
  }
  constexpr std::int64_t kMost = 32;
  const auto extent = [&](std::size_t i) {
    return i < parallel.size() ? std::min(kMost, nest.iterators[parallel[i]].extent) : 1;
  };
  for (std::int64_t first = 1; first <= extent(0); ++first) {
    for (std::int64_t second = 1; second <= extent(1) && first * second <= kMost; ++second) {
      if (!parallel.empty()) factors[parallel[0]] = first;
      if (parallel.size() > 1) factors[parallel[1]] = second;
      consider(factors);
    }
  }
  return best;
}

}  // namespace quern::generator::snitch
