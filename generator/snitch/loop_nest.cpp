#include "generator/snitch/loop_nest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace quern::generator::snitch {

std::int64_t size_of(ScalarType type) {
  switch (type) {
    case ScalarType::f64:
      return 8;
    case ScalarType::f32:
      return 4;
    case ScalarType::f16:
      return 2;
  }
  return 0;
}

std::string_view name_of(ScalarType type) {
  switch (type) {
    case ScalarType::f64:
      return "f64";
    case ScalarType::f32:
      return "f32";
    case ScalarType::f16:
      return "f16";
  }
  return "?";
}

int LoopNest::output_index() const {
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [](const Operand& o) { return o.access == Access::out; });
  QUERN_CHECK(found != operands.end());
  return static_cast<int>(found - operands.begin());
}

const Operand& LoopNest::output() const { return operands[output_index()]; }

bool LoopNest::has_reduction() const {
  return std::any_of(iterators.begin(), iterators.end(),
                     [](const Iterator& i) { return i.kind == IteratorKind::reduction; });
}

const Operand* LoopNest::staged() const {
  const auto found = std::find_if(operands.begin(), operands.end(),
                                  [](const Operand& o) { return o.staging.has_value(); });
  return found == operands.end() ? nullptr : &*found;
}

std::int64_t LoopNest::points() const {
  std::int64_t product = 1;
  for (const Iterator& iterator : iterators) product *= iterator.extent;
  return product;
}

namespace {

std::string print_map(const LoopNest& nest, const Operand& operand) {
  std::string terms;
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    const std::int64_t c = operand.map.coefficients[d];
    if (c == 0) continue;
    if (!terms.empty()) terms += " + ";
    terms += fmt::format("{}*{}", c, nest.iterators[d].name);
  }
  if (operand.map.offset != 0 || terms.empty()) {
    terms += fmt::format("{}{}", terms.empty() ? "" : " + ", operand.map.offset);
  }
  return fmt::format("a{}[{}]", operand.argument, terms);
}

std::string print_value(const LoopNest& nest, const Value& value) {
  switch (value.kind) {
    case Value::Kind::operand:
      return nest.operands[value.operand].name;
    case Value::Kind::accumulator:
      return "acc";
    case Value::Kind::zero:
      return "0";
  }
  return "?";
}

std::string_view name_of(ScalarOp op) {
  switch (op) {
    case ScalarOp::copy:
      return "copy";
    case ScalarOp::add:
      return "add";
    case ScalarOp::max:
      return "max";
    case ScalarOp::fma:
      return "fma";
  }
  return "?";
}

}  // namespace

std::string print(const LoopNest& nest) {
  std::string text = fmt::format("nest {} {}{} {{\n  domain", nest.name, name_of(nest.type),
                                 nest.lanes == 1     ? ""
                                 : nest.sums_lanes() ? fmt::format(" x{} partial sums", nest.lanes)
                                                     : fmt::format(" x{}", nest.lanes));
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    const Iterator& iterator = nest.iterators[d];
    text += fmt::format("{} {}: {} {}", d == 0 ? "" : ",", iterator.name, iterator.extent,
                        iterator.kind == IteratorKind::parallel ? "parallel" : "reduction");
  }
  text += "\n";
  for (const Operand& operand : nest.operands) {
    if (operand.access == Access::scalar) {
      text += fmt::format("  in  {}: {} = fa0\n", operand.name, name_of(operand.type));
    } else {
      text += fmt::format("  {} {}: {} = {}{}\n", operand.access == Access::in ? "in " : "out",
                          operand.name, name_of(operand.type), print_map(nest, operand),
                          operand.broadcast ? " in every lane" : "");
    }
    if (operand.staging) {
      text += fmt::format("  stage {} for each {}: {}\n", operand.name, nest.iterators[0].name,
                          print(*operand.staging));
    }
  }
  switch (nest.init) {
    case Init::none:
      break;
    case Init::zero:
      text += "  init 0\n";
      break;
    case Init::first:
      text += "  init first element\n";
      break;
    case Init::operand:
      text += fmt::format("  init {}\n", nest.operands[nest.init_operand].name);
      break;
    case Init::destination:
      text += fmt::format("  init {}\n", nest.output().name);
      break;
  }
  text += fmt::format("  body {}(", name_of(nest.body.op));
  for (std::size_t i = 0; i < nest.body.arguments.size(); ++i) {
    text += (i == 0 ? "" : ", ") + print_value(nest, nest.body.arguments[i]);
  }
  text += ")";
  if (nest.accumulator != nest.type) text += fmt::format(" in {}", name_of(nest.accumulator));
  text += "\n";
  if (nest.relu) text += "  then max(acc, 0)\n";
  return text + "}\n";
}

}  // namespace quern::generator::snitch
