#include "generator/snitch/lower_tile.h"

#include "base/error.h"

namespace quern::generator::snitch {
namespace {

using enum Opcode;

struct Operations {
  Opcode first, step;  // of a reduction; first: without an addend, if there is such a form
};

// Elementwise operations on words of the type.
Opcode elementwise_operation(ScalarOp op, const LoopNest& n) {
  constexpr Opcode kTable[3][4] = {{fmv_d, fadd_d, fmax_d, fmadd_d},
                                   {fmv_d, vfadd_s, vfmax_s, vfmul_s},
                                   {fmv_d, vfadd_h, vfmax_h, vfmul_h}};
  return kTable[n.lanes == 1 ? 0 : static_cast<int>(n.type)][static_cast<int>(op)];
}

Operations reduction_operations(const LoopNest& n) {
  const bool half = n.lanes > 1 && n.type == ScalarType::f16;
  switch (n.body.op) {
    case ScalarOp::fma:
      if (n.lanes == 1) return {fmul_d, fmadd_d};
      if (half) return {vfdotpex_s_h, vfdotpex_s_h};
      return n.sums_lanes() ? Operations{vfmul_s, vfmac_s} : Operations{vfmul_r_s, vfmac_r_s};
    case ScalarOp::add:
      if (half) return {vfsumex_s_h, vfsumex_s_h};
      [[fallthrough]];
    default: {
      const Opcode both = elementwise_operation(n.body.op, n);
      return {both, both};
    }
  }
}

}  // namespace

TileLowering::TileLowering(KernelBuilder& builder, const StreamNest& nest, bool frep)
    : b_(builder),
      s_(nest),
      n_(nest.nest),
      frep_(frep),
      jam_(nest.jam_factor()),
      length_(nest.reduction_length()) {
  if (!n_.has_reduction()) return;
  first_ = reduction_operations(n_).first;
  step_ = reduction_operations(n_).step;
  const bool biased = n_.init == Init::operand;
  loads_bias_ = biased && n_.lanes > 1 && !n_.sums_lanes();
  first_is_peeled_ = !reads_rd(first_) && !loads_bias_;
  last_is_peeled_ = !reads_rd(step_) && !n_.sums_lanes() && !n_.relu;
  middle_count_ = length_ - (first_is_peeled_ ? 1 : 0) - (last_is_peeled_ && length_ > 1 ? 1 : 0);
  middle_.value = middle_count_ - 1;
  // A single step is first and last at once.
  if (length_ > 1 || !last_is_peeled_) accumulators_ = registers(jam_, "accumulators");
  if (n_.sums_lanes()) sums_ = registers(jam_, "sums over the lanes");
  if (!biased) return;
  const Operand& bias = n_.operands[n_.init_operand];
  for (const TiledLoop& loop : s_.jam) {
    if (bias.map.coefficients[loop.iterator] != 0) bias_period_ = loop.extent;
  }
  if (!loads_bias_) bias_ = registers(bias_period_, bias.name);
}

std::vector<Count> TileLowering::counts() const {
  if (!frep_ || middle_count_ <= 1) return {};
  return {middle_};
}

bool TileLowering::streams_output() const {
  return s_.find(n_.output_index())->place == StreamedOperand::Place::stream;
}

Register TileLowering::output() const { return stream_register(s_.find(n_.output_index())->mover); }

Register TileLowering::value(const Value& v) {
  if (v.kind == Value::Kind::zero) return b_.float_zero();
  QUERN_CHECK(v.kind == Value::Kind::operand);
  const StreamedOperand* placed = s_.find(v.operand);
  if (placed->place == StreamedOperand::Place::stream) return stream_register(placed->mover);
  return b_.scalar(n_.type, n_.lanes);
}

std::vector<Register> TileLowering::registers(std::int64_t count, const std::string& role) {
  std::vector<Register> result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(b_.program.new_float(role));
  return result;
}

// Of the bias: a word of it where outputs are packed, else an element.
Node TileLowering::load(const Register& to, std::int64_t index) const {
  const std::int64_t size =
      loads_bias_ ? b_.machine.word : size_of(n_.operands[n_.init_operand].type);
  return instruction(size == 8 ? fld : flw, to, bias_pointer, {}, {}, index * size);
}

Block TileLowering::bias_loads() const {
  Block block;
  for (std::size_t i = 0; i < bias_.size(); ++i) {
    block.push_back(load(bias_[i], static_cast<std::int64_t>(i)));
  }
  return block;
}

void TileLowering::elementwise(Block& block) {
  const Register out = output();
  std::vector<Register> arguments;
  for (const Value& v : n_.body.arguments) arguments.push_back(value(v));
  const Opcode opcode = elementwise_operation(n_.body.op, n_);
  if (!splits_fma(n_)) {
    arguments.resize(3);
    for (std::int64_t i = 0; i < jam_; ++i) {
      block.push_back(instruction(opcode, out, arguments[0], arguments[1], arguments[2]));
    }
    return;
  }
  const std::vector<Register> products = registers(jam_, "products");
  for (const Register& product : products) {
    block.push_back(instruction(opcode, product, arguments[0], arguments[1]));
  }
  for (const Register& product : products) {
    block.push_back(
        instruction(elementwise_operation(ScalarOp::add, n_), out, product, arguments[2]));
  }
}

// to = x op y, or with an addend where the instruction has a place for it.
Node TileLowering::operation(Opcode opcode, const Register& to, const Register& addend) {
  const auto& a = n_.body.arguments;
  const Register x = value(a[0]);
  if (n_.body.op != ScalarOp::fma) {
    return info(opcode).form == Form::accumulate_1 ? instruction(opcode, to, x)
                                                   : instruction(opcode, to, x, addend);
  }
  // The operand that all lanes share comes second.
  const bool swap = a[0].kind == Value::Kind::operand && n_.operands[a[0].operand].broadcast;
  const Register y = value(a[1]);
  return instruction(opcode, to, swap ? y : x, swap ? x : y,
                     info(opcode).form == Form::ternary ? addend : Register{});
}

void TileLowering::first_step(Block& block, const std::vector<Register>& to) {
  for (std::int64_t i = 0; i < jam_; ++i) {
    if (!bias_.empty() && !n_.sums_lanes()) {
      block.push_back(operation(step_, to[i], bias_[i % bias_.size()]));
    } else if (n_.body.op == ScalarOp::max) {
      block.push_back(operation(first_, to[i], value(n_.body.arguments[0])));
    } else {
      block.push_back(
          operation(first_, to[i], n_.body.op == ScalarOp::add ? b_.float_zero() : Register{}));
    }
  }
}

void TileLowering::step(Block& block, const std::vector<Register>& to) {
  for (std::int64_t i = 0; i < jam_; ++i)
    block.push_back(operation(step_, to[i], accumulators_[i]));
}

void TileLowering::middle(Block& block) {
  if (middle_count_ == 0) return;
  Block body;
  step(body, accumulators_);
  if (middle_count_ == 1) {
    for (Node& node : body) block.push_back(std::move(node));
  } else if (frep_) {
    block.push_back(loop(middle_count_, middle_.reg, std::move(body), true, "reduction"));
  } else {
    block.push_back(
        loop(middle_count_, b_.program.new_integer("reduction loop"), std::move(body), false));
  }
}

// What follows the reduction when its last step could not write the stream.
void TileLowering::finish(Block& block) {
  if (n_.sums_lanes()) return sum_lanes(block);
  const Register out = output();
  for (const Register& acc : accumulators_) {
    block.push_back(n_.relu
                        ? instruction(n_.lanes > 1 ? vfmax_s : fmax_d, out, acc, b_.float_zero())
                        : instruction(fmv_d, out, acc));
  }
}

// Lanes are added into a register that starts at 0 (or the bias); a product, because it has the
// latency of what surrounds it and so never competes for the result port.
void TileLowering::sum_lanes(Block& block) {
  const Register zero = b_.float_zero();
  for (std::int64_t i = 0; i < jam_; ++i) {
    block.push_back(bias_.empty() ? instruction(fmul_d, sums_[i], zero, zero)
                                  : instruction(fmv_d, sums_[i], bias_[i % bias_.size()]));
  }
  for (std::int64_t i = 0; i < jam_; ++i) {
    block.push_back(instruction(vfsum_s, sums_[i], accumulators_[i]));
  }
  if (!streams_output()) {
    store_sums(block);
    return;
  }
  const Register out = output();
  for (std::int64_t i = 0; i < jam_; i += 2) {
    block.push_back(instruction(vfcpka_s_s, n_.relu ? sums_[i] : out, sums_[i], sums_[i + 1]));
  }
  if (!n_.relu) return;
  for (std::int64_t i = 0; i < jam_; i += 2) {
    block.push_back(instruction(vfmax_s, out, sums_[i], zero));
  }
}

void TileLowering::store_sums(Block& block) {
  const AffineMap& map = n_.output().map;
  if (n_.relu) {
    const Register zero = b_.boxed_zero(ScalarType::f32);
    for (const Register& sum : sums_) block.push_back(instruction(fmax_s, sum, sum, zero));
  }
  for (std::int64_t i = 0; i < jam_; ++i) {
    std::int64_t offset = 0, index = i;
    for (auto loop = s_.jam.rbegin(); loop != s_.jam.rend(); ++loop) {
      offset += index % loop->extent * map.coefficients[loop->iterator];
      index /= loop->extent;
    }
    block.push_back(instruction(fsw, {}, output_pointer, sums_[i], {}, offset));
  }
}

Block TileLowering::tile() {
  Block block;
  if (!n_.has_reduction()) {
    elementwise(block);
    return block;
  }
  const std::vector<Register> out(static_cast<std::size_t>(jam_),
                                  streams_output() ? output() : Register{});
  if (first_is_peeled_) {
    first_step(block, length_ == 1 && last_is_peeled_ ? out : accumulators_);
  } else {
    for (std::size_t i = 0; i < accumulators_.size(); ++i) {
      const Register zero = b_.float_zero();
      block.push_back(loads_bias_
                          ? load(accumulators_[i], static_cast<std::int64_t>(i) % bias_period_)
                          : instruction(fmul_d, accumulators_[i], zero, zero));
    }
  }
  middle(block);
  if (last_is_peeled_) {
    if (length_ > 1) step(block, out);
  } else {
    finish(block);
  }
  return block;
}

}  // namespace quern::generator::snitch
