#include <fmt/format.h>

#include "base/error.h"
#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {

Register KernelBuilder::boxed_zero(ScalarType type) {
  Register& zero = zero_[static_cast<int>(type)];
  if (zero.kind == Register::Kind::none) {
    constexpr Opcode kFromInteger[] = {Opcode::fcvt_d_w, Opcode::fmv_w_x, Opcode::fmv_h_x};
    zero =
        program.new_float(type == ScalarType::f64 ? "0.0" : fmt::format("0.0, {}", name_of(type)));
    prelude_.push_back(instruction(kFromInteger[static_cast<int>(type)], zero, zero_register));
  }
  return zero;
}

Register KernelBuilder::scalar(ScalarType type, int lanes) {
  if (lanes == 1 && type != ScalarType::f16) return scalar_argument;
  if (scalar_.kind != Register::Kind::none) return scalar_;
  // fa0 holds an f64 for f64 kernels and an f32 otherwise.
  scalar_ = program.new_float("scalar argument, all lanes");
  if (type == ScalarType::f32) {
    prelude_.push_back(instruction(Opcode::vfcpka_s_s, scalar_, scalar_argument, scalar_argument));
  } else {
    // The packing instructions keep the lanes that they do not write.
    prelude_.push_back(instruction(Opcode::fcvt_d_w, scalar_, zero_register));
    prelude_.push_back(instruction(Opcode::vfcpka_h_s, scalar_, scalar_argument, scalar_argument));
    prelude_.push_back(instruction(Opcode::vfcpkb_h_s, scalar_, scalar_argument, scalar_argument));
  }
  return scalar_;
}

Register KernelBuilder::constant(Block& block, std::int64_t value, std::string role) {
  if (value == 0) return zero_register;
  const Register reg = program.new_integer(std::move(role));
  block.push_back(instruction(Opcode::li, reg, {}, {}, {}, value));
  return reg;
}

void KernelBuilder::add_immediate(Block& block, Register rd, Register rs, std::int64_t value) {
  if (value == 0) {
    if (rd != rs) block.push_back(instruction(Opcode::mv, rd, rs));
    return;
  }
  if (value >= -2048 && value <= 2047) {
    block.push_back(instruction(Opcode::addi, rd, rs, {}, {}, value));
    return;
  }
  const Register step = constant(block, value, "address step");
  block.push_back(instruction(Opcode::add, rd, rs, step));
}

void KernelBuilder::streams_on(Block& block) {
  if (streams_on_) return;
  block.push_back(instruction(Opcode::ssr_on, {}));
  streams_on_ = true;
}

void KernelBuilder::finish(bool workspace) {
  program.body = std::move(prelude_);
  for (Node& node : body) program.body.push_back(std::move(node));
  if (streams_on_) program.body.push_back(instruction(Opcode::ssr_off, {}));
  if (workspace) {
    program.body.push_back(instruction(Opcode::fpu_fence, program.new_integer("fence")));
  }
}

}  // namespace quern::generator::snitch
