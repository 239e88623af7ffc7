// The core instruction by instruction: the RTL decodes, reads and rounds as the interpreter does,
// and refuses what decode_fp() refuses.
#include "boards/snitch/fpu/instruction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "boards/snitch/harness/machine.h"
#include "boards/snitch/harness/test_program.h"
#include "boards/snitch/interpreter/instruction_program.h"
#include "boards/snitch/interpreter/interpreter.h"

namespace quern::snitch::interpreter {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

void compare(const InstructionProgram& program) {
  const ElfImage image = assemble_program(program.text);
  const InterpreterResult expected = interpret(image);
  ASSERT_EQ(expected.outcome, Outcome::exited) << expected.message;
  const RunResult got = make_single_core()->run(image, {});
  ASSERT_EQ(got.end, RunEnd::exited) << got.message;
  const auto want = lines(expected.console), have = lines(got.console);
  ASSERT_EQ(want.size(), program.instructions.size());
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_EQ(have[i], want[i]) << fmt::format("instruction {:#010x}", program.instructions[i]);
}

TEST(Instruction, IntegerOperationsAgreeWithTheInterpreter) {
  const InstructionProgram program = integer_instructions();
  EXPECT_GT(program.instructions.size(), 100U);
  compare(program);
}

class FloatInstructions : public testing::TestWithParam<unsigned> {};
TEST_P(FloatInstructions, AgreeWithTheInterpreter) {
  const InstructionProgram program = float_instructions(GetParam());
  EXPECT_GT(program.instructions.size(), 500U);
  compare(program);
}
INSTANTIATE_TEST_SUITE_P(Modes, FloatInstructions, testing::Values(0U, 1U, 2U, 3U));

// A trap handler notes which words are illegal, and goes on behind them.
TEST(Instruction, IsLegalWhereTheDecoderSaysSo) {
  const std::vector<std::uint32_t> words = float_encodings();
  std::string text = ".globl main\nmain:\n  mv s0, ra\n  la t0, handler\n  csrw mtvec, t0\n";
  for (std::uint32_t word : words)
    text += fmt::format("  li s1, '1'\n  .word {:#010x}\n  mv a0, s1\n  call print_char\n", word);
  text +=
      "  li a0, 0\n  jr s0\n.align 2\nhandler:\n  li s1, '0'\n  csrr t0, mepc\n  addi t0, t0, 4\n"
      "  csrw mepc, t0\n  mret\n";
  const RunResult got = make_single_core()->run(assemble_program(text), {});
  ASSERT_EQ(got.end, RunEnd::exited) << got.message;
  ASSERT_EQ(got.console.size(), words.size());
  int legal = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool known = decode_fp(words[i]).has_value() || is_lost_move(words[i]);
    legal += known;
    EXPECT_EQ(got.console[i], known ? '1' : '0') << fmt::format("instruction {:#010x}", words[i]);
  }
  EXPECT_GT(legal, 500);
}

}  // namespace
}  // namespace quern::snitch::interpreter
