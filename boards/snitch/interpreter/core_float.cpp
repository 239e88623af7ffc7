// The offloaded instructions: FP loads, stores and arithmetic, FREP, stream configuration.
#include <fmt/format.h>

#include "boards/snitch/interpreter/core.h"

namespace quern::snitch::interpreter {
namespace {

unsigned field(std::uint32_t bits, unsigned at, unsigned width) {
  return bits >> at & ((1u << width) - 1);
}

}  // namespace

bool Core::execute_custom(std::uint32_t bits) {
  const unsigned opcode = bits & 0x7f, funct3 = field(bits, 12, 3), rd = field(bits, 7, 5),
                 rs1 = field(bits, 15, 5);
  if (opcode == 0x0b) {
    if ((bits >> 7 & 1) == 0) return false;  // frep.i does not exist here
    ++result_.counters.freps;
    sequencer_.start_loop(bits, x_[rs1]);
    return true;
  }
  if (opcode != 0x2b) return false;
  const bool write = funct3 == 2, read = funct3 == 1;
  const bool by_register = write ? rd == 1 : rs1 == 1;
  if (!(write && rd <= 1) && !(read && rs1 <= 1)) return false;
  if (by_register && bits >> 25 != 0) return false;
  const std::uint32_t address = by_register ? x_[field(bits, 20, 5)] : bits >> 20;
  const unsigned reg = address >> 5 & 127, stream = address & 31;
  if (write) {
    for (unsigned i = 0; i < streams_.size(); ++i) {
      if (stream == 31 || stream == i) streams_[i].configure(reg, x_[rs1]);
    }
  } else {
    set_x(rd, stream < streams_.size() ? streams_[stream].status(reg) : 0);
  }
  return true;
}

bool Core::execute_float(std::uint32_t bits) {
  const unsigned opcode = bits & 0x7f;
  FpOffload offload;
  offload.bits = bits;
  if (opcode == 0x07 || opcode == 0x27) {
    if (field(bits, 12, 3) > 3) return false;
    offload.kind = opcode == 0x07 ? FpOffload::Kind::load : FpOffload::Kind::store;
    const auto high = static_cast<std::uint32_t>(static_cast<std::int32_t>(bits) >> 20);
    const std::uint32_t offset = opcode == 0x07 ? high : (high & ~31u) | field(bits, 7, 5);
    offload.address = x_[field(bits, 15, 5)] + offset;
  } else if (is_lost_move(bits)) {
    set_x(field(bits, 7, 5), 0);
    return true;
  } else {
    offload.decoded = decode_fp(bits);
    if (!offload.decoded) return false;
    if (offload.decoded->integer_rd || offload.decoded->integer_rs1) {
      if (sequencer_.collecting()) {
        throw SequencerMisuse("an instruction with an integer register in an frep.o body");
      }
      execute_arithmetic(offload);
      return true;
    }
  }
  sequencer_.offload(std::move(offload));
  return true;
}

std::uint64_t Core::read_f(unsigned reg) {
  if (streams_register(reg)) {
    ++result_.counters.streamed;
    return streams_[reg].pop();
  }
  if (chained_ >> reg & 1 && !chain_[reg].empty()) {
    const std::uint64_t value = chain_[reg].front();
    chain_[reg].pop_front();
    return value;
  }
  return f_[reg];
}

void Core::write_f(unsigned reg, std::uint64_t value) {
  if (streams_register(reg)) {
    ++result_.counters.streamed;
    streams_[reg].push(value);
    return;
  }
  if (chained_ >> reg & 1) chain_[reg].push_back(value);
  f_[reg] = value;
}

void Core::execute_offload(const FpOffload& offload) {
  ++issued_;
  if (issued_ >= options_.instruction_limit) return;
  if (offload.kind == FpOffload::Kind::arithmetic) {
    execute_arithmetic(offload);
    return;
  }
  const unsigned size = 1u << field(offload.bits, 12, 3);
  if (offload.kind == FpOffload::Kind::load) {
    ++result_.counters.loads;
    std::uint64_t value = memory_.load(offload.address, size);
    if (size < 8) value |= ~std::uint64_t{0} << (8 * size);  // NaN boxing
    f_[field(offload.bits, 7, 5)] = value;                   // a load does not enter a stream
  } else {
    ++result_.counters.stores;
    const std::uint64_t value = read_f(field(offload.bits, 20, 5));
    memory_.store(offload.address, size,
                  size == 8 ? value : value & ((std::uint64_t{1} << (8 * size)) - 1));
  }
}

void Core::execute_arithmetic(const FpOffload& offload) {
  const FpInstruction& instruction = *offload.decoded;
  const std::uint32_t bits = offload.bits;
  const unsigned rd = field(bits, 7, 5), rs1 = field(bits, 15, 5), rs2 = field(bits, 20, 5),
                 rs3 = bits >> 27;
  ++result_.counters.fpu;
  FpOperands operands;
  operands.frm = frm_;
  operands.source_alt = (fmode_ & 2) != 0;
  operands.result_alt = (fmode_ & 1) != 0;
  // One stream in two operands pops once.
  if (instruction.reads_rs1) operands.rs1 = read_f(rs1);
  if (instruction.integer_rs1) operands.rs1 = x_[rs1];
  if (instruction.reads_rs2) {
    operands.rs2 = instruction.reads_rs1 && rs2 == rs1 ? operands.rs1 : read_f(rs2);
  }
  if (instruction.reads_rs3) {
    operands.rs3 = instruction.reads_rs1 && rs3 == rs1   ? operands.rs1
                   : instruction.reads_rs2 && rs3 == rs2 ? operands.rs2
                                                         : read_f(rs3);
  }
  if (instruction.reads_rd) {
    if (streams_register(rd)) throw StreamMisuse("an accumulator in a stream register");
    operands.rd = read_f(rd);
  }
  const FpResult result = execute_fp(instruction, operands);
  fflags_ |= result.flags;
  if (instruction.integer_rd) {
    set_x(rd, static_cast<std::uint32_t>(result.value));
  } else {
    write_f(rd, result.value);
  }
}

}  // namespace quern::snitch::interpreter
