// What the interpreter says about programs that silicon would hang on or run into nonsense. The
// programs are a few instruction words, encoded here by hand.
#include "boards/snitch/interpreter/interpreter.h"

#include <gtest/gtest.h>

namespace quern::snitch::interpreter {
namespace {

constexpr std::uint32_t kStart = 0x8000'0000, kTohost = 0x8000'1000;

// lui t0, tohost; li t1, 1; sw t1, 0(t0)
constexpr std::uint32_t kLuiTohost = 0x8000'12b7, kLiT1 = 0x0010'0313, kSwTohost = 0x0062'a023;

std::uint32_t li(unsigned rd, int value) {
  return static_cast<std::uint32_t>(value) << 20 | rd << 7 | 0x13;
}
std::uint32_t lui(unsigned rd, std::uint32_t value) { return (value & ~0xfffu) | rd << 7 | 0x37; }
std::uint32_t scfgwi(unsigned rs1, unsigned reg, unsigned stream) {
  return (reg << 5 | stream) << 20 | rs1 << 15 | 2 << 12 | 0x2b;
}
std::uint32_t frep(unsigned rs1, unsigned count) {
  return (count - 1) << 20 | rs1 << 15 | 1 << 7 | 0x0b;
}
constexpr std::uint32_t kStreamsOn = 0x7c00'e073;  // csrsi 0x7c0, 1
std::uint32_t fadd_d(unsigned rd, unsigned rs1, unsigned rs2) {
  return 1u << 25 | rs2 << 20 | rs1 << 15 | rd << 7 | 0x53;
}

InterpreterResult run(std::vector<std::uint32_t> words, InterpreterOptions options = {}) {
  for (std::uint32_t word : {kLuiTohost, kLiT1, kSwTohost}) words.push_back(word);
  ElfImage image;
  image.entry = kStart;
  ElfSegment code{kStart, {}};
  for (std::uint32_t word : words) {
    for (int i = 0; i < 4; ++i) code.bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  }
  image.segments.push_back(code);
  image.symbols["tohost"] = kTohost;
  return interpret(image, options);
}

// Starts a one-dimensional job of `count` elements on stream 0: reg 24 reads, reg 28 writes.
std::vector<std::uint32_t> stream_job(int count, unsigned pointer_register) {
  return {li(5, count - 1),
          scfgwi(5, 2, 0),
          li(5, 8),
          scfgwi(5, 6, 0),
          scfgwi(0, 1, 0),
          lui(5, 0x1000'0000),
          scfgwi(5, pointer_register, 0),
          kStreamsOn};
}

std::vector<std::uint32_t> operator+(std::vector<std::uint32_t> a,
                                     const std::vector<std::uint32_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(Interpreter, EndsAtTohost) {
  const InterpreterResult result = run({});
  EXPECT_EQ(result.outcome, Outcome::exited) << result.message;
  EXPECT_EQ(result.exit_code, 0u);
  EXPECT_EQ(result.counters.instructions, 3u);
}

TEST(Interpreter, ReportsWhatHardwareLeavesUndefined) {
  struct Case {
    const char* what;
    std::vector<std::uint32_t> words;
    Outcome outcome;
    const char* message;
  };
  const Case cases[] = {
      {"all zeros", {0}, Outcome::illegal_instruction, "0x00000000"},
      {"frep.i", {0x0000'000b}, Outcome::illegal_instruction, "0x0000000b"},
      {"fdiv.d", {0x1a00'0053}, Outcome::illegal_instruction, "0x1a000053"},
      {"lw of an odd address",
       {li(5, 1), 0x0002'a303},
       Outcome::misaligned,
       "4-byte access at 0x1"},
      {"lw of address 0", {0x0000'2303}, Outcome::bad_address, "nothing answers at 0x0"},
      {"jump to a half word", {0x0020'0067}, Outcome::misaligned, "jump to 0x2"},
      {"three reads of two elements",
       stream_job(2, 24) + std::vector{fadd_d(3, 0, 4), fadd_d(3, 0, 4), fadd_d(3, 0, 4)},
       Outcome::stream_misuse, "ft0 is read after its last element"},
      {"three writes of two elements",
       stream_job(2, 28) + std::vector{fadd_d(0, 3, 4), fadd_d(0, 3, 4), fadd_d(0, 3, 4)},
       Outcome::stream_misuse, "ft0 is written after its last element"},
      {"a write to a read stream", stream_job(9, 24) + std::vector{fadd_d(0, 3, 4)},
       Outcome::stream_misuse, "ft0 is written while it is a read stream"},
      {"a read of a write stream", stream_job(2, 28) + std::vector{fadd_d(3, 0, 4)},
       Outcome::stream_misuse, "ft0 is read while it is a write stream"},
      {"frep of 65 instructions", {frep(0, 65)}, Outcome::sequencer_misuse, "holds 64"},
      {"frep three deep",
       {frep(0, 3), frep(0, 2), frep(0, 1)},
       Outcome::sequencer_misuse,
       "3 deep"},
      {"an inner body that is too long",
       {frep(0, 1), frep(0, 2)},
       Outcome::sequencer_misuse,
       "past the end"},
      {"an end inside a body",
       {frep(0, 2), fadd_d(3, 3, 3)},
       Outcome::sequencer_misuse,
       "inside an frep.o body"},
  };
  for (const Case& c : cases) {
    const InterpreterResult result = run(c.words);
    EXPECT_EQ(result.outcome, c.outcome) << c.what << ": " << result.message;
    EXPECT_NE(result.message.find(c.message), std::string::npos)
        << c.what << ": " << result.message;
  }
}

TEST(Interpreter, HasMemoryEverywhereWhereAskedTo) {
  // Illegal where a word stored at address 8 is not loaded again.
  const std::vector<std::uint32_t> words = {
      li(6, 77),
      0x0060'2423,  // sw t1, 8(x0)
      0x0080'2283,  // lw t0, 8(x0)
      0x0062'8463,  // beq t0, t1, behind the next
      0x0000'0000,
  };
  InterpreterOptions options;
  EXPECT_EQ(run(words, options).outcome, Outcome::bad_address);
  options.memory_everywhere = true;
  const InterpreterResult result = run(words, options);
  EXPECT_EQ(result.outcome, Outcome::exited) << result.message;
}

TEST(Interpreter, LosesMovesBetweenPackedAndInteger) {
  // li a1, 8; vfcvt.h.x fa1, ft3: a1 is zero, so that the branch skips the illegal word.
  const InterpreterResult result = run({li(11, 8), 0x9831'a5b3, 0x0005'8463, 0x0000'0000});
  EXPECT_EQ(result.outcome, Outcome::exited) << result.message;
  EXPECT_EQ(result.counters.fpu, 0u);
}

TEST(Interpreter, StopsAtTheInstructionLimit) {
  InterpreterOptions options;
  options.instruction_limit = 1000;
  EXPECT_EQ(run({0x0000'006f}, options).outcome, Outcome::timeout);  // j .
  // Also inside a hardware loop.
  EXPECT_EQ(run({lui(5, 0x0001'0000), li(5, -1), frep(5, 1), fadd_d(3, 3, 3)}, options).outcome,
            Outcome::timeout);
}

TEST(Interpreter, CountsRepeatedInstructionsAndLeftovers) {
  const InterpreterResult result =
      run(stream_job(8, 24) + std::vector{li(5, 4), frep(5, 1), fadd_d(3, 0, 3)});
  EXPECT_EQ(result.outcome, Outcome::exited) << result.message;
  EXPECT_EQ(result.counters.fpu, 5u);
  EXPECT_EQ(result.counters.streamed, 5u);
  EXPECT_EQ(result.counters.freps, 1u);
  EXPECT_EQ(result.stream_leftover, 3u);  // fetched ahead, never read
}

TEST(Interpreter, RefusesPrograms) {
  ElfImage image;
  image.entry = kStart;
  image.segments.push_back({0x4000'0000, {1, 2, 3, 4}});
  EXPECT_ANY_THROW(interpret(image));
}

}  // namespace
}  // namespace quern::snitch::interpreter
