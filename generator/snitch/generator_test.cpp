#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "generator/snitch/generate.h"
#include "generator/snitch/pack.h"
#include "generator/snitch/registers.h"
#include "generator/snitch/stream_nest.h"
#include "generator/snitch/unroll.h"
#include "generator/snitch/verify.h"

namespace quern::generator::snitch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string message_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(Point, IdAndBack) {
  for (const char* text :
       {"snitch-f64-matmul-m1-n5-k200", "snitch-f64-matmul-m1-n5-k200-1x5", "snitch-f32-dot-k64",
        "snitch-f16-max_pool3x3-m4-n4", "snitch-f64-matmul-m1-n5-k200-no-streams-no-frep"}) {
    EXPECT_EQ(id(parse_id(text)), text);
  }
}

TEST(Point, RefusesWhatIsNoPoint) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c :
       {Case{"rvv-f32-16x15", "does not start with snitch-"},
        {"snitch-f8-matmul-m1-n1-k1", "f64, f32, f16"},
        {"snitch-f64-gemv-m1-n1-k1", "fill, sum, relu"},
        {"snitch-f64-matmul-m1-nx-k1", "\"x\" is not a number"},
        {"snitch-f64-matmul-m0-n1-k1", "m is 0; expected 1"},
        {"snitch-f64-relu-m1-n1-k3", "only the sizes m and n"},
        {"snitch-f64-dot-m2-k3", "only the size k"},
        {"snitch-f64-matmul-m1-n1-k1-0x4", "both factors"},
        {"snitch-f64-matmul-m1-n1-k1-no-luck", "no pass \"luck\""},
        {"snitch-f64-matmul-k1-n1-m1", "it is written snitch-f64-matmul-m1-n1-k1"}}) {
    EXPECT_THAT(message_of([&] { (void)parse_id(c.text); }), HasSubstr(c.message)) << c.text;
  }
}

// Increments of one running pointer, by hand: S_d minus what the inner dimensions have travelled.
TEST(StreamPattern, Increments) {
  struct Case {
    StreamPattern pattern;
    std::vector<std::int64_t> increments;
  };
  const Case cases[] = {
      {{{{16, 8}}, 1, 0}, {8}},
      // A of a 32x32x32 product in 4x4 tiles: 4 rows, k, column tiles (again), row tiles.
      {{{{4, 256}, {32, 8}, {8, 0}, {8, 1024}}, 1, 0}, {256, -760, -1016, 8}},
      // 3x3 window of 4 outputs in rows of 10 words, then the next 4 outputs.
      {{{{4, 8}, {3, 8}, {3, 80}, {2, 32}}, 1, 0}, {8, -16, 40, -168}},
      {{{{3, -8}, {2, 64}}, 1, 0}, {-8, 80}},
  };
  for (const Case& c : cases) EXPECT_EQ(c.pattern.increments(), c.increments);
}

TEST(StreamPattern, Simplify) {
  const Machine machine;
  struct Case {
    StreamPattern pattern;
    bool read;
    std::string text;
  };
  const Case cases[] = {
      {{{{1, 80}, {4, 8}, {1, 0}, {5, 32}}, 1, 0}, true, "20 (8)"},  // contiguous
      {{{{5, 0}, {200, 8}}, 1, 0}, true, "200 (8) repeat 5"},        // each element five times
      {{{{17, 0}, {3, 8}}, 1, 0}, true, "17x3 (0,8)"},               // repeat has four bits
      {{{{20, 0}, {3, 8}}, 1, 0}, true, "2x3 (0,8) repeat 10"},
      {{{{4, 0}, {4, 0}, {3, 8}}, 1, 0}, true, "3 (8) repeat 16"},
      {{{{5, 0}, {2, 8}}, 1, 0}, false, "5x2 (0,8)"},  // writes cannot repeat
      {{{{4, 8}, {3, 64}}, 1, 16}, true, "4x3 (8,64) at 16"},
      {{{{1, 24}}, 1, 0}, true, "1 (8)"},
  };
  for (const Case& c : cases) {
    const StreamPattern simple = simplify(c.pattern, c.read, machine);
    EXPECT_EQ(print(simple), c.text);
    EXPECT_EQ(simple.elements(), c.pattern.elements());
  }
}

TEST(StreamPattern, WhatSsrCannotExpress) {
  const Machine machine;
  EXPECT_EQ(unstreamable({{{4, 8}}, 1, 0}, machine), "");
  EXPECT_THAT(unstreamable({{{4, 12}}, 1, 0}, machine), HasSubstr("stride 12 is no multiple of 8"));
  EXPECT_THAT(unstreamable({{{4, 8}}, 1, 4}, machine), HasSubstr("offset 4"));
  EXPECT_THAT(unstreamable({{{2, 8}, {2, 24}, {2, 56}, {2, 120}, {2, 248}}, 1, 0}, machine),
              HasSubstr("5 dimensions, a stream has 4"));
  EXPECT_THAT(unstreamable({{{(1 << 17) + 1, 0}}, 1, 0}, machine), HasSubstr("at most 131072"));
}

TEST(Pack, WordsAndRest) {
  std::string why;
  const auto nest = [](const char* text) { return loop_nests(parse_id(text)).front(); };
  // 35 elements: 17 words of two and one element at byte 136.
  const auto sum = pack(nest("snitch-f32-sum-m5-n7"), why);
  ASSERT_TRUE(sum && sum->words && sum->rest);
  EXPECT_EQ(sum->words->points(), 17);
  EXPECT_EQ(sum->words->lanes, 2);
  EXPECT_EQ(sum->rest->points(), 1);
  EXPECT_EQ(sum->rest->output().map.offset, 136);
  // Fewer than one word of four halves.
  const auto small = pack(nest("snitch-f16-relu-m1-n3"), why);
  ASSERT_TRUE(small && small->rest);
  EXPECT_FALSE(small->words);
  // The rest of a dot product adds to what the words left.
  const auto dot = pack(nest("snitch-f16-dot-k37"), why);
  ASSERT_TRUE(dot && dot->rest);
  EXPECT_EQ(dot->words->points(), 9);
  EXPECT_EQ(dot->rest->init, Init::destination);
  EXPECT_FALSE(pack(nest("snitch-f32-matmul_t-m2-n4-k3"), why));
  EXPECT_THAT(why, HasSubstr("k = 3 is no multiple of 2"));
  // Results in pairs, or one by one where a row of them has an odd number.
  EXPECT_TRUE(pack(nest("snitch-f32-matmul_t-m2-n4-k4"), why)->words->paired);
  EXPECT_FALSE(pack(nest("snitch-f32-matmul_t-m2-n3-k4"), why)->words->paired);
  EXPECT_FALSE(pack(nest("snitch-f32-matmul-m2-n4-k4"), why));
  EXPECT_THAT(why, HasSubstr("B is not contiguous along k"));
}

TEST(UnrollAndJam, CutsIntoRegions) {
  const LoopNest nest = loop_nests(parse_id("snitch-f64-matmul-m5-n19-k3")).front();
  const Cut parts = cut(nest, {2, 8, 1});
  // Main 4 x 16 in tiles of 2x8, to its right 4 x 3, below both 1 x 19.
  EXPECT_THAT(parts.jam, ElementsAre(2, 8, 1));
  ASSERT_EQ(parts.rests.size(), 2u);
  EXPECT_EQ(parts.main.points(), 4 * 16 * 3);
  EXPECT_EQ(parts.rests[0].points(), 4 * 3 * 3);
  EXPECT_EQ(parts.rests[0].output().map.offset, 8 * 16);
  EXPECT_EQ(parts.rests[1].points(), 1 * 19 * 3);
  EXPECT_EQ(parts.rests[1].output().map.offset, 8 * 4 * 19);
}

TEST(UnrollAndJam, ChoosesMoreAccumulatorsThanTheLatency) {
  // n, and the factors that divide it and fill a pipeline of three registers.
  for (const auto& [n, jam] : {std::pair{5, 5}, {8, 8}, {16, 8}, {24, 8}, {35, 7}}) {
    std::string why;
    const auto regions =
        unroll_and_jam(loop_nests(parse_id(fmt::format("snitch-f64-matmul-m1-n{}-k64", n))).front(),
                       0, 0, Machine{}, why);
    ASSERT_TRUE(regions) << why;
    ASSERT_EQ(regions->size(), 1u) << n;
    EXPECT_GT(regions->front().jam_factor(), 4) << n;
    EXPECT_EQ(n % regions->front().jam_factor(), 0);
    (void)jam;
  }
}

TEST(Registers, RunOutWithNumbers) {
  EXPECT_THAT(message_of([] { (void)generate(parse_id("snitch-f64-matmul-m5-n6-k8-5x6")); }),
              HasSubstr("unroll and jam 5x6 of matmul needs 30, there are 29"));
  EXPECT_THAT(message_of([] { (void)generate(parse_id("snitch-f32-matmul_t-m1-n16-k8-1x16")); }),
              HasSubstr("needs 33, there are 29"));
  Program program;
  Block block;
  std::vector<Register> live;
  for (int i = 0; i < 30; ++i) {
    live.push_back(program.new_float("value"));
    block.push_back(instruction(Opcode::fmv_d, live.back(), scalar_argument));
  }
  for (const Register& reg : live)
    block.push_back(instruction(Opcode::fmv_d, stream_register(2), reg));
  program.body = block;
  EXPECT_THAT(
      message_of([&] { (void)allocate_registers(program); }),
      HasSubstr("out of floating-point registers: the kernel needs 30 at once, 29 are free"));
}

TEST(Registers, LoopCarriedValuesKeepTheirRegister) {
  Program program;
  const Register acc = program.new_float("accumulator"), count = program.new_integer("count"),
                 temporary = program.new_float("temporary"), other = program.new_float("other");
  Block body;
  body.push_back(instruction(Opcode::fadd_d, acc, acc, scalar_argument));
  body.push_back(instruction(Opcode::fmv_d, temporary, scalar_argument));
  body.push_back(instruction(Opcode::fmv_d, other, temporary));
  program.body.push_back(instruction(Opcode::fmv_d, acc, scalar_argument));
  program.body.push_back(loop(3, count, body, false));
  const Allocation allocation = allocate_registers(program);
  EXPECT_NE(allocation.physical.at(acc), allocation.physical.at(temporary));
  EXPECT_NE(allocation.physical.at(acc), allocation.physical.at(other));
}

TEST(Verify, FindsWhatTheSequencerCannotTake) {
  const Machine machine;
  const auto problem_of = [&](Block block) {
    Program program;
    program.body = std::move(block);
    return violation(program, machine);
  };
  const Node fadd = instruction(Opcode::fadd_d, f_register(3), stream_register(0), f_register(3));
  const Register count = x_register(5);
  EXPECT_EQ(problem_of({loop(2, count, {fadd, loop(3, count, {fadd}, true)}, true)}), "");
  EXPECT_THAT(
      problem_of({loop(2, count, {loop(2, count, {loop(2, count, {fadd}, true)}, true)}, true)}),
      HasSubstr("nested too deep"));
  EXPECT_THAT(problem_of({loop(2, count, Block(65, fadd), true)}), HasSubstr("65 instructions"));
  EXPECT_THAT(problem_of({loop(2, count, {fadd, instruction(Opcode::li, count)}, true)}),
              HasSubstr("li in an frep.o body"));
  EXPECT_THAT(problem_of({loop(1 << 17, count, {fadd}, true)}), HasSubstr("iterations"));
  // fmax finishes before an fadd that was issued earlier.
  EXPECT_THAT(
      problem_of({instruction(Opcode::fadd_d, stream_register(2), f_register(3), f_register(3)),
                  instruction(Opcode::fmax_d, stream_register(2), f_register(3), f_register(3))}),
      HasSubstr("another pipeline"));
  EXPECT_THAT(problem_of({instruction(Opcode::fmv_d, f_register(3), stream_register(2))}),
              HasSubstr("reads the write stream"));
}

TEST(Generate, RefusesWhatDoesNotFit) {
  // 3 * 128 * 128 * 8 bytes.
  EXPECT_THAT(message_of([] { (void)generate(parse_id("snitch-f64-matmul-m128-n128-k128")); }),
              HasSubstr("needs 393216 bytes of TCDM for its operands, there are 130048"));
  // Fits without the workspace, not with it.
  EXPECT_THAT(message_of([] { (void)generate(parse_id("snitch-f32-matmul-m8-n128-k144")); }),
              HasSubstr("operands and workspace"));
}

TEST(Generate, SaysWhatItCannotStream) {
  const Generated g = generate(parse_id("snitch-f32-matmul_t-m3-n3-k5"));
  EXPECT_THAT(g.assembly, HasSubstr("not streamed: k = 5 is no multiple of 2"));
  EXPECT_EQ(g.freps, 0);
}

}  // namespace
}  // namespace quern::generator::snitch
