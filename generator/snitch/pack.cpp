#include "generator/snitch/pack.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace quern::generator::snitch {
namespace {

constexpr std::int64_t kWord = 8;

// All memory operands run through the same elements in the same order without a gap.
bool contiguous(const LoopNest& nest) {
  for (const Operand& o : nest.operands) {
    if (o.access == Access::scalar) continue;
    std::int64_t expected = size_of(o.type);
    for (std::size_t d = nest.iterators.size(); d-- > 0;) {
      if (nest.iterators[d].extent > 1 && o.map.coefficients[d] != expected) return false;
      expected *= nest.iterators[d].extent;
    }
  }
  return true;
}

// The nest over elements [first, first + count) of one flat iterator, in units of `unit` elements.
LoopNest flat(const LoopNest& nest, std::int64_t first, std::int64_t count, std::int64_t unit) {
  LoopNest result = nest;
  const Iterator& inner = nest.iterators.back();
  result.iterators = {{inner.name, count / unit, inner.kind}};
  result.lanes = static_cast<int>(unit);
  result.lane_contents = nest.has_reduction() ? Lanes::partial_sums : Lanes::outputs;
  for (Operand& o : result.operands) {
    const bool walks = o.access != Access::scalar &&
                       (nest.has_reduction() ? o.map.coefficients.back() != 0 : true);
    o.map.coefficients = {walks ? unit * size_of(o.type) : 0};
    if (walks) o.map.offset += first * size_of(o.type);
  }
  return result;
}

std::optional<Packed> pack_flat(const LoopNest& nest, std::int64_t lanes) {
  Packed result;
  const std::int64_t total = nest.points(), whole = total / lanes * lanes;
  if (whole > 0) result.words = flat(nest, 0, whole, lanes);
  if (whole < total) {
    result.rest = flat(nest, whole, total - whole, 1);
    if (nest.has_reduction() && whole > 0) result.rest->init = Init::destination;
  }
  return result;
}

}  // namespace

std::optional<Packed> pack(const LoopNest& nest, std::string& why) {
  if (nest.type == ScalarType::f64) return Packed{nest, std::nullopt};
  const std::int64_t lanes = kWord / size_of(nest.type);
  if (!nest.has_reduction()) {
    if (contiguous(nest)) return pack_flat(nest, lanes);
    why = "operands are not contiguous";
    return std::nullopt;
  }
  if (nest.body.op != ScalarOp::fma) {
    why = fmt::format("no packed form of {}", nest.name);
    return std::nullopt;
  }
  const std::size_t inner = nest.iterators.size() - 1;
  for (std::size_t i = 0; i < nest.operands.size(); ++i) {
    const Operand& o = nest.operands[i];
    if (o.access != Access::in || static_cast<int>(i) == nest.init_operand) continue;
    if (o.map.coefficients[inner] != size_of(o.type)) {
      why = fmt::format("{} is not contiguous along {}", o.name, nest.iterators[inner].name);
      return std::nullopt;
    }
  }
  if (nest.iterators.size() == 1) return pack_flat(nest, lanes);  // dot
  if (nest.iterators[inner].extent % lanes != 0) {
    why = fmt::format("{} = {} is no multiple of {}", nest.iterators[inner].name,
                      nest.iterators[inner].extent, lanes);
    return std::nullopt;
  }
  LoopNest words = nest;
  words.lanes = static_cast<int>(lanes);
  words.lane_contents = Lanes::partial_sums;
  words.paired = nest.iterators[inner - 1].extent % 2 == 0;
  words.iterators[inner].extent /= lanes;
  for (Operand& o : words.operands) o.map.coefficients[inner] *= lanes;
  return Packed{words, std::nullopt};
}

}  // namespace quern::generator::snitch
