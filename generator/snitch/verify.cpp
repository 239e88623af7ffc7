#include "generator/snitch/verify.h"

#include <fmt/format.h>

#include <optional>

namespace quern::generator::snitch {
namespace {

class Verifier {
 public:
  explicit Verifier(const Machine& machine) : machine_(machine) {}
  std::string problem;

  void block(const Block& nodes, unsigned depth) {
    for (const Node& node : nodes) {
      if (node.kind == Node::Kind::instruction) instruction(node.instruction, depth);
      if (node.kind == Node::Kind::loop) loop(node.loop, depth);
    }
  }

 private:
  void report(std::string text) {
    if (problem.empty()) problem = std::move(text);
  }
  bool is_stream(const Register& reg) const {
    return reg.kind == Register::Kind::fixed_float && reg.id < static_cast<int>(machine_.movers);
  }
  bool is_write_stream(const Register& reg) const {
    return is_stream(reg) && reg.id == static_cast<int>(machine_.movers) - 1;
  }

  void instruction(const Instruction& i, unsigned depth) {
    const OpcodeInfo& o = info(i.opcode);
    if (depth > 0 && !is_floating(i.opcode)) {
      report(fmt::format("{} in an frep.o body", o.mnemonic));
    }
    if (i.opcode == Opcode::drain) writer_.reset();
    // What was issued that long ago has left its pipeline.
    if (is_floating(i.opcode) && ++since_write_ >= kLongestPipeline) writer_.reset();
    for (const Register& source : {i.rs1, i.rs2, i.rs3}) {
      if (is_write_stream(source)) report(fmt::format("{} reads the write stream", o.mnemonic));
    }
    if (!is_stream(i.rd)) return;
    if (!is_write_stream(i.rd)) report(fmt::format("{} writes a read stream", o.mnemonic));
    if (o.pipeline == Pipeline::load_store) report("a load into a stream");
    if (writer_ && *writer_ != o.pipeline) {
      report(fmt::format("{} writes the stream from another pipeline", o.mnemonic));
    }
    writer_ = o.pipeline;
    since_write_ = 0;
  }

  void loop(const Loop& l, unsigned depth) {
    if (!l.hardware) {
      if (depth > 0) report("an integer loop in an frep.o body");
      if (l.iterations < 1) report("a loop without iterations");
      repeat(l, depth);
      return;
    }
    const std::int64_t entries = sequencer_entries(*l.body);
    if (depth + 1 > machine_.frep_levels) report("frep.o nested too deep");
    if (entries < 1 || entries > machine_.sequencer_entries) {
      report(fmt::format("an frep.o body of {} instructions", entries));
    }
    if (l.iterations < 1 || l.iterations > machine_.frep_iterations) {
      report(fmt::format("an frep.o of {} iterations", l.iterations));
    }
    repeat(l, depth + 1);
  }

  // Twice: what ends an iteration is followed by what begins the next.
  void repeat(const Loop& l, unsigned depth) {
    block(*l.body, depth);
    if (l.iterations > 1) block(*l.body, depth);
  }

  static constexpr int kLongestPipeline = 8;  // instructions; twice the latency
  const Machine& machine_;
  std::optional<Pipeline> writer_;
  int since_write_ = 0;  // FP instructions
};

}  // namespace

std::string violation(const Program& program, const Machine& machine) {
  Verifier verifier(machine);
  verifier.block(program.body, 0);
  return verifier.problem;
}

}  // namespace quern::generator::snitch
