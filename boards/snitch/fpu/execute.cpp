// What an FP instruction computes.
#include "boards/snitch/fpu/arithmetic.h"
#include "boards/snitch/fpu/instruction.h"
#include "boards/snitch/fpu/instruction_bits.h"

namespace quern::snitch {
namespace {

constexpr std::uint64_t ones = ~std::uint64_t{0};

std::uint64_t low_bits(std::uint64_t value, int width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

std::uint64_t box(FpFormat format, std::uint64_t value) {
  const int width = info(format).width();
  return width >= 64 ? value : low_bits(value, width) | (ones << width);
}

// The scalar in a register: an operand that is not NaN-boxed reads as the canonical NaN.
std::uint64_t unbox(FpFormat format, std::uint64_t reg) {
  const int width = info(format).width();
  if (width < 64 && (reg >> width) != (ones >> width)) return canonical_nan(format);
  return low_bits(reg, width);
}

std::uint64_t lane(std::uint64_t reg, int width, int index) {
  return low_bits(reg >> (width * index), width);
}

void set_lane(std::uint64_t& reg, int width, int index, std::uint64_t value) {
  const int at = width * index;
  reg &= ~(low_bits(ones, width) << at);
  reg |= low_bits(value, width) << at;
}

std::uint64_t sign_bit(FpFormat format) { return std::uint64_t{1} << (info(format).width() - 1); }

// The two-bit format field: 0 f32, 1 f64, 2 half, 3 byte; `alt` picks bf16 and f8alt.
FpFormat format_of(std::uint32_t code, bool alt) {
  switch (code & 3) {
    case 0:
      return FpFormat::f32;
    case 1:
      return FpFormat::f64;
    case 2:
      return alt ? FpFormat::bf16 : FpFormat::f16;
    default:
      return alt ? FpFormat::f8alt : FpFormat::f8;
  }
}

Rounding rounding_of(std::uint32_t mode) {
  return mode <= 5 ? static_cast<Rounding>(mode) : Rounding::nearest_even;
}

std::uint64_t inject_sign(FpFormat format, std::uint32_t kind, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sign = sign_bit(format);
  const std::uint64_t from = kind == 0 ? b : kind == 1 ? ~b : a ^ b;
  return (a & ~sign) | (from & sign);
}

std::uint64_t sign_extend(std::uint64_t value, int width) {
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return ((low_bits(value, width) ^ sign) - sign) & 0xffffffffU;
}

FpResult execute_fused(const FpInstruction& i, const FpOperands& o) {
  const std::uint32_t fmt = field(i.bits, 26, 25), f3 = field(i.bits, 14, 12);
  const FpFormat from = format_of(fmt, o.source_alt), to = format_of(fmt, o.result_alt);
  const std::uint32_t kind = field(i.bits, 3, 2);  // 0 madd, 1 msub, 2 nmsub, 3 nmadd
  std::uint64_t a = unbox(from, o.rs1), c = unbox(to, o.rs3);
  const std::uint64_t b = unbox(from, o.rs2);
  if (kind == 2 || kind == 3) a ^= sign_bit(from);
  if (kind == 1 || kind == 3) c ^= sign_bit(to);
  FpResult r;
  r.value = box(to, fp_multiply_add(to, from, a, b, c, rounding_of(f3 == 7 ? o.frm : f3), r.flags));
  return r;
}

FpResult execute_scalar(const FpInstruction& i, const FpOperands& o) {
  const std::uint32_t function = field(i.bits, 31, 27), rs2 = field(i.bits, 24, 20),
                      f3 = field(i.bits, 14, 12), fmt = field(i.bits, 26, 25);
  const FpFormat from = format_of(fmt, o.source_alt), to = format_of(fmt, o.result_alt);
  const Rounding rounding = rounding_of(f3 == 7 ? o.frm : f3);
  FpResult r;
  switch (function) {
    case 0b00000:
    case 0b00001: {
      const std::uint64_t b = unbox(to, o.rs2) ^ (function == 1 ? sign_bit(to) : 0);
      r.value = box(to, fp_add(to, from, unbox(from, o.rs1), to, b, rounding, r.flags));
      return r;
    }
    case 0b00010:
      r.value =
          box(to, fp_multiply(to, from, unbox(from, o.rs1), unbox(from, o.rs2), rounding, r.flags));
      return r;
    case 0b00100:
      r.value = box(from, inject_sign(from, f3, unbox(from, o.rs1), unbox(from, o.rs2)));
      return r;
    case 0b00101:
      r.value =
          box(from, fp_min_max(from, f3 == 1, unbox(from, o.rs1), unbox(from, o.rs2), r.flags));
      return r;
    case 0b01000: {
      const FpFormat source = format_of(rs2, o.source_alt);
      r.value = box(to, fp_convert(to, source, unbox(source, o.rs1), rounding, r.flags));
      return r;
    }
    case 0b10100: {
      const FpOrder order =
          fp_compare(from, unbox(from, o.rs1), unbox(from, o.rs2), f3 == 2, r.flags);
      const bool less = order == FpOrder::less, equal = order == FpOrder::equal;
      r.value = f3 == 2 ? equal : f3 == 1 ? less : less || equal;
      return r;
    }
    case 0b11000:
      r.value = fp_to_integer(32, rs2 == 0, from, unbox(from, o.rs1), rounding, r.flags);
      return r;
    case 0b11010:
      r.value = box(to, fp_from_integer(to, 32, rs2 == 0, o.rs1, rounding, r.flags));
      // This machine reports an integer that the format cannot hold as invalid, not as overflow.
      if (r.flags & fp_overflow) r.flags = fp_invalid | fp_inexact;
      return r;
    case 0b11100: {
      const int width = info(from).width();
      if (f3 == 1)
        r.value = fp_classify(from, unbox(from, o.rs1));
      else  // no box is asked of the operand of a move
        r.value = width >= 32 ? o.rs1 & 0xffffffffU : sign_extend(o.rs1, width);
      return r;
    }
    default:  // 0b11110
      r.value = box(to, o.rs1);
      return r;
  }
}

FpResult execute_dot_product(const FpInstruction& i, const FpOperands& o) {
  const std::uint32_t function = field(i.bits, 31, 25), rs2 = field(i.bits, 24, 20),
                      f3 = field(i.bits, 14, 12);
  const bool dot = function == 0b1001011 || function == 0b1011101;
  const bool negate = function == 0b1010111 || function == 0b1011101;
  const bool widening = dot || rs2 == 0b10110 || rs2 == 0b10111;
  const std::uint32_t to_code = f3 & 3;
  const std::uint32_t from_code = !widening ? to_code : to_code == 0 ? 2 : 3;
  const FpFormat to = format_of(to_code, o.result_alt), from = format_of(from_code, o.source_alt);
  const int from_width = info(from).width(), to_width = info(to).width();
  // vfsum has half as many results as lanes; the rest of the register reads as all ones.
  const int results = widening ? 64 / to_width : 32 / from_width;
  const Rounding rounding = rounding_of(o.frm);
  std::uint64_t accumulator = o.rd;
  if (dot && (f3 & 4)) {
    // The replicated form of this machine feeds the replicated rs2 to the accumulator input.
    for (int k = 0; k < 64 / from_width; ++k)
      set_lane(accumulator, from_width, k, lane(o.rs2, from_width, 0));
  }
  FpResult r;
  r.value = ones;
  for (int k = 0; k < results; ++k) {
    std::uint64_t a = lane(o.rs1, from_width, 2 * k), c = lane(o.rs1, from_width, 2 * k + 1);
    if (negate) {
      a ^= sign_bit(from);
      c ^= sign_bit(from);
    }
    const std::uint64_t e = lane(accumulator, to_width, k);
    const std::uint64_t sum =
        dot ? fp_dot2_add(to, from, a, lane(o.rs2, from_width, 2 * k), c,
                          lane(o.rs2, from_width, 2 * k + 1), e, rounding, r.flags)
            : fp_sum3(to, from, a, c, e, rounding, r.flags);
    set_lane(r.value, to_width, k, sum);
  }
  return r;
}

FpResult execute_packed_conversion(const FpInstruction& i, const FpOperands& o) {
  const std::uint32_t rs2 = field(i.bits, 24, 20), f3 = field(i.bits, 14, 12);
  const bool variant = f3 & 4;
  const FpFormat to = format_of(f3, o.result_alt);
  const int to_width = info(to).width();
  const Rounding rounding = rounding_of(o.frm);
  const std::uint32_t from_code = rs2 == 4 ? 0 : rs2 == 7 ? 3 : 2;
  const FpFormat from = format_of(from_code, o.source_alt);
  const int from_width = info(from).width();
  const int count = 64 / (from_width > to_width ? from_width : to_width);
  // The variant (vfcvtu) reads the upper half of rs1 when it widens, and is no other instruction
  // when it narrows. A narrower result fills the lower part; the rest of the register reads as all
  // ones, whatever rd held.
  const std::uint64_t source = variant && from_width < to_width ? o.rs1 >> 32 : o.rs1;
  FpResult r;
  r.value = ones;
  for (int k = 0; k < count; ++k)
    set_lane(r.value, to_width, k,
             fp_convert(to, from, lane(source, from_width, k), rounding, r.flags));
  return r;
}

FpResult execute_pack(const FpInstruction& i, const FpOperands& o) {
  const std::uint32_t function = field(i.bits, 31, 25), f3 = field(i.bits, 14, 12);
  const FpFormat from = (function & 2) ? FpFormat::f64 : FpFormat::f32;
  const FpFormat to = format_of(f3, o.result_alt);
  const int width = info(to).width(), source_width = info(from).width();
  const int pair = 2 * static_cast<int>(function & 1) + ((f3 & 4) ? 1 : 0);
  const Rounding rounding = rounding_of(o.frm);
  FpResult r;
  r.value = o.rd;
  set_lane(r.value, width, 2 * pair,
           fp_convert(to, from, low_bits(o.rs1, source_width), rounding, r.flags));
  set_lane(r.value, width, 2 * pair + 1,
           fp_convert(to, from, low_bits(o.rs2, source_width), rounding, r.flags));
  return r;
}

bool compare_lane(std::uint32_t function, FpFormat format, std::uint64_t a, std::uint64_t b,
                  std::uint8_t& flags) {
  const FpOrder order = fp_compare(format, a, b, function <= 0b1010001, flags);
  const bool less = order == FpOrder::less, equal = order == FpOrder::equal;
  switch (function) {
    case 0b1010000:
      return equal;
    case 0b1010001:
      return !equal;
    case 0b1010010:
      return less;
    case 0b1010011:
      return order == FpOrder::greater || equal;
    case 0b1010100:
      return less || equal;
    default:
      return order == FpOrder::greater;
  }
}

// A lane's class in the eight bits that a packed instruction has for it:
//   7 negative | 6 not so, or NaN | 5 quiet NaN | 4 signalling NaN | 3 zero | 2 subnormal | 1
//   normal | 0 infinite
// `mask`: the one of fclass.
std::uint32_t class_byte(std::uint32_t mask) {
  const auto bit = [&](int n) { return mask >> n & 1; };
  const bool negative = mask & 0xf;
  return (negative ? 0x80U : 0x40U) | bit(9) << 5 | bit(8) << 4 | (bit(3) | bit(4)) << 3 |
         (bit(2) | bit(5)) << 2 | (bit(1) | bit(6)) << 1 | (bit(0) | bit(7));
}

FpResult execute_packed(const FpInstruction& i, const FpOperands& o) {
  const std::uint32_t function = field(i.bits, 31, 25), f3 = field(i.bits, 14, 12);
  if (i.group == FpGroup::dot_product) return execute_dot_product(i, o);
  if (i.group == FpGroup::conversion)
    return function == 0b1001100 ? execute_packed_conversion(i, o) : execute_pack(i, o);
  const FpFormat from = format_of(f3, o.source_alt), to = format_of(f3, o.result_alt);
  const int width = info(from).width();
  const bool replicate = f3 & 4;
  const Rounding rounding = rounding_of(o.frm);
  FpResult r;
  for (int k = 0; k < 64 / width; ++k) {
    const std::uint64_t a = lane(o.rs1, width, k), b = lane(o.rs2, width, replicate ? 0 : k),
                        d = lane(o.rd, width, k);
    switch (function) {
      case 0b1000001:
        set_lane(r.value, width, k, fp_add(to, from, a, to, b, rounding, r.flags));
        break;
      case 0b1000010:
        set_lane(r.value, width, k, fp_add(to, from, a, to, b ^ sign_bit(to), rounding, r.flags));
        break;
      case 0b1000011:
        set_lane(r.value, width, k, fp_multiply(to, from, a, b, rounding, r.flags));
        break;
      case 0b1001000:
        set_lane(r.value, width, k, fp_multiply_add(to, from, a, b, d, rounding, r.flags));
        break;
      case 0b1001001:
        set_lane(r.value, width, k,
                 fp_multiply_add(to, from, a ^ sign_bit(from), b, d, rounding, r.flags));
        break;
      case 0b1000101:
      case 0b1000110:
        set_lane(r.value, width, k, fp_min_max(from, function & 2, a, b, r.flags));
        break;
      case 0b1001101:
      case 0b1001110:
      case 0b1001111:
        set_lane(r.value, width, k, inject_sign(from, function - 0b1001101, a, b));
        break;
      case 0b1001100:  // classify
        r.value |= std::uint64_t{class_byte(fp_classify(from, a))} << (8 * k);
        break;
      default:  // compares: one bit a lane
        r.value |= std::uint64_t{compare_lane(function, from, a, b, r.flags)} << k;
        break;
    }
  }
  return r;
}

}  // namespace

FpResult execute_fp(const FpInstruction& instruction, const FpOperands& operands) {
  const std::uint32_t op = instruction.bits & 0x7f;
  if (is_fused(op)) return execute_fused(instruction, operands);
  if (op == op_scalar) return execute_scalar(instruction, operands);
  return execute_packed(instruction, operands);
}

}  // namespace quern::snitch
