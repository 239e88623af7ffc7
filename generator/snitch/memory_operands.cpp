#include "generator/snitch/memory_operands.h"

namespace quern::generator::snitch {
namespace {

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

}  // namespace

MemoryOperands::MemoryOperands(KernelBuilder& builder, const LoopNest& nest, Addressing addressing,
                               std::int64_t jam)
    : b_(builder), n_(nest), addressing_(addressing), jam_(jam) {
  for (std::size_t d = 0; d < n_.iterators.size(); ++d) {
    if (n_.iterators[d].kind == IteratorKind::parallel) jammed_ = static_cast<int>(d);
  }
}

void MemoryOperands::start(const std::vector<bool>& in_memory) {
  for (const Iterator& it : n_.iterators) {
    index_.push_back(b_.program.new_integer("index " + it.name));
  }
  pointer_.resize(n_.operands.size());
  for (std::size_t i = 0; i < n_.operands.size(); ++i) {
    if (addressing_ != Addressing::pointers || !in_memory[i]) continue;
    const Operand& o = n_.operands[i];
    pointer_[i] = b_.program.new_integer(o.name + " pointer");
    b_.add_immediate(b_.body, pointer_[i], argument_register(o.argument), o.map.offset);
  }
}

void MemoryOperands::enter(Block& before, int iterator) {
  if (addressing_ == Addressing::pointers) return;
  before.push_back(instruction(Opcode::li, index_[iterator], {}, {}, {}, 0));
}

// At the end of one iteration every pointer has moved by its coefficient in total.
void MemoryOperands::next(Block& body, int iterator) {
  if (addressing_ == Addressing::literal) {
    body.push_back(instruction(Opcode::addi, index_[iterator], index_[iterator], {}, {}, 1));
    return;
  }
  for (std::size_t i = 0; i < n_.operands.size(); ++i) {
    if (pointer_[i].kind == Register::Kind::none) continue;
    const AffineMap& map = n_.operands[i].map;
    std::int64_t step = map.coefficients[iterator];
    if (iterator == jammed_) step *= jam_;
    if (iterator + 1 < static_cast<int>(n_.iterators.size())) {
      step -= map.coefficients[iterator + 1] * n_.iterators[iterator + 1].extent;
    }
    if (step != 0) b_.add_immediate(body, pointer_[i], pointer_[i], step);
  }
}

Register MemoryOperands::address(Block& block, int operand, std::int64_t u, std::int64_t& offset) {
  const Operand& o = n_.operands[operand];
  if (addressing_ == Addressing::pointers) {
    offset = u * jam_step(operand);
    return pointer_[operand];
  }
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

MemoryOperands::Registers MemoryOperands::load(Block& block, int operand) {
  const Operand& o = n_.operands[operand];
  const std::int64_t loads = jam_step(operand) == 0 ? 1 : jam_;
  Registers values;
  for (std::int64_t u = 0; u < loads; ++u) {
    std::int64_t offset = 0;
    const Register base = address(block, operand, u, offset);
    values.push_back(b_.program.new_float(o.name));
    block.push_back(instruction(load_opcode(o.type), values.back(), base, {}, {}, offset));
  }
  if (o.type == ScalarType::f16 && n_.accumulator == ScalarType::f32) {
    for (Register& value : values) {
      const Register wide = b_.program.new_float(o.name + " as f32");
      block.push_back(instruction(Opcode::fcvt_s_h, wide, value));
      value = wide;
    }
  }
  values.resize(static_cast<std::size_t>(jam_), values.back());
  return values;
}

void MemoryOperands::load_results(Block& block, const Registers& to) {
  for (std::size_t u = 0; u < to.size(); ++u) {
    std::int64_t offset = 0;
    const Register base = address(block, n_.output_index(), static_cast<std::int64_t>(u), offset);
    block.push_back(instruction(load_opcode(n_.output().type), to[u], base, {}, {}, offset));
  }
}

void MemoryOperands::store_result(Block& block, const Register& value, std::int64_t output) {
  std::int64_t offset = 0;
  const Register base = address(block, n_.output_index(), output, offset);
  block.push_back(instruction(store_opcode(n_.output().type), {}, base, value, {}, offset));
}

}  // namespace quern::generator::snitch
