#include "boards/timing/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace quern::timing {
namespace {

std::uint32_t bits(std::uint32_t word, int high, int low) {
  return word >> low & ((1u << (high - low + 1)) - 1u);
}

std::uint8_t field_of(std::uint32_t word, char field) {
  switch (field) {
    case 'd':
      return static_cast<std::uint8_t>(bits(word, 11, 7));
    case '1':
      return static_cast<std::uint8_t>(bits(word, 19, 15));
    case '2':
      return static_cast<std::uint8_t>(bits(word, 24, 20));
    case '3':
      return static_cast<std::uint8_t>(bits(word, 31, 27));
    case 'p':
      return static_cast<std::uint8_t>(bits(word, 9, 7) + 8);
    case 'q':
      return static_cast<std::uint8_t>(bits(word, 4, 2) + 8);
    case 'r':
      return static_cast<std::uint8_t>(bits(word, 6, 2));
    case 's':
      return 2;
    case 'a':
      return 1;
    default:
      QUERN_CHECK(field == '0');
      return 0;
  }
}

// Places bit `from` of word at bit `to`.
std::uint32_t move_bit(std::uint32_t word, int from, int to) { return (word >> from & 1u) << to; }

std::int32_t sign_extend(std::uint32_t value, int width) {
  const std::uint32_t sign = 1u << (width - 1);
  return static_cast<std::int32_t>((value ^ sign) - sign);
}

bool is_named(const Instruction& instruction, std::string_view name) {
  return instruction.form && instruction.form->name == name;
}

int log2_of(unsigned value) {
  int log2 = 0;
  while (value > 1) value >>= 1, ++log2;
  return log2;
}

}  // namespace

VectorType vector_type_of(std::uint32_t vtype) {
  const std::uint32_t vlmul = vtype & 7u, vsew = vtype >> 3 & 7u;
  if (vlmul == 4 || vsew > 3) return {};
  VectorType type;
  type.lmul_log2 =
      static_cast<std::int8_t>(vlmul < 4 ? static_cast<int>(vlmul) : static_cast<int>(vlmul) - 8);
  type.sew = static_cast<std::uint8_t>(8u << vsew);
  return type;
}

std::string register_name(int number) {
  static const char letters[] = {'x', 'f', 'v'};
  return fmt::format("{}{}", letters[number / 32], number % 32);
}

std::string Instruction::name() const {
  if (form) return form->name;
  return bytes == 2 ? fmt::format("0x{:04x}", word) : fmt::format("0x{:08x}", word);
}

bool Instruction::sets_vector_type() const {
  return instruction_class() == InstructionClass::vector_configure;
}

bool Instruction::vector_type_known() const { return sets_vector_type() && form->name != "vsetvl"; }

VectorType Instruction::new_vector_type(VectorType before) const {
  const bool immediate = form->name == "vsetivli";
  VectorType type = vector_type_of(immediate ? bits(word, 29, 20) : bits(word, 30, 20));
  if (immediate)
    type.vl = static_cast<std::uint16_t>(bits(word, 19, 15));
  else if (bits(word, 19, 15) == 0 && bits(word, 11, 7) == 0)
    type.vl = before.vl;
  return type;
}

unsigned Instruction::scalar_bytes() const {
  const auto c = instruction_class();
  if (!is_scalar_load(c) && !is_scalar_store(c)) return 0;
  // The low bits of funct3 are log2 of the size; compressed words have 2 (lw) or another (8 bytes).
  if (bytes == 4) return 1u << (bits(word, 13, 12));
  return (bits(word, 14, 13)) == 2 ? 4 : 8;
}

unsigned Instruction::memory_eew() const {
  switch (bits(word, 14, 12)) {
    case 0:
      return 8;
    case 5:
      return 16;
    case 6:
      return 32;
    default:
      return 64;
  }
}

unsigned Instruction::fields() const {
  const auto c = instruction_class();
  if (!is_vector_load(c) && !is_vector_store(c)) return 1;
  if (c == InstructionClass::vector_load_whole || c == InstructionClass::vector_store_whole)
    return 1;
  return bits(word, 31, 29) + 1;
}

unsigned Instruction::whole_registers() const {
  return (instruction_class() == InstructionClass::vector_move_whole ? bits(word, 17, 15)
                                                                     : bits(word, 31, 29)) +
         1;
}

std::int32_t Instruction::displacement() const {
  if (!form) return 0;
  if (bytes == 2) {
    if (form->name == "c.j")
      return sign_extend(move_bit(word, 12, 11) | move_bit(word, 11, 4) | bits(word, 10, 9) << 8 |
                             move_bit(word, 8, 10) | move_bit(word, 7, 6) | move_bit(word, 6, 7) |
                             bits(word, 5, 3) << 1 | move_bit(word, 2, 5),
                         12);
    if (instruction_class() == InstructionClass::branch)
      return sign_extend(move_bit(word, 12, 8) | bits(word, 11, 10) << 3 | bits(word, 6, 5) << 6 |
                             bits(word, 4, 3) << 1 | move_bit(word, 2, 5),
                         9);
    return 0;
  }
  if (instruction_class() == InstructionClass::branch)
    return sign_extend(move_bit(word, 31, 12) | move_bit(word, 7, 11) | bits(word, 30, 25) << 5 |
                           bits(word, 11, 8) << 1,
                       13);
  if (form->name == "jal")
    return sign_extend(move_bit(word, 31, 20) | bits(word, 19, 12) << 12 | move_bit(word, 20, 11) |
                           bits(word, 30, 21) << 1,
                       21);
  return 0;
}

bool Instruction::is_indirect_jump() const {
  return is_named(*this, "jalr") || is_named(*this, "c.jr") || is_named(*this, "c.jalr");
}

bool Instruction::is_return() const {
  if (is_named(*this, "c.jr")) return bits(word, 11, 7) == 1;
  return is_named(*this, "jalr") && bits(word, 11, 7) == 0 && bits(word, 19, 15) == 1;
}

bool Instruction::is_call() const {
  if (is_named(*this, "c.jalr")) return true;
  return (is_named(*this, "jalr") || is_named(*this, "jal")) && bits(word, 11, 7) == 1;
}

int effective_lmul_log2(const Instruction& instruction, VectorType type) {
  using enum InstructionClass;
  const auto c = instruction.instruction_class();
  switch (c) {
    case vector_move_whole:
    case vector_load_whole:
    case vector_store_whole:
      return log2_of(instruction.whole_registers());
    case vector_load_mask:
    case vector_store_mask:
    case vector_mask_logic:
      return 0;
    case vector_load_indexed:
    case vector_load_segment_indexed:
    case vector_store_indexed:
    case vector_store_segment_indexed:
      return type.lmul_log2;
    default:
      break;
  }
  if (is_vector_load(c) || is_vector_store(c))
    return std::clamp(type.lmul_log2 + log2_of(instruction.memory_eew()) - log2_of(type.sew), -3,
                      3);
  return type.lmul_log2;
}

unsigned effective_sew(const Instruction& instruction, VectorType type) {
  using enum InstructionClass;
  const auto c = instruction.instruction_class();
  switch (c) {
    case vector_load_indexed:
    case vector_load_segment_indexed:
    case vector_store_indexed:
    case vector_store_segment_indexed:
      return type.sew;
    default:
      return is_vector_load(c) || is_vector_store(c) ? instruction.memory_eew() : type.sew;
  }
}

RegisterRange registers_of(const Instruction& instruction, const Operand& operand,
                           VectorType type) {
  if (operand.file != RegisterFile::vector) {
    if (operand.file == RegisterFile::integer && operand.number == 0) return {};
    return {static_cast<std::uint8_t>(operand.number +
                                      (operand.file == RegisterFile::floating ? 32 : 0)),
            1};
  }
  const auto power = [](int log2) { return log2 <= 0 ? 1 : 1 << std::min(log2, 3); };
  const int lmul = type.lmul_log2;
  int count = 1;
  switch (operand.shape) {
    case Shape::scalar:
    case Shape::one:
      count = 1;
      break;
    case Shape::group:
      count = power(lmul) * static_cast<int>(instruction.fields());
      break;
    case Shape::twice:
      count = power(lmul + 1);
      break;
    case Shape::half:
      count = power(lmul - 1);
      break;
    case Shape::quarter:
      count = power(lmul - 2);
      break;
    case Shape::eighth:
      count = power(lmul - 3);
      break;
    case Shape::index:
      count = power(lmul + log2_of(instruction.memory_eew()) - log2_of(type.sew));
      break;
    case Shape::memory:
      count =
          power(effective_lmul_log2(instruction, type)) * static_cast<int>(instruction.fields());
      break;
    case Shape::eew16:
      count = power(lmul + 4 - log2_of(type.sew));
      break;
    case Shape::whole:
      count = static_cast<int>(instruction.whole_registers());
      break;
  }
  count = std::min(count, 32 - operand.number);  // a reserved encoding must not leave the file
  return {static_cast<std::uint8_t>(64 + operand.number), static_cast<std::uint8_t>(count)};
}

Decoder::Decoder() {
  for (const auto& form : instruction_table()) {
    const bool wide = (form.match & 3u) == 3u;
    const unsigned count = wide ? 1024 : 32;
    for (unsigned bucket = 0; bucket < count; ++bucket) {
      // A word that has only this bucket's bits; the row belongs here unless it fixes one of them
      // otherwise.
      const std::uint32_t selected = wide ? 0x707fu : 0xe003u;
      const std::uint32_t word =
          wide ? (bucket >> 3) | (bucket & 7u) << 12 : (bucket >> 3) | (bucket & 7u) << 13;
      if ((word & form.mask & selected) == (form.match & selected))
        (wide ? wide_[bucket] : compressed_[bucket]).push_back(&form);
    }
  }
}

const Decoder& Decoder::instance() {
  static const Decoder decoder;
  return decoder;
}

Instruction Decoder::decode(const std::uint8_t* bytes) const {
  std::uint32_t word = static_cast<std::uint32_t>(bytes[0] | bytes[1] << 8);
  if ((word & 3u) == 3u)
    word |= static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
  return decode_word(word);
}

Instruction Decoder::decode_word(std::uint32_t word) const {
  Instruction instruction;
  const bool wide = (word & 3u) == 3u;
  if (!wide) word &= 0xffffu;
  instruction.word = word;
  instruction.bytes = wide ? 4 : 2;
  const auto& candidates = wide ? wide_[bucket_of(word)] : compressed_[bucket_of(word)];
  for (const InstructionForm* form : candidates) {
    if ((word & form->mask) != form->match) continue;
    instruction.form = form;
    instruction.masked = form->maskable && (word >> 25 & 1u) == 0;
    for (const auto& operand : form->operands)
      instruction.operands[instruction.operand_count++] = {
          operand.file, field_of(word, operand.field), operand.access, operand.shape};
    if (instruction.masked)
      instruction.operands[instruction.operand_count++] = {RegisterFile::vector, 0, Access::read,
                                                           Shape::one};
    break;
  }
  return instruction;
}

std::vector<Instruction> decode_all(std::string_view code) {
  std::vector<Instruction> instructions;
  for (std::size_t at = 0; at + 2 <= code.size();) {
    std::uint8_t bytes[4] = {};
    for (std::size_t i = 0; i < 4 && at + i < code.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(code[at + i]);
    instructions.push_back(Decoder::instance().decode(bytes));
    at += instructions.back().bytes;
  }
  return instructions;
}

}  // namespace quern::timing
