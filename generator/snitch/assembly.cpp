#include "generator/snitch/assembly.h"

#include <fmt/format.h>

#include "base/error.h"

namespace quern::generator::snitch {
namespace {

class Writer {
 public:
  std::string text;
  int labels = 0;

  void line(const std::string& code, const std::string& remark = {}) {
    text +=
        remark.empty() ? fmt::format("  {}\n", code) : fmt::format("  {:<40} # {}\n", code, remark);
  }
  void block(const Block& nodes) {
    for (const Node& node : nodes) {
      switch (node.kind) {
        case Node::Kind::instruction:
          instruction(node.instruction);
          break;
        case Node::Kind::comment:
          text += fmt::format("  # {}\n", node.text);
          break;
        case Node::Kind::loop:
          loop(node.loop);
          break;
      }
    }
  }
  void instruction(const Instruction& i);

 private:
  void loop(const Loop& loop);
};

std::string plain_form(const Instruction& i) {
  const OpcodeInfo& o = info(i.opcode);
  const std::string rd = print(i.rd), rs1 = print(i.rs1), rs2 = print(i.rs2);
  switch (o.form) {
    case Form::immediate:
      return fmt::format("{} {}, {}", o.mnemonic, rd, i.immediate);
    case Form::unary:
    case Form::accumulate_1:
      return fmt::format("{} {}, {}", o.mnemonic, rd, rs1);
    case Form::binary:
    case Form::accumulate:
      return fmt::format("{} {}, {}, {}", o.mnemonic, rd, rs1, rs2);
    case Form::ternary:
      return fmt::format("{} {}, {}, {}, {}", o.mnemonic, rd, rs1, rs2, print(i.rs3));
    case Form::binary_imm:
      return fmt::format("{} {}, {}, {}", o.mnemonic, rd, rs1, i.immediate);
    case Form::load:
      return fmt::format("{} {}, {}({})", o.mnemonic, rd, i.immediate, rs1);
    case Form::store:
      return fmt::format("{} {}, {}({})", o.mnemonic, rs2, i.immediate, rs1);
    case Form::config:
      return fmt::format("{} {}, {}", o.mnemonic, rs1, config_name(i.immediate));
    case Form::plain:
    case Form::wait:
      return std::string(o.mnemonic);
  }
  return "?";
}

void Writer::instruction(const Instruction& i) {
  const OpcodeInfo& o = info(i.opcode);
  if (i.opcode == Opcode::drain) {
    // The status register's sign bit says that all addresses have been issued.
    const int label = ++labels;
    text += fmt::format("{}:\n", label);
    line(fmt::format(".insn i 0x2b, 1, {}, x0, 0<<5|{}", print(i.rd), i.immediate),
         fmt::format("scfgri {}, status of ft{}", print(i.rd), i.immediate));
    line(fmt::format("bgez {}, {}b", print(i.rd), label), "until the stream has been written");
    return;
  }
  if (i.opcode == Opcode::fpu_fence) {
    line(fmt::format("fmv.x.w {}, fa0", print(i.rd)), "until the FP subsystem has finished");
    line(fmt::format("mv {0}, {0}", print(i.rd)));
    return;
  }
  if (o.insn.empty()) {
    line(plain_form(i), i.opcode == Opcode::ssr_on    ? "streams on"
                        : i.opcode == Opcode::ssr_off ? "streams off"
                                                      : i.comment);
    return;
  }
  std::string code = fmt::format(".insn {}", o.insn);
  switch (o.form) {
    case Form::config:
      code += fmt::format(", {}, {}<<5|{}", print(i.rs1), i.immediate >> 5, i.immediate & 31);
      break;
    case Form::load:
      code += fmt::format(", {}, {}, {}", print(i.rd), print(i.rs1), i.immediate);
      break;
    case Form::store:
      code += fmt::format(", {}, {}({})", print(i.rs2), i.immediate, print(i.rs1));
      break;
    default:
      code += fmt::format(", {}, {}, {}", print(i.rd), print(i.rs1),
                          o.tail.empty() ? print(i.rs2) : std::string(o.tail));
  }
  line(code, plain_form(i));
}

void Writer::loop(const Loop& loop) {
  if (loop.hardware) {
    const std::int64_t entries = sequencer_entries(*loop.body);
    QUERN_CHECK(entries >= 1);
    line(fmt::format(".insn i 0x0b, 0, x1, {}, {}", print(loop.counter), entries - 1),
         fmt::format("frep.o {} instructions, {} times{}", entries, loop.iterations,
                     loop.comment.empty() ? "" : ": " + loop.comment));
    block(*loop.body);
    return;
  }
  line(fmt::format("li {}, {}", print(loop.counter), loop.iterations), loop.comment);
  const int label = ++labels;
  text += fmt::format("{}:\n", label);
  block(*loop.body);
  line(fmt::format("addi {0}, {0}, -1", print(loop.counter)));
  line(fmt::format("bnez {}, {}b", print(loop.counter), label));
}

std::string header_comment(const Program& program, const Allocation& allocation,
                           const AssemblyHeader& header) {
  std::string text = fmt::format("# {}\n#\n# point       {}\n# regenerate  {}\n#\n", header.title,
                                 header.id, header.regenerate);
  for (const std::string& note : program.notes) text += fmt::format("# {}\n", note);
  if (!allocation.roles.empty()) text += "#\n# registers\n";
  for (const auto& [role, registers] : allocation.roles) {
    text += fmt::format("#   {:<24} {}\n", role, registers);
  }
  return text +
         "#\n"
         "# Returns when its last instruction has been issued: before the results are read, let "
         "the FP\n"
         "# subsystem finish (fmv.x.w t0, fa0; mv t0, t0) and give the write stream ten cycles.\n";
}

}  // namespace

std::string write_assembly(const Program& program, const Allocation& allocation,
                           const AssemblyHeader& header) {
  Writer writer;
  writer.text = header_comment(program, allocation, header);
  writer.text += fmt::format(
      "\n  .text\n  .option norvc\n  .align 6\n  .globl {0}\n  .type {0}, @function\n{0}:\n",
      program.name);
  const auto frame = static_cast<std::int64_t>((allocation.saved.size() * 8 + 15) / 16 * 16);
  const Register sp = x_register(2);
  const auto save = [&](bool restore) {
    std::int64_t at = 0;
    for (const Register& reg : allocation.saved) {
      const bool floating = reg.kind == Register::Kind::fixed_float;
      const Opcode opcode =
          restore ? (floating ? Opcode::fld : Opcode::lw) : (floating ? Opcode::fsd : Opcode::sw);
      writer.instruction(restore ? Instruction{opcode, reg, sp, {}, {}, at, ""}
                                 : Instruction{opcode, {}, sp, reg, {}, at, ""});
      at += 8;
    }
  };
  if (frame > 0) {
    writer.line(fmt::format("addi sp, sp, -{}", frame));
    save(false);
  }
  writer.block(program.body);
  if (frame > 0) {
    save(true);
    writer.line(fmt::format("addi sp, sp, {}", frame));
  }
  writer.line("ret");
  return writer.text + fmt::format("  .size {0}, .-{0}\n", program.name);
}

}  // namespace quern::generator::snitch
