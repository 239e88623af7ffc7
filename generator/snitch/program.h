// Level 3: structured Snitch code over virtual registers.
//
//   kernel matmul (a0, a1, a2) {
//     %i0 = li 199
//     scfgwi %i0 -> bound[0] of ft0
//     ...
//     ssr_on
//     frep %i1 x 7 {                   hardware loop; at most two deep, FP instructions only
//       %f0 = fmul.d ft0, ft1
//       frep %i0 x 13 { %f0 = fmadd.d ft0, ft1, %f0 }
//       ft2 = fmadd.d ft0, ft1, %f0
//     }
//     for 4 { ... }                    integer loop
//   }
//
// Virtual registers (%f, %i) get physical ones in registers.h; nothing spills.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "generator/snitch/instruction.h"

namespace quern::generator::snitch {

// A register: virtual (id counts from 0) or fixed (physical number).
struct Register {
  enum class Kind : std::uint8_t { none, fixed_integer, fixed_float, integer, floating };
  Kind kind = Kind::none;
  int id = 0;

  bool is_virtual() const { return kind == Kind::integer || kind == Kind::floating; }
  friend auto operator<=>(const Register&, const Register&) = default;
};

constexpr Register x_register(int number) { return {Register::Kind::fixed_integer, number}; }
constexpr Register f_register(int number) { return {Register::Kind::fixed_float, number}; }
constexpr Register argument_register(int index) { return x_register(10 + index); }
constexpr Register scalar_argument = f_register(10);  // fa0
constexpr Register zero_register = x_register(0);
constexpr Register stream_register(int mover) { return f_register(mover); }

struct Instruction {
  Opcode opcode = Opcode::li;
  Register rd, rs1, rs2, rs3;
  std::int64_t immediate = 0;
  std::string comment;
};

struct Node;
using Block = std::vector<Node>;

struct Loop {
  bool hardware = false;  // frep.o instead of an integer loop
  std::int64_t iterations = 1;
  Register counter;  // frep: holds iterations - 1; integer loop: counts down
  std::shared_ptr<Block> body;
  std::string comment;
};

struct Node {
  enum class Kind { instruction, loop, comment } kind = Kind::instruction;
  Instruction instruction;
  Loop loop;
  std::string text;  // of a comment
};

struct Program {
  std::string name;   // C symbol
  int arguments = 0;  // pointers in a0..
  bool scalar_argument = false;
  Block body;
  std::vector<std::string> integer_roles, float_roles;  // of the virtual registers, by id
  std::vector<std::string> notes;                       // for the header: stream shapes, choices

  Register new_integer(std::string role) {
    integer_roles.push_back(std::move(role));
    return {Register::Kind::integer, static_cast<int>(integer_roles.size()) - 1};
  }
  Register new_float(std::string role) {
    float_roles.push_back(std::move(role));
    return {Register::Kind::floating, static_cast<int>(float_roles.size()) - 1};
  }
};

// FP instructions that an FREP body puts into the sequencer.
std::int64_t sequencer_entries(const Block& block);
// Static count of frep.o instructions.
int count_freps(const Block& block);

std::string print(const Program& program);
std::string print(const Register& reg);

Node instruction(Opcode opcode, Register rd, Register rs1 = {}, Register rs2 = {},
                 Register rs3 = {}, std::int64_t immediate = 0, std::string comment = {});
Node comment(std::string text);
Node loop(std::int64_t iterations, Register counter, Block body, bool hardware,
          std::string text = {});

// Stream configuration words as (register, stream) of an scfgwi immediate.
constexpr int kAllStreams = 31;
namespace stream_config {
constexpr int repeat = 1, bound = 2, stride = 6, read_pointer = 24, write_pointer = 28;
}
Node configure_stream(Register value, int config_register, int stream);
std::string config_name(std::int64_t immediate);

}  // namespace quern::generator::snitch
