// The instructions of one tile. For a reduction of K steps and U accumulators:
//
//     U x first step        acc = x * y               (or + bias: no separate initialisation)
//     frep K-2 { U x step } acc = x * y + acc
//     U x last step         ft2 = x * y + acc         (straight into the write stream)
//
// that is U*K instructions and nothing else. Where the last step cannot write the stream (relu,
// packed partial sums, packed instructions that accumulate into their destination), it stays in
// the loop and a finish follows; where there is no first step without an addend, the accumulators
// start at 0 or are loaded with the bias.
#pragma once

#include <string>
#include <vector>

#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {

class TileLowering {
 public:
  TileLowering(KernelBuilder& builder, const StreamNest& nest, bool frep);

  Block tile();
  // The count of the reduction's frep; its register must be set before tile() is used. No value:
  // there is no such loop.
  std::vector<Count> counts() const;
  void set_count(Register reg) { middle_.reg = reg; }

  bool streams_output() const;
  // Where results are stored one by one, and where a bias is loaded from: set before tile().
  Register output_pointer{}, bias_pointer{};
  // Loads of a bias that stays in registers over all tiles (empty when tiles load it themselves).
  Block bias_loads() const;

 private:
  Register value(const Value& v);
  Register output() const;
  std::vector<Register> registers(std::int64_t count, const std::string& role);
  Node load(const Register& to, std::int64_t index) const;

  void elementwise(Block& block);
  Node operation(Opcode opcode, const Register& to, const Register& addend);
  void first_step(Block& block, const std::vector<Register>& to);
  void step(Block& block, const std::vector<Register>& to);
  void middle(Block& block);
  void finish(Block& block);
  void sum_lanes(Block& block);
  void store_sums(Block& block);

  KernelBuilder& b_;
  const StreamNest& s_;
  const LoopNest& n_;
  const bool frep_;
  const std::int64_t jam_, length_;
  Opcode first_ = Opcode::fmul_d, step_ = Opcode::fmadd_d;

  bool first_is_peeled_ = true, last_is_peeled_ = false, loads_bias_ = false;
  std::int64_t middle_count_ = 0;
  std::int64_t bias_period_ = 1;  // neighbouring accumulators with different biases
  std::vector<Register> accumulators_, bias_, sums_;
  Count middle_{0, "reduction count", {}};
};

}  // namespace quern::generator::snitch
