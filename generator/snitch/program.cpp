#include "generator/snitch/program.h"

#include <fmt/format.h>

namespace quern::generator::snitch {

std::string print(const Register& reg) {
  static constexpr std::string_view kInteger[] = {
      "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  static constexpr std::string_view kFloat[] = {
      "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
      "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
      "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
  switch (reg.kind) {
    case Register::Kind::none:
      return "-";
    case Register::Kind::fixed_integer:
      return std::string(kInteger[reg.id]);
    case Register::Kind::fixed_float:
      return std::string(kFloat[reg.id]);
    case Register::Kind::integer:
      return fmt::format("%i{}", reg.id);
    case Register::Kind::floating:
      return fmt::format("%f{}", reg.id);
  }
  return "?";
}

std::int64_t sequencer_entries(const Block& block) {
  std::int64_t entries = 0;
  for (const Node& node : block) {
    if (node.kind == Node::Kind::instruction && is_floating(node.instruction.opcode)) ++entries;
    if (node.kind == Node::Kind::loop) entries += sequencer_entries(*node.loop.body);
  }
  return entries;
}

int count_freps(const Block& block) {
  int count = 0;
  for (const Node& node : block) {
    if (node.kind == Node::Kind::loop) {
      count += (node.loop.hardware ? 1 : 0) + count_freps(*node.loop.body);
    }
  }
  return count;
}

Node instruction(Opcode opcode, Register rd, Register rs1, Register rs2, Register rs3,
                 std::int64_t immediate, std::string text) {
  Node node;
  node.instruction = {opcode, rd, rs1, rs2, rs3, immediate, std::move(text)};
  return node;
}

Node comment(std::string text) {
  Node node;
  node.kind = Node::Kind::comment;
  node.text = std::move(text);
  return node;
}

Node loop(std::int64_t iterations, Register counter, Block body, bool hardware, std::string text) {
  Node node;
  node.kind = Node::Kind::loop;
  node.loop = {hardware, iterations, counter, std::make_shared<Block>(std::move(body)),
               std::move(text)};
  return node;
}

Node configure_stream(Register value, int config_register, int stream) {
  return instruction(Opcode::scfgwi, {}, value, {}, {}, config_register << 5 | stream);
}

std::string config_name(std::int64_t immediate) {
  const int reg = static_cast<int>(immediate >> 5), stream = immediate & 31;
  const std::string where = stream == kAllStreams ? "all" : fmt::format("ft{}", stream);
  using namespace stream_config;
  if (reg == repeat) return fmt::format("repeat of {}", where);
  if (reg < stride) return fmt::format("bound[{}] of {}", reg - bound, where);
  if (reg < read_pointer) return fmt::format("stride[{}] of {}", reg - stride, where);
  if (reg < write_pointer)
    return fmt::format("start {}-d read of {}", reg - read_pointer + 1, where);
  return fmt::format("start {}-d write of {}", reg - write_pointer + 1, where);
}

namespace {

std::string print(const Instruction& i) {
  const OpcodeInfo& o = info(i.opcode);
  const auto r = [](const Register& reg) { return snitch::print(reg); };
  switch (o.form) {
    case Form::immediate:
      return fmt::format("{} = {} {}", r(i.rd), o.mnemonic, i.immediate);
    case Form::unary:
      return fmt::format("{} = {} {}", r(i.rd), o.mnemonic, r(i.rs1));
    case Form::binary:
      return fmt::format("{} = {} {}, {}", r(i.rd), o.mnemonic, r(i.rs1), r(i.rs2));
    case Form::ternary:
      return fmt::format("{} = {} {}, {}, {}", r(i.rd), o.mnemonic, r(i.rs1), r(i.rs2), r(i.rs3));
    case Form::binary_imm:
      return fmt::format("{} = {} {}, {}", r(i.rd), o.mnemonic, r(i.rs1), i.immediate);
    case Form::load:
      return fmt::format("{} = {} {}({})", r(i.rd), o.mnemonic, i.immediate, r(i.rs1));
    case Form::store:
      return fmt::format("{} {}, {}({})", o.mnemonic, r(i.rs2), i.immediate, r(i.rs1));
    case Form::accumulate:
      return fmt::format("{} = {} {}, {}, {}", r(i.rd), o.mnemonic, r(i.rs1), r(i.rs2), r(i.rd));
    case Form::accumulate_1:
      return fmt::format("{} = {} {}, {}", r(i.rd), o.mnemonic, r(i.rs1), r(i.rd));
    case Form::config:
      return fmt::format("{} {} -> {}", o.mnemonic, r(i.rs1), config_name(i.immediate));
    case Form::wait:
      return i.opcode == Opcode::drain ? fmt::format("drain ft{} with {}", i.immediate, r(i.rd))
                                       : fmt::format("{} with {}", o.mnemonic, r(i.rd));
    case Form::plain:
      return i.opcode == Opcode::ssr_on    ? "ssr_on"
             : i.opcode == Opcode::ssr_off ? "ssr_off"
                                           : std::string(o.mnemonic);
  }
  return "?";
}

void print(const Block& block, int indent, std::string& text) {
  const std::string space(static_cast<std::size_t>(indent), ' ');
  for (const Node& node : block) {
    switch (node.kind) {
      case Node::Kind::instruction:
        text += space + print(node.instruction) + "\n";
        break;
      case Node::Kind::comment:
        text += space + "// " + node.text + "\n";
        break;
      case Node::Kind::loop:
        text += fmt::format("{}{} {} x {} {{\n", space, node.loop.hardware ? "frep" : "for",
                            print(node.loop.counter), node.loop.iterations);
        print(*node.loop.body, indent + 2, text);
        text += space + "}\n";
    }
  }
}

}  // namespace

std::string print(const Program& program) {
  std::string text = fmt::format("kernel {} (", program.name);
  for (int i = 0; i < program.arguments; ++i) text += fmt::format("{}a{}", i == 0 ? "" : ", ", i);
  if (program.scalar_argument) text += program.arguments == 0 ? "fa0" : ", fa0";
  text += ") {\n";
  print(program.body, 2, text);
  return text + "}\n";
}

}  // namespace quern::generator::snitch
