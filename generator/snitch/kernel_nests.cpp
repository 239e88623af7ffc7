#include "generator/snitch/kernel_nests.h"

#include <algorithm>

#include "base/error.h"

namespace quern::generator::snitch {
namespace {

using Coefficients = std::vector<std::int64_t>;

constexpr Value operand(int index) { return {Value::Kind::operand, index}; }
constexpr Value accumulator() { return {Value::Kind::accumulator, 0}; }
constexpr Value zero() { return {Value::Kind::zero, 0}; }

// Coefficients are given in elements.
Operand memory_operand(std::string name, ScalarType type, Access access, int argument,
                       Coefficients coefficients) {
  for (std::int64_t& c : coefficients) c *= size_of(type);
  return {std::move(name), type, access, argument, {std::move(coefficients), 0}, false, {}};
}

Operand scalar_operand(std::string name, ScalarType type, std::size_t iterators) {
  return {std::move(name), type, Access::scalar, 0, {Coefficients(iterators), 0}, false, {}};
}

std::vector<Iterator> iterators_mn(const Point& p) {
  return {{"m", p.m, IteratorKind::parallel}, {"n", p.n, IteratorKind::parallel}};
}

void elementwise(const Point& p, LoopNest& nest) {
  nest.iterators = iterators_mn(p);
  const auto array = [&](std::string name, Access access, int argument) {
    return memory_operand(std::move(name), p.type, access, argument, {p.n, 1});
  };
  switch (p.kernel) {
    case Kernel::fill:
      nest.operands = {array("Z", Access::out, 0), scalar_operand("value", p.type, 2)};
      nest.body = {ScalarOp::copy, {operand(1)}};
      break;
    case Kernel::sum:
      nest.operands = {array("X", Access::in, 0), array("Y", Access::in, 1),
                       array("Z", Access::out, 2)};
      nest.body = {ScalarOp::add, {operand(0), operand(1)}};
      break;
    case Kernel::relu:
      nest.operands = {array("X", Access::in, 0), array("Z", Access::out, 1)};
      nest.body = {ScalarOp::max, {operand(0), zero()}};
      break;
    default:
      nest.operands = {array("X", Access::in, 0), array("Y", Access::in, 1),
                       array("Z", Access::out, 2), scalar_operand("value", p.type, 2)};
      nest.body = {ScalarOp::fma, {operand(3), operand(0), operand(1)}};
  }
}

void product(const Point& p, LoopNest& nest) {
  const ScalarType result = nest.accumulator;
  if (p.kernel == Kernel::dot) {
    nest.iterators = {{"k", p.k, IteratorKind::reduction}};
    nest.operands = {memory_operand("X", p.type, Access::in, 0, {1}),
                     memory_operand("Y", p.type, Access::in, 1, {1}),
                     memory_operand("Z", result, Access::out, 2, {0})};
  } else {
    nest.iterators = iterators_mn(p);
    nest.iterators.push_back({"k", p.k, IteratorKind::reduction});
    const bool transposed = p.kernel == Kernel::matmul_t;
    nest.operands = {memory_operand("A", p.type, Access::in, 0, {p.k, 0, 1}),
                     memory_operand("B", p.type, Access::in, 1,
                                    transposed ? Coefficients{0, p.k, 1} : Coefficients{0, 1, p.n}),
                     memory_operand("C", result, Access::out, 2, {p.n, 1, 0})};
    if (p.kernel == Kernel::dense) {
      nest.operands.push_back(memory_operand("bias", result, Access::in, 3, {0, 1, 0}));
      nest.init = Init::operand;
      nest.init_operand = 3;
      nest.relu = true;
    }
  }
  nest.body = {ScalarOp::fma, {operand(0), operand(1), accumulator()}};
}

void window(const Point& p, LoopNest& nest) {
  const std::int64_t step = p.kernel == Kernel::conv3x3 ? 1 : 2;
  const std::int64_t width = step * (p.n - 1) + 3;
  nest.iterators = iterators_mn(p);
  nest.iterators.push_back({"i", 3, IteratorKind::reduction});
  nest.iterators.push_back({"j", 3, IteratorKind::reduction});
  nest.operands = {memory_operand("X", p.type, Access::in, 0, {step * width, step, width, 1})};
  if (p.kernel == Kernel::conv3x3) {
    nest.operands.push_back(memory_operand("W", p.type, Access::in, 1, {0, 0, 3, 1}));
    nest.operands.push_back(memory_operand("Z", nest.accumulator, Access::out, 2, {p.n, 1, 0, 0}));
    nest.body = {ScalarOp::fma, {operand(0), operand(1), accumulator()}};
  } else {
    nest.operands.push_back(memory_operand("Z", nest.accumulator, Access::out, 1, {p.n, 1, 0, 0}));
    nest.body = {p.kernel == Kernel::max_pool3x3 ? ScalarOp::max : ScalarOp::add,
                 {operand(0), accumulator()}};
    if (p.kernel == Kernel::max_pool3x3) nest.init = Init::first;
  }
}

// The output set to zero by a nest of its own.
LoopNest fill_output(const LoopNest& nest) {
  LoopNest fill;
  fill.name = "fill";
  fill.type = fill.accumulator = nest.accumulator;
  Operand out = nest.output();
  out.map.coefficients.clear();
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    if (nest.iterators[d].kind == IteratorKind::reduction) continue;
    fill.iterators.push_back(nest.iterators[d]);
    out.map.coefficients.push_back(nest.output().map.coefficients[d]);
  }
  if (fill.iterators.empty()) {
    fill.iterators.push_back({"n", 1, IteratorKind::parallel});
    out.map.coefficients.push_back(0);
  }
  fill.operands = {out};
  fill.body = {ScalarOp::copy, {zero()}};
  return fill;
}

}  // namespace

std::vector<LoopNest> loop_nests(const Point& point) {
  check(point);
  LoopNest nest;
  nest.name = info(point.kernel).name;
  nest.type = nest.accumulator = point.type;
  switch (point.kernel) {
    case Kernel::fill:
    case Kernel::sum:
    case Kernel::relu:
    case Kernel::axpy:
      elementwise(point, nest);
      return {nest};
    default:
      break;
  }
  nest.init = Init::zero;
  // Sums of halves are kept in single precision; a maximum needs no more than its operands.
  if (point.type == ScalarType::f16 && point.kernel != Kernel::max_pool3x3) {
    nest.accumulator = ScalarType::f32;
  }
  switch (point.kernel) {
    case Kernel::dot:
    case Kernel::matmul:
    case Kernel::matmul_t:
    case Kernel::dense:
      product(point, nest);
      break;
    default:
      window(point, nest);
  }
  // An accumulator that lives in memory has to be filled there.
  const bool fused = point.passes.fuse_fill && point.passes.scalar_replacement;
  if (fused || nest.init != Init::zero) return {nest};
  LoopNest fill = fill_output(nest);
  nest.init = Init::destination;
  return {fill, nest};
}

std::vector<Buffer> buffers(const Point& point) {
  Point fused = point;
  fused.passes = Passes{};
  const LoopNest nest = loop_nests(fused).front();
  std::vector<Buffer> result;
  for (const Operand& o : nest.operands) {
    if (o.access == Access::scalar) continue;
    std::int64_t last = 0;  // byte offset of the last element
    for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
      last += o.map.coefficients[d] * (nest.iterators[d].extent - 1);
    }
    if (result.size() <= static_cast<std::size_t>(o.argument)) result.resize(o.argument + 1);
    result[o.argument] = {o.name, o.type, last / size_of(o.type) + 1, o.access == Access::out};
  }
  return result;
}

}  // namespace quern::generator::snitch
