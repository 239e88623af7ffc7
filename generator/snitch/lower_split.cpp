// A reduction without parallel iterators: the sum is split into independent partial sums so that
// the FPU's pipeline stays full, and they are added as a tree.
//
//   U x first step, frep K/U-1 { U x step }, K%U more steps, tree, lanes, store
#include "base/error.h"
#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {

void lower_split(KernelBuilder& b, const StreamNest& s, std::int64_t partial, bool frep) {
  const LoopNest& n = s.nest;
  QUERN_CHECK(n.body.op == ScalarOp::fma && n.init == Init::zero);
  const std::int64_t length = s.reduction_length();
  QUERN_CHECK(partial >= 1 && partial <= length);
  const std::int64_t rounds = length / partial, rest = length % partial;
  const bool packed = n.lanes > 1, half = n.type == ScalarType::f16;

  const auto stream = [&](int argument) {
    return stream_register(s.find(n.body.arguments[argument].operand)->mover);
  };
  const Register x = stream(0), y = stream(1);
  std::vector<Register> sums;
  for (std::int64_t i = 0; i < partial; ++i) sums.push_back(b.program.new_float("partial sums"));
  const auto multiply = [&](const Register& to) {
    return instruction(packed ? Opcode::vfmul_s : Opcode::fmul_d, to, x, y);
  };
  const auto accumulate = [&](const Register& to) {
    return half     ? instruction(Opcode::vfdotpex_s_h, to, x, y)
           : packed ? instruction(Opcode::vfmac_s, to, x, y)
                    : instruction(Opcode::fmadd_d, to, x, y, to);
  };

  const std::int64_t repeats = rounds - (half ? 0 : 1);
  std::vector<Count> counts;
  if (frep && repeats > 1) counts.push_back({repeats - 1, "reduction count", {}});
  lower_stream_setup(b, b.body, s, counts);
  b.streams_on(b.body);
  for (const Register& sum : sums) {
    b.body.push_back(half ? instruction(Opcode::fmul_d, sum, b.float_zero(), b.float_zero())
                          : multiply(sum));
  }
  Block round;
  for (const Register& sum : sums) round.push_back(accumulate(sum));
  if (repeats > 1) {
    b.body.push_back(
        frep ? loop(repeats, counts.front().reg, std::move(round), true, "reduction")
             : loop(repeats, b.program.new_integer("reduction loop"), std::move(round), false));
  } else if (repeats == 1) {
    for (Node& node : round) b.body.push_back(std::move(node));
  }
  for (std::int64_t i = 0; i < rest; ++i) b.body.push_back(accumulate(sums[i]));

  while (sums.size() > 1) {
    const std::size_t kept = (sums.size() + 1) / 2;
    for (std::size_t i = 0; kept + i < sums.size(); ++i) {
      b.body.push_back(
          instruction(packed ? Opcode::vfadd_s : Opcode::fadd_d, sums[i], sums[i], sums[kept + i]));
    }
    sums.resize(kept);
  }
  Register result = sums.front();
  if (packed) {
    result = b.program.new_float("sum over the lanes");
    b.body.push_back(instruction(Opcode::fmv_d, result, b.float_zero()));
    b.body.push_back(instruction(Opcode::vfsum_s, result, sums.front()));
  }
  const Operand& output = n.output();
  b.body.push_back(instruction(output.type == ScalarType::f64 ? Opcode::fsd : Opcode::fsw, {},
                               argument_register(output.argument), result, {}, output.map.offset));
}

}  // namespace quern::generator::snitch
