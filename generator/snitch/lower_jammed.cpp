// The fast path. For a reduction of K steps and U accumulators, one tile is
//
//     U x first step        acc = x * y               (or + bias: no separate initialisation)
//     frep K-2 { U x step } acc = x * y + acc
//     U x last step         ft2 = x * y + acc         (straight into the write stream)
//
// that is U*K instructions and nothing else, and all tiles run as one FREP nest. Where the last
// step cannot write the stream (relu, packed partial sums), it stays in the loop and a finish
// follows.
#include <fmt/format.h>

#include "base/error.h"
#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {
namespace {

struct Operations {
  Opcode multiply, multiply_add, add, max;
};

Operations operations(const LoopNest& nest) {
  using enum Opcode;
  if (nest.lanes == 1) return {fmul_d, fmadd_d, fadd_d, fmax_d};
  if (nest.type == ScalarType::f32) return {vfmul_s, vfmac_s, vfadd_s, vfmax_s};
  // Packed halves: reductions widen (vfdotpex), elementwise operations do not.
  return {vfmul_h, vfdotpex_s_h, vfadd_h, vfmax_h};
}

class JammedLowering {
 public:
  JammedLowering(KernelBuilder& builder, const StreamNest& nest, bool frep)
      : b_(builder),
        s_(nest),
        n_(nest.nest),
        frep_(frep),
        ops_(operations(nest.nest)),
        jam_(nest.jam_factor()),
        length_(nest.reduction_length()),
        packed_reduction_(nest.nest.lanes > 1 && nest.nest.has_reduction()) {}

  void run();

 private:
  Register value(const Value& v) {
    if (v.kind == Value::Kind::zero) return b_.float_zero();
    QUERN_CHECK(v.kind == Value::Kind::operand);
    const StreamedOperand* placed = s_.find(v.operand);
    if (placed->place == StreamedOperand::Place::stream) return stream_register(placed->mover);
    return b_.scalar(n_.type, n_.lanes);
  }
  bool streams_output() const {
    return s_.find(n_.output_index())->place == StreamedOperand::Place::stream;
  }
  Register output() const { return stream_register(s_.find(n_.output_index())->mover); }
  std::vector<Register> registers(std::int64_t count, const std::string& role) {
    std::vector<Register> result;
    for (std::int64_t i = 0; i < count; ++i) result.push_back(b_.program.new_float(role));
    return result;
  }

  void plan();
  void elementwise(Block& block);
  void first_step(Block& block, const std::vector<Register>& to);
  void step(Block& block, const std::vector<Register>& to);
  void middle(Block& block);
  void finish(Block& block);
  void store_sums(Block& block);
  Block tile();
  Block integer_loops(Block inner);

  KernelBuilder& b_;
  const StreamNest& s_;
  const LoopNest& n_;
  const bool frep_;
  const Operations ops_;
  const std::int64_t jam_, length_;
  const bool packed_reduction_;

  bool first_is_peeled_ = true, last_is_peeled_ = false;
  std::int64_t middle_count_ = 0;
  bool middle_is_loop_ = false, tiles_are_loop_ = false;
  std::vector<Register> accumulators_, bias_, sums_;
  Register output_pointer_{};  // where results are stored one by one
  Count middle_{0, "reduction count", {}}, tiles_{0, "tile count", {}};
};

void JammedLowering::plan() {
  if (!n_.has_reduction()) return;
  // vfdotpex has no form without an addend: its accumulators start at 0.
  first_is_peeled_ = !(packed_reduction_ && n_.type == ScalarType::f16);
  last_is_peeled_ = !packed_reduction_ && !n_.relu;
  middle_count_ = length_ - (first_is_peeled_ ? 1 : 0) - (last_is_peeled_ && length_ > 1 ? 1 : 0);
  middle_is_loop_ = middle_count_ > 1;
  // A single step is first and last at once.
  if (length_ > 1 || !last_is_peeled_) accumulators_ = registers(jam_, "accumulators");
  if (packed_reduction_) sums_ = registers(jam_, "sums over the lanes");
  if (n_.init == Init::operand) {
    const Operand& bias = n_.operands[n_.init_operand];
    bool moves = false;
    for (const TiledLoop& loop : s_.jam) moves |= bias.map.coefficients[loop.iterator] != 0;
    bias_ = registers(moves ? s_.jam.back().extent : 1, bias.name);
  }
}

void JammedLowering::elementwise(Block& block) {
  const Register out = output();
  std::vector<Register> arguments;
  for (const Value& v : n_.body.arguments) arguments.push_back(value(v));
  switch (n_.body.op) {
    case ScalarOp::copy:
      for (std::int64_t i = 0; i < jam_; ++i) {
        block.push_back(instruction(Opcode::fmv_d, out, arguments[0]));
      }
      break;
    case ScalarOp::add:
    case ScalarOp::max:
      for (std::int64_t i = 0; i < jam_; ++i) {
        block.push_back(instruction(n_.body.op == ScalarOp::add ? ops_.add : ops_.max, out,
                                    arguments[0], arguments[1]));
      }
      break;
    case ScalarOp::fma:
      if (!splits_fma(n_)) {
        for (std::int64_t i = 0; i < jam_; ++i) {
          block.push_back(
              instruction(ops_.multiply_add, out, arguments[0], arguments[1], arguments[2]));
        }
        break;
      }
      const std::vector<Register> products = registers(jam_, "products");
      for (const Register& product : products) {
        block.push_back(instruction(ops_.multiply, product, arguments[0], arguments[1]));
      }
      for (const Register& product : products) {
        block.push_back(instruction(ops_.add, out, product, arguments[2]));
      }
  }
}

void JammedLowering::first_step(Block& block, const std::vector<Register>& to) {
  const Register x = value(n_.body.arguments[0]);
  for (std::int64_t i = 0; i < jam_; ++i) {
    switch (n_.body.op) {
      case ScalarOp::fma: {
        const Register y = value(n_.body.arguments[1]);
        if (n_.init == Init::operand && !packed_reduction_) {
          block.push_back(instruction(ops_.multiply_add, to[i], x, y, bias_[i % bias_.size()]));
        } else {
          block.push_back(instruction(ops_.multiply, to[i], x, y));
        }
        break;
      }
      case ScalarOp::max:
        block.push_back(instruction(ops_.max, to[i], x, x));
        break;
      case ScalarOp::add:
        block.push_back(instruction(ops_.add, to[i], x, b_.float_zero()));
        break;
      case ScalarOp::copy:
        QUERN_CHECK(false);
    }
  }
}

void JammedLowering::step(Block& block, const std::vector<Register>& to) {
  const Register x = value(n_.body.arguments[0]);
  for (std::int64_t i = 0; i < jam_; ++i) {
    const Register& acc = accumulators_[i];
    switch (n_.body.op) {
      case ScalarOp::fma: {
        const Register y = value(n_.body.arguments[1]);
        block.push_back(packed_reduction_ ? instruction(ops_.multiply_add, to[i], x, y)
                                          : instruction(ops_.multiply_add, to[i], x, y, acc));
        break;
      }
      case ScalarOp::max:
        block.push_back(instruction(ops_.max, to[i], x, acc));
        break;
      case ScalarOp::add:
        block.push_back(instruction(ops_.add, to[i], x, acc));
        break;
      case ScalarOp::copy:
        QUERN_CHECK(false);
    }
  }
}

void JammedLowering::middle(Block& block) {
  if (middle_count_ == 0) return;
  Block body;
  step(body, accumulators_);
  if (!middle_is_loop_) {
    for (Node& node : body) block.push_back(std::move(node));
  } else if (frep_) {
    block.push_back(loop(middle_count_, middle_.reg, std::move(body), true, "reduction"));
  } else {
    block.push_back(
        loop(middle_count_, b_.program.new_integer("reduction loop"), std::move(body), false));
  }
}

// What follows the reduction when its last step could not write the stream.
void JammedLowering::finish(Block& block) {
  const Register zero = b_.float_zero();
  if (!packed_reduction_) {
    const Register out = output();
    for (const Register& acc : accumulators_) {
      block.push_back(instruction(ops_.max, out, acc, zero));
    }
    return;
  }
  // Lanes are added into a register that starts at 0 (or the bias); a product, because it has the
  // latency of what surrounds it and so never competes for the result port.
  for (std::int64_t i = 0; i < jam_; ++i) {
    block.push_back(bias_.empty() ? instruction(Opcode::fmul_d, sums_[i], zero, zero, {}, 0)
                                  : instruction(Opcode::fmv_d, sums_[i], bias_[i % bias_.size()]));
  }
  for (std::int64_t i = 0; i < jam_; ++i) {
    block.push_back(instruction(Opcode::vfsum_s, sums_[i], accumulators_[i]));
  }
  if (!streams_output()) {
    store_sums(block);
    return;
  }
  const Register out = output();
  for (std::int64_t i = 0; i < jam_; i += 2) {
    block.push_back(
        instruction(Opcode::vfcpka_s_s, n_.relu ? sums_[i] : out, sums_[i], sums_[i + 1]));
  }
  if (!n_.relu) return;
  for (std::int64_t i = 0; i < jam_; i += 2) {
    block.push_back(instruction(Opcode::vfmax_s, out, sums_[i], zero));
  }
}

void JammedLowering::store_sums(Block& block) {
  const AffineMap& map = n_.output().map;
  if (n_.relu) {
    const Register zero = b_.boxed_zero(ScalarType::f32);
    for (const Register& sum : sums_) block.push_back(instruction(Opcode::fmax_s, sum, sum, zero));
  }
  for (std::int64_t i = 0; i < jam_; ++i) {
    std::int64_t offset = 0, index = i;
    for (auto loop = s_.jam.rbegin(); loop != s_.jam.rend(); ++loop) {
      offset += index % loop->extent * map.coefficients[loop->iterator];
      index /= loop->extent;
    }
    block.push_back(instruction(Opcode::fsw, {}, output_pointer_, sums_[i], {}, offset));
  }
}

Block JammedLowering::tile() {
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
    for (const Register& acc : accumulators_) {
      block.push_back(instruction(Opcode::fmul_d, acc, b_.float_zero(), b_.float_zero()));
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

// Wraps `inner` in the integer loops; pointers that the streams do not advance themselves move
// here.
Block JammedLowering::integer_loops(Block inner) {
  if (s_.hoisted.empty()) return inner;
  struct Moving {
    const StreamedOperand* operand;
    Register pointer;
  };
  std::vector<Moving> moving;
  for (const StreamedOperand& o : s_.operands) {
    const bool kept = o.operand == n_.init_operand;
    if (o.place == StreamedOperand::Place::memory) {
      moving.push_back({&o, output_pointer_});
      continue;
    }
    if ((o.place != StreamedOperand::Place::stream || o.covers_hoisted) && !kept) continue;
    const Operand& operand = n_.operands[o.operand];
    const Register pointer = b_.program.new_integer(operand.name + " pointer");
    b_.add_immediate(b_.body, pointer, argument_register(operand.argument), operand.map.offset);
    moving.push_back({&o, pointer});
  }
  Block block;
  for (const Moving& m : moving) {
    if (m.operand->operand == n_.init_operand) {
      for (std::size_t i = 0; i < bias_.size(); ++i) {
        const Operand& bias = n_.operands[n_.init_operand];
        block.push_back(instruction(size_of(bias.type) == 8 ? Opcode::fld : Opcode::flw, bias_[i],
                                    m.pointer, {}, {},
                                    static_cast<std::int64_t>(i) * size_of(bias.type)));
      }
    } else if (m.operand->place == StreamedOperand::Place::stream) {
      block.push_back(start_stream(s_, *m.operand, m.pointer));
    }
  }
  for (Node& node : inner) block.push_back(std::move(node));
  for (auto at = s_.hoisted.rbegin(); at != s_.hoisted.rend(); ++at) {
    for (const Moving& m : moving) {
      const AffineMap& map = n_.operands[m.operand->operand].map;
      std::int64_t step = map.coefficients[at->iterator] * at->step;
      if (at != s_.hoisted.rbegin()) {
        const TiledLoop& inside = *(at - 1);
        step -= map.coefficients[inside.iterator] * inside.step * inside.extent;
      }
      b_.add_immediate(block, m.pointer, m.pointer, step);
    }
    Block wrapped;
    wrapped.push_back(loop(at->extent,
                           b_.program.new_integer(n_.iterators[at->iterator].name + " loop"),
                           std::move(block), false));
    block = std::move(wrapped);
  }
  return block;
}

void JammedLowering::run() {
  plan();
  if (!streams_output()) {
    output_pointer_ = b_.program.new_integer(n_.output().name + " pointer");
    b_.add_immediate(b_.body, output_pointer_, argument_register(n_.output().argument),
                     n_.output().map.offset);
  }
  const std::int64_t tiles = s_.tile_count();
  // Body and counts depend on each other: the body's size decides whether the tiles fit in the
  // sequencer.
  const std::int64_t entries = sequencer_entries(tile());
  tiles_are_loop_ = frep_ && tiles > 1 && entries <= b_.machine.sequencer_entries &&
                    tiles <= b_.machine.frep_iterations;
  std::vector<Count> counts;
  if (frep_ && middle_is_loop_) counts.push_back({middle_count_ - 1, middle_.role, {}});
  if (tiles_are_loop_) counts.push_back({tiles - 1, tiles_.role, {}});

  Block setup;
  lower_stream_setup(b_, setup, s_, counts);
  b_.streams_on(setup);
  for (Node& node : setup) b_.body.push_back(std::move(node));
  if (frep_ && middle_is_loop_) middle_.reg = counts.front().reg;
  if (tiles_are_loop_) tiles_.reg = counts.back().reg;

  if (s_.hoisted.empty() && !bias_.empty()) {
    const Operand& bias = n_.operands[n_.init_operand];
    for (std::size_t i = 0; i < bias_.size(); ++i) {
      b_.body.push_back(
          instruction(size_of(bias.type) == 8 ? Opcode::fld : Opcode::flw, bias_[i],
                      argument_register(bias.argument), {}, {},
                      bias.map.offset + static_cast<std::int64_t>(i) * size_of(bias.type)));
    }
  }
  Block body = tile();
  if (tiles > 1) {
    Block wrapped;
    wrapped.push_back(loop(tiles,
                           tiles_are_loop_ ? tiles_.reg : b_.program.new_integer("tile loop"),
                           std::move(body), tiles_are_loop_, "tiles"));
    body = std::move(wrapped);
  }
  for (Node& node : integer_loops(std::move(body))) b_.body.push_back(std::move(node));
}

}  // namespace

bool splits_fma(const LoopNest& nest) {
  return nest.body.op == ScalarOp::fma && !nest.has_reduction() &&
         (nest.lanes > 1 || nest.type != ScalarType::f64);
}

void lower_jammed(KernelBuilder& builder, const StreamNest& nest, bool frep) {
  JammedLowering(builder, nest, frep).run();
}

}  // namespace quern::generator::snitch
