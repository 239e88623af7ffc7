// Decoder: instruction bytes -> what the timing model needs to know of them.
//
// It does not interpret: there is no value, only the class, the registers read and written, and for
// vector instructions how many registers each operand covers under a given vtype. What is not in
// the instruction table decodes to InstructionClass::unknown and is never free: whoever uses the
// decoder counts it and names it.
//
//   word --> Decoder::decode --> Instruction {name, class, operands, vtype set, branch}
//   Instruction + VectorType --> registers_of(operand)   {v8, 4 registers}
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "boards/timing/instruction_table.h"

namespace quern::timing {

// SEW, LMUL and vl as vsetvl* set them.
struct VectorType {
  std::int8_t lmul_log2 = 0;  // -3 .. 3
  std::uint8_t sew = 8;       // bits: 8, 16, 32, 64
  std::uint16_t vl = 0;       // 0: VLMAX, or not known (it came from a register)
  bool operator==(const VectorType&) const = default;
};

// Decodes a vtype immediate; reserved encodings (vill) give {0, 8}.
VectorType vector_type_of(std::uint32_t vtype);

struct Operand {
  RegisterFile file;
  std::uint8_t number;
  Access access;
  Shape shape;
};

// Registers numbered over the three files: x 0..31, f 32..63, v 64..95.
struct RegisterRange {
  std::uint8_t first = 0;
  std::uint8_t count = 0;
};
inline constexpr int register_count = 96;
std::string register_name(int number);  // "x5", "f10", "v8"

struct Instruction {
  const InstructionForm* form = nullptr;  // null: unknown
  std::uint32_t word = 0;
  std::uint8_t bytes = 4;
  bool masked = false;
  std::uint8_t operand_count = 0;
  std::array<Operand, 5> operands{};

  InstructionClass instruction_class() const {
    return form ? form->instruction_class : InstructionClass::unknown;
  }
  // The mnemonic, or the bytes of an unknown instruction as "0x........".
  std::string name() const;

  // vsetvli and vsetivli: the vtype that they set. vsetvl takes it from a register: not known.
  bool sets_vector_type() const;
  bool vector_type_known() const;
  // `before` gives the vl that "vsetvli x0, x0" keeps.
  VectorType new_vector_type(VectorType before = {}) const;

  // Bytes of a scalar access; 0 for what is not one.
  unsigned scalar_bytes() const;

  // Vector memory: bits of an element in memory (of the index, for indexed accesses), fields of a
  // segment, and registers that a whole-register instruction moves.
  unsigned memory_eew() const;
  unsigned fields() const;
  unsigned whole_registers() const;

  // Direct branches and jumps: displacement from this instruction. 0 where there is none.
  std::int32_t displacement() const;
  bool is_conditional_branch() const { return instruction_class() == InstructionClass::branch; }
  bool is_indirect_jump() const;
  bool is_return() const;  // jump through ra that does not link
  bool is_call() const;    // jump that links to ra
};

// log2 of the registers that the instruction works on: LMUL, or EMUL for memory and whole-register
// instructions. The key to per-LMUL costs.
int effective_lmul_log2(const Instruction& instruction, VectorType type);
// The element width that costs depend on: EEW for memory, SEW otherwise.
unsigned effective_sew(const Instruction& instruction, VectorType type);

// Registers of one operand under `type`; count 0 for x0.
RegisterRange registers_of(const Instruction& instruction, const Operand& operand, VectorType type);

class Decoder {
 public:
  static const Decoder& instance();

  // Decodes the instruction at the start of `bytes` (at least 2, 4 if it is a 4-byte one).
  Instruction decode(const std::uint8_t* bytes) const;
  Instruction decode_word(std::uint32_t word) const;

 private:
  Decoder();
  static unsigned bucket_of(std::uint32_t word) {
    // 4 bytes: opcode and funct3. 2 bytes: quadrant and funct3.
    return (word & 3u) == 3u ? (word & 0x7fu) << 3 | (word >> 12 & 7u)
                             : (word & 3u) << 3 | (word >> 13 & 7u);
  }
  std::array<std::vector<const InstructionForm*>, 1024> wide_;
  std::array<std::vector<const InstructionForm*>, 32> compressed_;
};

// Machine code as instructions, from its first byte to its last.
std::vector<Instruction> decode_all(std::string_view code);

}  // namespace quern::timing
