// The plain lowering's operands in memory: where an element lies while the integer loops run.
//
//   literal    every access evaluates   pointer + offset + sum of coefficient * index   in full
//   pointers   one running pointer an operand, advanced at the end of each loop's iteration
#pragma once

#include <string>
#include <vector>

#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {

class MemoryOperands {
 public:
  using Registers = std::vector<Register>;  // one for each jammed output

  MemoryOperands(KernelBuilder& builder, const LoopNest& nest, Addressing addressing,
                 std::int64_t jam);

  // Pointers of the operands that `in_memory` names start; literal addresses need index registers.
  void start(const std::vector<bool>& in_memory);
  // Around the body of one iterator's loop.
  void enter(Block& before, int iterator);
  void next(Block& body, int iterator);

  // The element of every jammed output; what all of them share is loaded once. Halves become
  // singles where the nest computes in those.
  Registers load(Block& block, int operand);
  // As they lie in memory, into `to`.
  void load_results(Block& block, const Registers& to);
  void store_result(Block& block, const Register& value, std::int64_t output);

 private:
  Register address(Block& block, int operand, std::int64_t u, std::int64_t& offset);
  std::int64_t jam_step(int operand) const {
    return jammed_ < 0 ? 0 : n_.operands[operand].map.coefficients[jammed_];
  }

  KernelBuilder& b_;
  const LoopNest& n_;
  const Addressing addressing_;
  const std::int64_t jam_;
  int jammed_ = -1;                // the innermost parallel iterator
  std::vector<Register> index_;    // literal: of each iterator
  std::vector<Register> pointer_;  // pointers: of each operand
};

}  // namespace quern::generator::snitch
