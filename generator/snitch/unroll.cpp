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

// Results that leave in pairs need an even jam in the innermost parallel iterator; single stores
// need their addresses within the offset of an instruction.
bool allowed(const LoopNest& nest, const JamFactors& jam) {
  if (!packed_reduction(nest)) return true;
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

std::int64_t available_registers(const LoopNest& nest) {
  return available_float_registers(
      std::any_of(nest.operands.begin(), nest.operands.end(),
                  [](const Operand& o) { return o.access == Access::scalar; }));
}

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

std::optional<Regions> choose(const LoopNest& nest, bool dividing_only, const Machine& machine,
                              std::string& why);

// The main region with these factors, the strips with the best of their own.
std::optional<Regions> place_regions(const LoopNest& nest, const JamFactors& factors,
                                     const Machine& machine, std::string& why) {
  const Cut parts = cut(nest, factors);
  if (!allowed(parts.main, parts.jam)) {
    why = fmt::format("the results of {} do not leave in whole tiles of this size", nest.name);
    return std::nullopt;
  }
  std::optional<StreamNest> main = place_streams(parts.main, parts.jam, false, machine, why);
  if (!main) return std::nullopt;
  Regions result;
  result.push_back(std::move(*main));
  for (const LoopNest& rest : parts.rests) {
    std::optional<Regions> placed = choose(rest, true, machine, why);
    // A strip whose extents have no good divisors is cut once more.
    if (!placed || placed->front().jam_factor() <= machine.add_multiply_distance) {
      std::string ignored;
      std::optional<Regions> again = choose(rest, false, machine, ignored);
      if (again &&
          (!placed || estimate_cycles(*again, machine) < estimate_cycles(*placed, machine))) {
        placed = std::move(again);
      }
    }
    if (!placed) return std::nullopt;
    for (StreamNest& region : *placed) result.push_back(std::move(region));
  }
  return result;
}

std::optional<Regions> choose(const LoopNest& nest, bool dividing_only, const Machine& machine,
                              std::string& why) {
  std::optional<Regions> best;
  double best_cycles = 0;
  const std::int64_t available = available_registers(nest);
  each_factors(nest, [&](const JamFactors& factors) {
    if (float_registers_needed(nest, factors) > available) return;
    for (std::size_t d = 0; dividing_only && d < factors.size(); ++d) {
      if (nest.iterators[d].extent % factors[d] != 0) return;
    }
    std::string reason;
    std::optional<Regions> placed = place_regions(nest, factors, machine, reason);
    if (!placed) {
      why = reason;
      return;
    }
    const double cycles = estimate_cycles(*placed, machine);
    if (!best || cycles < best_cycles) {
      best = std::move(placed);
      best_cycles = cycles;
    }
  });
  return best;
}

}  // namespace

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
  if (packed_reduction(nest)) count += factor + 1;             // sums, zero
  if (nest.relu || nest.body.op == ScalarOp::add) count += 1;  // zero
  if (nest.relu && packed_reduction(nest)) count -= 1;         // counted twice
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
  if (packed_reduction(n)) {
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
  return {setup, hoisted * (restart + tiles * tile)};
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
  const std::vector<int> parallel = parallel_iterators(nest);
  JamFactors factors(nest.iterators.size(), 1);
  if (!nest.has_reduction()) {
    // Elementwise work needs several elements at a time only where it is two dependent
    // instructions.
    if (!parallel.empty() && splits_fma(nest)) {
      factors[parallel.back()] = std::min<std::int64_t>(machine.add_multiply_distance,
                                                        nest.iterators[parallel.back()].extent);
    }
    return place_regions(nest, factors, machine, why);
  }
  if (m_r == 0 || parallel.size() < 2) return choose(nest, false, machine, why);
  factors[parallel[0]] = std::min<std::int64_t>(m_r, nest.iterators[parallel[0]].extent);
  factors[parallel[1]] = std::min<std::int64_t>(n_r, nest.iterators[parallel[1]].extent);
  const std::int64_t needed = float_registers_needed(nest, factors);
  if (const std::int64_t available = available_registers(nest); needed > available) {
    throw bad_input(
        "out of floating-point registers: unroll and jam {}x{} of {} needs {}, there are {} "
        "(ft0-ft2 are the streams; nothing is spilled)",
        m_r, n_r, nest.name, needed, available);
  }
  return place_regions(nest, factors, machine, why);
}

}  // namespace quern::generator::snitch
