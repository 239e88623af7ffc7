// What an FP instruction reads and writes.
#include "boards/snitch/fpu/instruction.h"
#include "boards/snitch/fpu/instruction_bits.h"

namespace quern::snitch {
namespace {

std::optional<FpInstruction> decode_scalar(FpInstruction i) {
  const std::uint32_t function = field(i.bits, 31, 27), rs2 = field(i.bits, 24, 20),
                      f3 = field(i.bits, 14, 12), fmt = field(i.bits, 26, 25);
  const bool rounding_valid = f3 != 5 && f3 != 6;
  i.reads_rs1 = true;
  switch (function) {
    case 0b00000:
    case 0b00001:
    case 0b00010:  // add, sub, mul
      i.reads_rs2 = true;
      if (!rounding_valid) return std::nullopt;
      return i;
    case 0b00100:  // sign injection
    case 0b00101:  // min, max
      i.group = FpGroup::non_computational;
      i.reads_rs2 = true;
      if (f3 > (function == 0b00100 ? 2U : 1U)) return std::nullopt;
      return i;
    case 0b01000:  // format to format
      i.group = FpGroup::conversion;
      if (rs2 > 3 || (rs2 == fmt && fmt != 2) || !rounding_valid) return std::nullopt;
      return i;
    case 0b10100:  // compare
      i.group = FpGroup::non_computational;
      i.reads_rs2 = true;
      i.integer_rd = true;
      if (f3 > 2) return std::nullopt;
      return i;
    case 0b11000:  // to integer
      i.group = FpGroup::conversion;
      i.integer_rd = true;
      if (rs2 > 1 || !rounding_valid) return std::nullopt;
      return i;
    case 0b11010:  // from integer
      i.group = FpGroup::conversion;
      i.reads_rs1 = false;
      i.integer_rs1 = true;
      if (rs2 > 1 || !rounding_valid) return std::nullopt;
      return i;
    case 0b11100:  // move to integer, classify
      i.group = FpGroup::non_computational;
      i.integer_rd = true;
      if (rs2 != 0 || f3 > 1) return std::nullopt;
      return i;
    case 0b11110:  // move from integer
      i.group = FpGroup::non_computational;
      i.reads_rs1 = false;
      i.integer_rs1 = true;
      if (rs2 != 0 || f3 != 0 || fmt == 1) return std::nullopt;
      return i;
    default:
      return std::nullopt;
  }
}

std::optional<FpInstruction> decode_packed(FpInstruction i) {
  const std::uint32_t function = field(i.bits, 31, 25), rs2 = field(i.bits, 24, 20),
                      f3 = field(i.bits, 14, 12), fmt = f3 & 3;
  const bool variant = f3 & 4;
  i.reads_rs1 = true;
  switch (function) {
    case 0b1000001:
    case 0b1000010:
    case 0b1000011:  // add, sub, mul
      i.reads_rs2 = true;
      if (fmt == 1) return std::nullopt;
      return i;
    case 0b1001000:
    case 0b1001001:  // mac, mre
      i.reads_rs2 = i.reads_rd = true;
      if (fmt == 1) return std::nullopt;
      return i;
    case 0b1000101:
    case 0b1000110:
    case 0b1001101:
    case 0b1001110:
    case 0b1001111:
      i.group = FpGroup::non_computational;  // min, max, sign injections
      i.reads_rs2 = true;
      if (fmt == 1) return std::nullopt;
      return i;
    case 0b1010000:
    case 0b1010001:
    case 0b1010010:
    case 0b1010011:
    case 0b1010100:
    case 0b1010101:
      i.group = FpGroup::non_computational;  // compares
      i.reads_rs2 = true;
      i.integer_rd = true;
      if (fmt == 1) return std::nullopt;
      return i;
    case 0b1000111:
    case 0b1010111: {  // sums of lanes
      i.group = FpGroup::dot_product;
      i.reads_rd = true;
      const bool known = (rs2 == 0b11100 && f3 == 0) || (rs2 == 0b11110 && f3 == 2) ||
                         (rs2 == 0b00111 && f3 == 3) || (rs2 == 0b10110 && f3 == 0) ||
                         (rs2 == 0b10111 && f3 == 2);
      if (!known) return std::nullopt;
      return i;
    }
    case 0b1001011:
    case 0b1011101:  // widening dot products
      i.group = FpGroup::dot_product;
      i.reads_rs2 = true;
      // In the replicated form the accumulator is replaced by rs2, see execute.
      i.reads_rd = !variant;
      if (fmt != 0 && fmt != 2) return std::nullopt;
      return i;
    case 0b1001100:
      switch (rs2) {
        // 0, 2, 3: is_lost_move()
        case 1:  // classify
          i.group = FpGroup::non_computational;
          i.integer_rd = true;
          if ((fmt != 0 && fmt != 2) || variant) return std::nullopt;
          return i;
        case 4:  // from f32
          i.group = FpGroup::conversion;
          if (fmt == 0) return std::nullopt;
          return i;
        case 5:  // between the half formats
          i.group = FpGroup::conversion;
          if (fmt != 2) return std::nullopt;
          return i;
        case 6:  // from half
          i.group = FpGroup::conversion;
          if (fmt != 0 && fmt != 3) return std::nullopt;
          return i;
        case 7:  // from byte
          i.group = FpGroup::conversion;
          if (fmt == 1) return std::nullopt;
          return i;
        default:
          return std::nullopt;
      }
    case 0b1011000:
    case 0b1011001:
    case 0b1011010:
    case 0b1011011:  // convert and pack
      i.group = FpGroup::conversion;
      i.reads_rs2 = true;
      i.reads_rd = fmt >= 2;
      if (fmt == 1 || (fmt == 0 && (variant || (function & 1)))) return std::nullopt;
      if (fmt == 2 && (function & 1)) return std::nullopt;
      return i;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_lost_move(std::uint32_t bits) {
  if ((bits & 0x7f) != op_packed || field(bits, 31, 25) != 0b1001100) return false;
  const std::uint32_t code = field(bits, 24, 20), f3 = field(bits, 14, 12);
  const bool small = f3 & 2;  // h or b
  return small && (code == 0 || code == 2 || code == 3 || (code == 1 && f3 == 3));
}

std::optional<FpInstruction> decode_fp(std::uint32_t bits) {
  FpInstruction i;
  i.bits = bits;
  const std::uint32_t op = bits & 0x7f;
  if (is_fused(op)) {
    const std::uint32_t f3 = field(bits, 14, 12);
    if (f3 == 5 || f3 == 6) return std::nullopt;
    i.reads_rs1 = i.reads_rs2 = i.reads_rs3 = true;
    return i;
  }
  if (op == op_scalar) return decode_scalar(i);
  if (op == op_packed && (bits >> 31)) return decode_packed(i);
  return std::nullopt;
}

}  // namespace quern::snitch
