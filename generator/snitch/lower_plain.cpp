// The plain lowering: the nest as integer loops, one output at a time. What is not in a stream is
// loaded and stored by instructions.
//
//   for m { for n {
//     acc = init
//     for k { acc = op(load A, load B, acc) }      one loop or FREP where all inputs are streams
//     store acc
//   } }
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {
namespace {

using Place = StreamedOperand::Place;

Opcode load_opcode(ScalarType type) {
  return type == ScalarType::f64   ? Opcode::fld
         : type == ScalarType::f32 ? Opcode::flw
                                   : Opcode::flh;
}

Opcode store_opcode(ScalarType type) {
  return type == ScalarType::f64   ? Opcode::fsd
         : type == ScalarType::f32 ? Opcode::fsw
                                   : Opcode::fsh;
}

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
      : b_(builder), n_(nest), s_(streams), options_(options) {
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

  Register address(Block& block, int operand, std::int64_t& offset);
  Register load(Block& block, int operand);
  Register fetch(Block& block, const Value& value, Register accumulator);
  void store(Block& block, Register value);
  void compute(Block& block, Register to, Register accumulator);
  void start_pointers();
  void advance(Block& block, int level);
  Block point();
  Block reduction_loops(Block body);
  Block index_loop(int iterator, Block body);

  KernelBuilder& b_;
  const LoopNest& n_;
  const StreamNest* s_;
  const PlainOptions options_;
  std::vector<int> parallel_, reduction_;
  std::vector<Register> index_;    // literal: of each iterator
  std::vector<Register> pointer_;  // pointers: of each operand
  Register reduction_count_{};
};

Register PlainLowering::address(Block& block, int operand, std::int64_t& offset) {
  const Operand& o = n_.operands[operand];
  if (options_.addressing == Addressing::pointers) {
    offset = 0;
    return pointer_[operand];
  }
  // offset + sum of coefficient * index, evaluated in full at every access.
  offset = o.map.offset;
  Register sum = argument_register(o.argument);
  for (std::size_t d = 0; d < n_.iterators.size(); ++d) {
    const std::int64_t c = o.map.coefficients[d];
    if (c == 0) continue;
    const Register term = b_.program.new_integer("address");
    if ((c & (c - 1)) == 0) {
      int shift = 0;
      while ((std::int64_t{1} << shift) < c) ++shift;
      block.push_back(instruction(Opcode::slli, term, index_[d], {}, {}, shift));
    } else {
      const Register factor = b_.constant(block, c, "address");
      block.push_back(instruction(Opcode::mul, term, index_[d], factor));
    }
    const Register next = b_.program.new_integer("address");
    block.push_back(instruction(Opcode::add, next, sum, term));
    sum = next;
  }
  if (offset < -2048 || offset > 2047) {
    const Register moved = b_.program.new_integer("address");
    b_.add_immediate(block, moved, sum, offset);
    offset = 0;
    sum = moved;
  }
  return sum;
}

Register PlainLowering::load(Block& block, int operand) {
  const Operand& o = n_.operands[operand];
  std::int64_t offset = 0;
  const Register base = address(block, operand, offset);
  Register value = b_.program.new_float(o.name);
  block.push_back(instruction(load_opcode(o.type), value, base, {}, {}, offset));
  if (o.type == ScalarType::f16 && n_.accumulator == ScalarType::f32) {
    const Register wide = b_.program.new_float(o.name + " as f32");
    block.push_back(instruction(Opcode::fcvt_s_h, wide, value));
    value = wide;
  }
  return value;
}

Register PlainLowering::fetch(Block& block, const Value& value, Register accumulator) {
  switch (value.kind) {
    case Value::Kind::accumulator:
      return accumulator;
    case Value::Kind::zero:
      return b_.boxed_zero(n_.accumulator);
    case Value::Kind::operand:
      break;
  }
  if (streamed(value.operand)) return stream_register(placed(value.operand)->mover);
  if (n_.operands[value.operand].access == Access::scalar) {
    // A scalar register must be NaN-boxed for scalar arithmetic, the packed value is not.
    if (n_.type != ScalarType::f16) return scalar_argument;
    const Register half = b_.program.new_float("scalar argument");
    block.push_back(instruction(Opcode::fcvt_h_s, half, scalar_argument));
    return half;
  }
  return load(block, value.operand);
}

void PlainLowering::store(Block& block, Register value) {
  const int output = n_.output_index();
  if (n_.relu) {
    const Register positive = b_.program.new_float("result");
    block.push_back(instruction(arithmetic(ScalarOp::max, n_.accumulator), positive, value,
                                b_.boxed_zero(n_.accumulator)));
    value = positive;
  }
  if (streamed(output)) {
    block.push_back(instruction(Opcode::fmv_d, stream_register(placed(output)->mover), value));
    return;
  }
  std::int64_t offset = 0;
  const Register base = address(block, output, offset);
  block.push_back(instruction(store_opcode(n_.output().type), {}, base, value, {}, offset));
}

void PlainLowering::compute(Block& block, Register to, Register accumulator) {
  std::vector<Register> a;
  for (const Value& v : n_.body.arguments) a.push_back(fetch(block, v, accumulator));
  const Opcode opcode = arithmetic(n_.body.op, n_.accumulator);
  switch (n_.body.op) {
    case ScalarOp::copy:
      block.push_back(instruction(opcode, to, a[0]));
      break;
    case ScalarOp::add:
    case ScalarOp::max:
      block.push_back(instruction(opcode, to, a[0], a[1]));
      break;
    case ScalarOp::fma:
      if (splits_fma(n_)) {
        // As the packed lowering does, so that all elements are rounded alike.
        const Register product = b_.program.new_float("product");
        block.push_back(instruction(n_.type == ScalarType::f16 ? Opcode::fmul_h : Opcode::fmul_s,
                                    product, a[0], a[1]));
        block.push_back(instruction(arithmetic(ScalarOp::add, n_.type), to, product, a[2]));
      } else {
        block.push_back(instruction(opcode, to, a[0], a[1], a[2]));
      }
  }
}

void PlainLowering::start_pointers() {
  pointer_.resize(n_.operands.size());
  for (std::size_t i = 0; i < n_.operands.size(); ++i) {
    if (!in_memory(static_cast<int>(i))) continue;
    const Operand& o = n_.operands[i];
    pointer_[i] = b_.program.new_integer(o.name + " pointer");
    b_.add_immediate(b_.body, pointer_[i], argument_register(o.argument), o.map.offset);
  }
}

// At the end of one iteration of loop `level` every pointer has moved by its coefficient in total.
void PlainLowering::advance(Block& block, int level) {
  for (std::size_t i = 0; i < n_.operands.size(); ++i) {
    if (pointer_[i].kind == Register::Kind::none) continue;
    const AffineMap& map = n_.operands[i].map;
    std::int64_t step = map.coefficients[level];
    if (level + 1 < static_cast<int>(n_.iterators.size())) {
      step -= map.coefficients[level + 1] * n_.iterators[level + 1].extent;
    }
    if (step != 0) b_.add_immediate(block, pointer_[i], pointer_[i], step);
  }
}

Block PlainLowering::index_loop(int iterator, Block body) {
  Block result;
  const Iterator& it = n_.iterators[iterator];
  if (options_.addressing == Addressing::pointers) {
    advance(body, iterator);
  } else {
    result.push_back(instruction(Opcode::li, index_[iterator], {}, {}, {}, 0));
    body.push_back(instruction(Opcode::addi, index_[iterator], index_[iterator], {}, {}, 1));
  }
  result.push_back(
      loop(it.extent, b_.program.new_integer(it.name + " loop"), std::move(body), false));
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

// One output.
Block PlainLowering::point() {
  Block block;
  if (!n_.has_reduction()) {
    const int output = n_.output_index();
    const Register to =
        streamed(output) ? stream_register(placed(output)->mover) : b_.program.new_float("result");
    compute(block, to, {});
    if (!streamed(output)) store(block, to);
    return block;
  }
  if (accumulates_in_memory()) {
    Block body;
    const Register acc = load(body, n_.output_index());
    const Register sum = b_.program.new_float("result");
    compute(body, sum, acc);
    store(body, sum);
    return reduction_loops(std::move(body));
  }
  const Register acc = b_.program.new_float("accumulator");
  switch (n_.init) {
    case Init::zero:
      block.push_back(instruction(Opcode::fmv_d, acc, b_.boxed_zero(n_.accumulator)));
      break;
    case Init::operand:
      block.push_back(instruction(Opcode::fmv_d, acc, load(block, n_.init_operand)));
      break;
    case Init::destination: {
      std::int64_t offset = 0;
      const Register base = address(block, n_.output_index(), offset);
      block.push_back(instruction(load_opcode(n_.output().type), acc, base, {}, {}, offset));
      break;
    }
    case Init::first: {
      // max(x, NaN) is x: a quiet NaN is the identity. All ones is one in every format, boxed or
      // not.
      const Register none = b_.program.new_integer("no maximum yet");
      block.push_back(instruction(Opcode::li, none, {}, {}, {}, -1));
      block.push_back(instruction(Opcode::fmv_w_x, acc, none));
      break;
    }
    case Init::none:
      QUERN_CHECK(false);
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
  for (const Iterator& it : n_.iterators) {
    index_.push_back(b_.program.new_integer("index " + it.name));
  }
  if (options_.addressing == Addressing::pointers) start_pointers();
  Block body = point();
  for (auto d = parallel_.rbegin(); d != parallel_.rend(); ++d) {
    body = index_loop(*d, std::move(body));
  }
  for (Node& node : body) b_.body.push_back(std::move(node));
}

}  // namespace

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
