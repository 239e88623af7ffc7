// The plain lowering: the nest as integer loops, one output at a time. What is not in a stream is
// loaded and stored by instructions.
//
//   for m { for n {
//     acc = init
//     for k { acc = op(load A, load B, acc) }      one loop or FREP where all inputs are streams
//     store acc
//   } }
#include <algorithm>

#include "base/error.h"
#include "generator/snitch/memory_operands.h"

namespace quern::generator::snitch {
namespace {

using Place = StreamedOperand::Place;

Opcode arithmetic(ScalarOp op, ScalarType type) {
  using enum Opcode;
  constexpr Opcode kTable[3][4] = {{fmv_d, fadd_d, fmax_d, fmadd_d},
                                   {fmv_s, fadd_s, fmax_s, fmadd_s},
                                   {fmv_d, fadd_h, fmax_h, fadd_h}};
  return kTable[static_cast<int>(type)][static_cast<int>(op)];
}

class PlainLowering {
 public:
  PlainLowering(KernelBuilder& builder, const LoopNest& nest, const StreamNest* streams,
                const PlainOptions& options)
      : b_(builder),
        n_(nest),
        s_(streams),
        options_(options),
        memory_(builder, nest, options.addressing, options.jam) {
    for (std::size_t d = 0; d < n_.iterators.size(); ++d) {
      (n_.iterators[d].kind == IteratorKind::parallel ? parallel_ : reduction_)
          .push_back(static_cast<int>(d));
    }
  }

  void run();

 private:
  const StreamedOperand* placed(int operand) const {
    return s_ == nullptr ? nullptr : s_->find(operand);
  }
  bool streamed(int operand) const {
    const StreamedOperand* p = placed(operand);
    return p != nullptr && p->place == Place::stream;
  }
  bool in_memory(int operand) const {
    return n_.operands[operand].access != Access::scalar && !streamed(operand);
  }
  // Accumulators start in memory or have to be read from there.
  bool accumulates_in_memory() const {
    return n_.has_reduction() && !options_.scalar_replacement && n_.init == Init::destination;
  }
  // Nothing but FP instructions in the reduction.
  bool reduction_is_floating() const {
    if (accumulates_in_memory()) return false;
    for (const Value& v : n_.body.arguments) {
      if (v.kind == Value::Kind::operand && in_memory(v.operand)) return false;
    }
    return true;
  }

  using Registers = MemoryOperands::Registers;

  Registers registers(const std::string& role) {
    Registers result;
    for (std::int64_t u = 0; u < options_.jam; ++u) result.push_back(b_.program.new_float(role));
    return result;
  }

  Registers fetch(Block& block, const Value& value, const Registers& accumulators);
  void store(Block& block, Registers values);
  void compute(Block& block, const Registers& to, const Registers& accumulators);
  Block point();
  Block reduction_loops(Block body);
  Block index_loop(int iterator, Block body);

  KernelBuilder& b_;
  const LoopNest& n_;
  const StreamNest* s_;
  const PlainOptions options_;
  MemoryOperands memory_;
  std::vector<int> parallel_, reduction_;
  Register reduction_count_{};
};

PlainLowering::Registers PlainLowering::fetch(Block& block, const Value& value,
                                              const Registers& accumulators) {
  const auto everywhere = [&](const Register& reg) {
    return Registers(static_cast<std::size_t>(options_.jam), reg);
  };
  switch (value.kind) {
    case Value::Kind::accumulator:
      return accumulators;
    case Value::Kind::zero:
      return everywhere(b_.boxed_zero(n_.accumulator));
    case Value::Kind::operand:
      break;
  }
  if (streamed(value.operand)) return everywhere(stream_register(placed(value.operand)->mover));
  if (n_.operands[value.operand].access == Access::scalar) {
    // A scalar register must be NaN-boxed for scalar arithmetic, the packed value is not.
    if (n_.type != ScalarType::f16) return everywhere(scalar_argument);
    const Register half = b_.program.new_float("scalar argument");
    block.push_back(instruction(Opcode::fcvt_h_s, half, scalar_argument));
    return everywhere(half);
  }
  return memory_.load(block, value.operand);
}

void PlainLowering::store(Block& block, Registers values) {
  const int output = n_.output_index();
  if (n_.relu) {
    for (Register& value : values) {
      const Register positive = b_.program.new_float("result");
      block.push_back(instruction(arithmetic(ScalarOp::max, n_.accumulator), positive, value,
                                  b_.boxed_zero(n_.accumulator)));
      value = positive;
    }
  }
  for (std::int64_t u = 0; u < options_.jam; ++u) {
    if (streamed(output)) {
      block.push_back(
          instruction(Opcode::fmv_d, stream_register(placed(output)->mover), values[u]));
      continue;
    }
    memory_.store_result(block, values[u], u);
  }
}

void PlainLowering::compute(Block& block, const Registers& to, const Registers& accumulators) {
  std::vector<Registers> a;
  for (const Value& v : n_.body.arguments) a.push_back(fetch(block, v, accumulators));
  const Opcode opcode = arithmetic(n_.body.op, n_.accumulator);
  const bool split = splits_fma(n_);
  Registers products;
  if (split) {
    // As the packed lowering does, so that all elements are rounded alike.
    products = registers("product");
    const Opcode multiply = n_.type == ScalarType::f16 ? Opcode::fmul_h : Opcode::fmul_s;
    for (std::int64_t u = 0; u < options_.jam; ++u) {
      block.push_back(instruction(multiply, products[u], a[0][u], a[1][u]));
    }
  }
  for (std::int64_t u = 0; u < options_.jam; ++u) {
    switch (n_.body.op) {
      case ScalarOp::copy:
        block.push_back(instruction(opcode, to[u], a[0][u]));
        break;
      case ScalarOp::add:
      case ScalarOp::max:
        block.push_back(instruction(opcode, to[u], a[0][u], a[1][u]));
        break;
      case ScalarOp::fma:
        block.push_back(
            split ? instruction(arithmetic(ScalarOp::add, n_.type), to[u], products[u], a[2][u])
                  : instruction(opcode, to[u], a[0][u], a[1][u], a[2][u]));
    }
  }
}

Block PlainLowering::index_loop(int iterator, Block body) {
  Block result;
  const Iterator& it = n_.iterators[iterator];
  const std::int64_t jam = !parallel_.empty() && iterator == parallel_.back() ? options_.jam : 1;
  memory_.enter(result, iterator);
  memory_.next(body, iterator);
  result.push_back(
      loop(it.extent / jam, b_.program.new_integer(it.name + " loop"), std::move(body), false));
  return result;
}

Block PlainLowering::reduction_loops(Block body) {
  if (s_ != nullptr && reduction_is_floating()) {
    const std::int64_t count = s_->reduction_length();
    Block result;
    if (options_.frep && count > 1) {
      result.push_back(loop(count, reduction_count_, std::move(body), true, "reduction"));
    } else {
      result.push_back(
          loop(count, b_.program.new_integer("reduction loop"), std::move(body), false));
    }
    return result;
  }
  for (auto d = reduction_.rbegin(); d != reduction_.rend(); ++d) {
    body = index_loop(*d, std::move(body));
  }
  return body;
}

// One output, or the jammed ones.
Block PlainLowering::point() {
  Block block;
  const int output = n_.output_index();
  if (!n_.has_reduction()) {
    const Registers to = streamed(output) ? Registers(static_cast<std::size_t>(options_.jam),
                                                      stream_register(placed(output)->mover))
                                          : registers("result");
    compute(block, to, {});
    if (!streamed(output)) store(block, to);
    return block;
  }
  if (accumulates_in_memory()) {
    Block body;
    const Registers acc = memory_.load(body, output), sum = registers("result");
    compute(body, sum, acc);
    store(body, sum);
    return reduction_loops(std::move(body));
  }
  const Registers acc = registers("accumulator");
  Registers start;
  switch (n_.init) {
    case Init::zero:
      start = Registers(acc.size(), b_.boxed_zero(n_.accumulator));
      break;
    case Init::operand:
      start = memory_.load(block, n_.init_operand);
      break;
    case Init::first: {
      // max(x, NaN) is x: a quiet NaN is the identity. All ones is one in every format, boxed or
      // not.
      const Register none = b_.program.new_integer("no maximum yet");
      const Register nan = b_.program.new_float("no maximum yet");
      block.push_back(instruction(Opcode::li, none, {}, {}, {}, -1));
      block.push_back(instruction(Opcode::fmv_w_x, nan, none));
      start = Registers(acc.size(), nan);
      break;
    }
    case Init::destination:
      memory_.load_results(block, acc);
      break;
    case Init::none:
      QUERN_CHECK(false);
  }
  for (std::size_t u = 0; u < start.size(); ++u) {
    block.push_back(instruction(Opcode::fmv_d, acc[u], start[u]));
  }
  Block body;
  compute(body, acc, acc);
  for (Node& node : reduction_loops(std::move(body))) block.push_back(std::move(node));
  store(block, acc);
  return block;
}

void PlainLowering::run() {
  const bool one_loop = s_ != nullptr && n_.has_reduction() && reduction_is_floating();
  if (s_ != nullptr) {
    std::vector<Count> counts;
    if (one_loop && options_.frep && s_->reduction_length() > 1) {
      counts.push_back({s_->reduction_length() - 1, "reduction count", {}});
    }
    Block setup;
    lower_stream_setup(b_, setup, *s_, counts);
    b_.streams_on(setup);
    for (Node& node : setup) b_.body.push_back(std::move(node));
    if (!counts.empty()) reduction_count_ = counts.front().reg;
  }
  std::vector<bool> memory;
  for (std::size_t i = 0; i < n_.operands.size(); ++i) {
    memory.push_back(in_memory(static_cast<int>(i)));
  }
  memory_.start(memory);
  Block body = point();
  for (auto d = parallel_.rbegin(); d != parallel_.rend(); ++d) {
    body = index_loop(*d, std::move(body));
  }
  for (Node& node : body) b_.body.push_back(std::move(node));
}

}  // namespace

std::int64_t plain_jam(const LoopNest& nest, std::int64_t most) {
  constexpr std::int64_t kOffset = 2047;
  std::int64_t step = 1, extent = 1;
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    if (nest.iterators[d].kind != IteratorKind::parallel) continue;
    extent = nest.iterators[d].extent;
    step = 1;
    for (const Operand& o : nest.operands) step = std::max(step, o.map.coefficients[d]);
  }
  return std::min({most, extent, kOffset / step + 1});
}

void lower_plain(KernelBuilder& builder, const LoopNest& nest, const StreamNest* streams,
                 const PlainOptions& options) {
  PlainLowering(builder, nest, streams, options).run();
}

void lower_drain(KernelBuilder& builder) {
  const int mover = static_cast<int>(builder.machine.movers) - 1;
  builder.body.push_back(
      instruction(Opcode::drain, builder.program.new_integer("stream status"), {}, {}, {}, mover));
}

}  // namespace quern::generator::snitch
