// RV32IMA and Zicsr.
#include "boards/snitch/interpreter/core.h"

namespace quern::snitch::interpreter {
namespace {

using Signed = std::int32_t;

unsigned field(std::uint32_t bits, unsigned at, unsigned width) {
  return bits >> at & ((1u << width) - 1);
}
std::uint32_t immediate_i(std::uint32_t bits) {
  return static_cast<std::uint32_t>(static_cast<Signed>(bits) >> 20);
}
std::uint32_t immediate_s(std::uint32_t bits) {
  return (static_cast<std::uint32_t>(static_cast<Signed>(bits) >> 20) & ~31u) | field(bits, 7, 5);
}
std::uint32_t immediate_b(std::uint32_t bits) {
  return (static_cast<std::uint32_t>(static_cast<Signed>(bits) >> 31) & ~0xfffu) |
         field(bits, 7, 1) << 11 | field(bits, 25, 6) << 5 | field(bits, 8, 4) << 1;
}
std::uint32_t immediate_j(std::uint32_t bits) {
  return (static_cast<std::uint32_t>(static_cast<Signed>(bits) >> 31) & ~0xfffffu) |
         (bits & 0xff000u) | field(bits, 20, 1) << 11 | field(bits, 21, 10) << 1;
}

std::uint32_t multiply_or_divide(unsigned funct3, std::uint32_t a, std::uint32_t b) {
  const auto sa = static_cast<Signed>(a), sb = static_cast<Signed>(b);
  const bool overflow = a == 0x8000'0000u && b == 0xffff'ffffu;
  switch (funct3) {
    case 0:
      return a * b;
    case 1:
      return static_cast<std::uint32_t>((std::int64_t{sa} * sb) >> 32);
    case 2:
      return static_cast<std::uint32_t>((std::int64_t{sa} * std::int64_t{b}) >> 32);
    case 3:
      return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
    case 4:
      return b == 0 ? ~0u : overflow ? a : static_cast<std::uint32_t>(sa / sb);
    case 5:
      return b == 0 ? ~0u : a / b;
    case 6:
      return b == 0 ? a : overflow ? 0 : static_cast<std::uint32_t>(sa % sb);
    default:
      return b == 0 ? a : a % b;
  }
}

// The ALU operations that register and immediate forms share; `alternate` is bit 30 (sub, sra).
std::uint32_t alu(unsigned funct3, bool alternate, std::uint32_t a, std::uint32_t b) {
  switch (funct3) {
    case 0:
      return alternate ? a - b : a + b;
    case 1:
      return a << (b & 31);
    case 2:
      return static_cast<Signed>(a) < static_cast<Signed>(b);
    case 3:
      return a < b;
    case 4:
      return a ^ b;
    case 5:
      return alternate ? static_cast<std::uint32_t>(static_cast<Signed>(a) >> (b & 31))
                       : a >> (b & 31);
    case 6:
      return a | b;
    default:
      return a & b;
  }
}

bool branch_taken(unsigned funct3, std::uint32_t a, std::uint32_t b, bool& known) {
  switch (funct3) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 4:
      return static_cast<Signed>(a) < static_cast<Signed>(b);
    case 5:
      return static_cast<Signed>(a) >= static_cast<Signed>(b);
    case 6:
      return a < b;
    case 7:
      return a >= b;
    default:
      known = false;
      return false;
  }
}

}  // namespace

bool Core::execute_integer(std::uint32_t bits) {
  const unsigned rd = field(bits, 7, 5), funct3 = field(bits, 12, 3), funct7 = bits >> 25;
  const std::uint32_t a = x_[field(bits, 15, 5)], b = x_[field(bits, 20, 5)];
  switch (bits & 0x7f) {
    case 0x37:
      set_x(rd, bits & ~0xfffu);
      return true;
    case 0x17:
      set_x(rd, pc_ + (bits & ~0xfffu));
      return true;
    case 0x6f:
      jump(pc_ + immediate_j(bits));
      set_x(rd, pc_ + 4);
      return true;
    case 0x67:
      if (funct3 != 0) return false;
      jump((a + immediate_i(bits)) & ~1u);
      set_x(rd, pc_ + 4);
      return true;
    case 0x63: {
      bool known = true;
      if (branch_taken(funct3, a, b, known)) jump(pc_ + immediate_b(bits));
      return known;
    }
    case 0x13: {
      const bool shift = funct3 == 1 || funct3 == 5;
      if (shift && funct7 != 0 && !(funct3 == 5 && funct7 == 0x20)) return false;
      set_x(rd, alu(funct3, shift && funct7 == 0x20, a,
                    shift ? field(bits, 20, 5) : immediate_i(bits)));
      return true;
    }
    case 0x33:
      if (funct7 == 1) {
        set_x(rd, multiply_or_divide(funct3, a, b));
        return true;
      }
      if (funct7 != 0 && !(funct7 == 0x20 && (funct3 == 0 || funct3 == 5))) return false;
      set_x(rd, alu(funct3, funct7 == 0x20, a, b));
      return true;
    default:
      return false;
  }
}

bool Core::execute_memory(std::uint32_t bits) {
  const unsigned funct3 = field(bits, 12, 3);
  const std::uint32_t base = x_[field(bits, 15, 5)];
  if ((bits & 0x7f) == 0x03) {
    if (funct3 == 3 || funct3 > 5) return false;
    const unsigned size = 1u << (funct3 & 3);
    auto value = static_cast<std::uint32_t>(memory_.load(base + immediate_i(bits), size));
    if (funct3 == 0) value = static_cast<std::uint32_t>(static_cast<std::int8_t>(value));
    if (funct3 == 1) value = static_cast<std::uint32_t>(static_cast<std::int16_t>(value));
    set_x(field(bits, 7, 5), value);
    return true;
  }
  if ((bits & 0x7f) == 0x23) {
    if (funct3 > 2) return false;
    const std::uint32_t address = base + immediate_s(bits);
    const std::uint32_t value = x_[field(bits, 20, 5)];
    memory_.store(address, 1u << funct3, value);
    if (address == tohost_ && (value & 1) != 0) {
      exited_ = true;
      result_.exit_code = value >> 1;
    }
    return true;
  }
  return false;
}

bool Core::execute_atomic(std::uint32_t bits) {
  if ((bits & 0x707f) != 0x202f) return false;
  const std::uint32_t address = x_[field(bits, 15, 5)], b = x_[field(bits, 20, 5)];
  const unsigned rd = field(bits, 7, 5), operation = bits >> 27;
  if (operation == 3) {  // sc.w
    const bool stored = memory_.reservation == address;
    if (stored) memory_.store(address, 4, b);
    memory_.reservation = 1;
    set_x(rd, !stored);
    return true;
  }
  const auto old = static_cast<std::uint32_t>(memory_.load(address, 4));
  const auto so = static_cast<Signed>(old), sb = static_cast<Signed>(b);
  std::uint32_t value = old;
  switch (operation) {
    case 0:
      value = old + b;
      break;
    case 1:
      value = b;
      break;
    case 2:
      memory_.reservation = address;
      break;  // lr.w
    case 4:
      value = old ^ b;
      break;
    case 8:
      value = old | b;
      break;
    case 12:
      value = old & b;
      break;
    case 16:
      value = so < sb ? old : b;
      break;
    case 20:
      value = so > sb ? old : b;
      break;
    case 24:
      value = old < b ? old : b;
      break;
    case 28:
      value = old > b ? old : b;
      break;
    default:
      return false;
  }
  if (operation != 2) memory_.store(address, 4, value);
  set_x(rd, old);
  return true;
}

std::uint32_t Core::read_csr(unsigned csr) {
  switch (csr) {
    case 0x001:
      return fflags_;
    case 0x002:
      return frm_;
    case 0x003:
      return fflags_ | unsigned{frm_} << 5;
    case 0x7c0:
      return streams_enabled_;
    case 0x7c3:
      return chained_;
    case 0x800:
      return fmode_;
    case 0xb00:
      result_.at_mcycle.push_back(result_.counters);
      return static_cast<std::uint32_t>(issued_);
    case 0xb02:
      return static_cast<std::uint32_t>(result_.counters.instructions);
    case 0xf14:
      return 0;
    default:
      return csr_[csr];
  }
}

void Core::write_csr(unsigned csr, std::uint32_t value, bool immediate) {
  switch (csr) {
    case 0x001:
      fflags_ = value & 31;
      break;
    case 0x002:
      frm_ = value & 7;
      break;
    case 0x003:
      fflags_ = value & 31;
      frm_ = value >> 5 & 7;
      break;
    case 0x7c0:
      // Only csrsi and csrci reach the FP subsystem; the register forms have no effect there.
      if (immediate) streams_enabled_ = (value & 1) != 0;
      break;
    case 0x7c3:
      for (unsigned reg = 0; reg < 32; ++reg) {
        if ((chained_ & ~value) >> reg & 1) chain_[reg].clear();
      }
      chained_ = value;
      break;
    case 0x800:
      fmode_ = value & 3;
      break;
    default:
      csr_[csr] = value;
  }
}

bool Core::execute_system(std::uint32_t bits) {
  const unsigned funct3 = field(bits, 12, 3);
  if ((bits & 0x7f) == 0x0f) return funct3 <= 1;  // fence, fence.i
  if ((bits & 0x7f) != 0x73) return false;
  if (funct3 == 0) return bits == 0x1050'0073;  // wfi; ecall, ebreak and mret trap: not supported
  if (funct3 == 4) return false;
  const unsigned csr = bits >> 20, rs1 = field(bits, 15, 5);
  const bool immediate = funct3 >= 5;
  const std::uint32_t operand = immediate ? rs1 : x_[rs1];
  const std::uint32_t old = read_csr(csr);
  if ((funct3 & 3) == 1) {
    write_csr(csr, operand, false);
  } else if (rs1 != 0) {
    write_csr(csr, (funct3 & 3) == 2 ? old | operand : old & ~operand, immediate);
  }
  set_x(field(bits, 7, 5), old);
  return true;
}

}  // namespace quern::snitch::interpreter
