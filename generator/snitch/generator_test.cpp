#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "generator/snitch/fold_windows.h"
#include "generator/snitch/generate.h"
#include "generator/snitch/lowering.h"
#include "generator/snitch/nest_plan.h"
#include "generator/snitch/pack.h"
#include "generator/snitch/pack_outputs.h"
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
        {"snitch-f64-matmul-m1-n1-k1-0x4", "unroll and jam by 0: expected 1"},
        {"snitch-f64-matmul-m1-n1-k1-1x4294967297", "expected 1 to"},
        {"snitch-f64-matmul-m99999999999999999999-n1-k1", "is not a number"},
        {"snitch-f64-relu-m4-n4-1x4", "relu has no unroll and jam"},
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

// By hand: where every element of a word lies, and what goes to the workspace.
TEST(PackOutputs, SpreadsAndInterleaves) {
  std::string why;
  const auto packed = [&](const char* text) {
    return pack_outputs(loop_nests(parse_id(text)).front(), 9, why);
  };
  // f32: 4 words of 2 columns, one element of A every 8 bytes of two buffers.
  const auto f32 = packed("snitch-f32-matmul-m3-n8-k5");
  ASSERT_TRUE(f32) << why;
  EXPECT_EQ(f32->words.iterators[1].extent, 4);
  EXPECT_THAT(f32->words.operands[0].map.coefficients, ElementsAre(40, 0, 8));
  EXPECT_THAT(f32->words.operands[1].map.coefficients, ElementsAre(0, 8, 32));
  EXPECT_THAT(f32->words.operands[2].map.coefficients, ElementsAre(32, 8, 0));
  EXPECT_TRUE(f32->words.operands[0].staging->alternating);
  EXPECT_TRUE(f32->staged_first.empty());
  // f16: pairs along k; B interleaved, 3 rows of 8 pairs.
  const auto f16 = packed("snitch-f16-matmul-m3-n8-k8");
  ASSERT_TRUE(f16) << why;
  EXPECT_EQ(f16->words.iterators[2].extent, 4);
  EXPECT_EQ(f16->words.operands[0].staging->copies.size(), 2u);
  ASSERT_EQ(f16->staged_first.size(), 1u);
  EXPECT_EQ(f16->staged_first[0].rows, 4);
  EXPECT_EQ(f16->workspace_bytes, 4 * 8 * 4);
  // B transposed, for halves in pairs; all of A first.
  const auto transposed = pack_outputs(loop_nests(parse_id("snitch-f16-matmul_t-m3-n8-k8")).front(),
                                       9, why, Spread::first, 64);
  ASSERT_TRUE(transposed) << why;
  ASSERT_EQ(transposed->staged_first.size(), 2u);
  EXPECT_EQ(transposed->staged_first[0].target, 64);
  EXPECT_EQ(transposed->staged_first[1].target, 64 + 4 * 8 * 4);
  EXPECT_EQ(transposed->workspace_bytes, 64 + 4 * 8 * 4 + 3 * 4 * 8);
  EXPECT_FALSE(transposed->words.operands[0].staging);
  // 3x3: three copies of each of the 4 rows, 8 outputs long; 9 weights of 8 bytes.
  const auto window = packed("snitch-f32-conv3x3-m2-n8");
  ASSERT_TRUE(window) << why;
  EXPECT_THAT(window->words.operands[0].map.coefficients, ElementsAre(96, 8, 96, 32));
  EXPECT_EQ(window->words.operands[0].staging->halo, 2);
  EXPECT_EQ(window->workspace_bytes, 4 * 96 + 72);
  // Pooling: every second element, two new rows of X for a row of outputs.
  const auto pool = packed("snitch-f16-max_pool3x3-m2-n4");
  ASSERT_TRUE(pool) << why;
  EXPECT_EQ(pool->words.operands[0].staging->source_step, 4);
  EXPECT_EQ(pool->words.operands[0].staging->rows, 2);
  EXPECT_EQ(pool->words.operands[0].staging->halo, 1);
  for (const auto& [text, reason] :
       {std::pair{"snitch-f32-matmul-m3-n7-k5", "n = 7 is no multiple of the 2 outputs"},
        {"snitch-f16-max_pool3x3-m3-n6", "n = 6 is no multiple of the 4 outputs"},
        {"snitch-f16-matmul-m3-n8-k5", "k = 5 is odd"},
        {"snitch-f32-matmul-m3-n8-k3", "too short"}}) {
    EXPECT_FALSE(packed(text)) << text;
    EXPECT_THAT(why, HasSubstr(reason)) << text;
  }
}

// What the estimate prefers, and what it cannot use.
TEST(NestPlan, TakesTheCheapestForm) {
  struct Case {
    const char* id;
    std::size_t steps;
    bool sums;    // the first step's lanes are partial sums
    bool copies;  // something is copied before it
  };
  for (const Case& c : {Case{"snitch-f32-matmul-m16-n16-k16", 1, false, false},
                        {"snitch-f32-matmul-m16-n17-k16", 1, true, true},
                        {"snitch-f32-matmul_t-m1-n40-k20", 1, true, false},
                        {"snitch-f32-matmul_t-m64-n64-k64", 2, true, false},
                        {"snitch-f16-matmul-m64-n64-k64", 2, true, true},
                        {"snitch-f16-dense-m64-n64-k64", 1, false, true}}) {
    std::string why;
    PlanLimits limits;
    limits.workspace_argument = 3;
    limits.workspace_room = 1 << 16;
    const auto plan = plan_reduction(loop_nests(parse_id(c.id)).front(), limits, Machine{}, why);
    ASSERT_TRUE(plan) << c.id << ": " << why;
    EXPECT_EQ(plan->steps.size(), c.steps) << c.id;
    EXPECT_EQ(plan->steps[0].words.sums_lanes(), c.sums) << c.id;
    EXPECT_EQ(!plan->steps[0].staged_first.empty(), c.copies) << c.id;
    // Without hardware loops nothing paces the copies.
    limits.staging = false;
    const auto bare = plan_reduction(loop_nests(parse_id(c.id)).front(), limits, Machine{}, why);
    EXPECT_EQ(bare ? bare->workspace_bytes : 0, 0) << c.id;
  }
}

// Pairs of columns: rows of X are 2n + 1 = 15 wide, so that 15 pairs lie between even rows, and the
// odd row's pairs begin 7 after the even row's, one column early.
TEST(FoldWindows, StreamsPairsOfColumns) {
  std::string why;
  const auto fold = [&](const std::string& text, std::int64_t room = 1 << 16) {
    return fold_windows(loop_nests(parse_id(text)).front(), 2, room, Machine{}, why);
  };
  const auto f32 = fold("snitch-f32-max_pool3x3-m6-n7");
  ASSERT_TRUE(f32) << why;
  EXPECT_FALSE(f32->spread);
  EXPECT_EQ(f32->jam, 7);
  EXPECT_EQ(f32->row_tiles, 1);
  EXPECT_EQ(tile_instructions(*f32), 37);
  const auto& pairs = f32->streams.operands;
  EXPECT_EQ(print(pairs[0].pattern), "2x8x6 (56,8,120)");          // e_c, o_c
  EXPECT_EQ(print(pairs[1].pattern), "2x8x6 (-72,8,120) at 120");  // e'_c, o_{c-1}
  EXPECT_EQ(print(pairs[2].pattern), "42 (8)");
  EXPECT_EQ(f32->workspace_bytes, 42 * 8);
  // The upper of two floats, from word to element.
  EXPECT_EQ(f32->take.copies[0].source, 4);
  EXPECT_EQ(f32->take.row, 56);
  EXPECT_EQ(f32->take.target_row, 28);
  // 14 columns are two tiles of 7, 13 are too, with one output that nobody takes.
  EXPECT_EQ(fold("snitch-f32-max_pool3x3-m6-n14")->row_tiles, 2);
  EXPECT_EQ(fold("snitch-f32-max_pool3x3-m6-n13")->take.row, 14 * 8);

  // Halves: six rows and the first pairs of the row below, one pair a word.
  const auto f16 = fold("snitch-f16-max_pool3x3-m6-n7");
  ASSERT_TRUE(f16) << why;
  EXPECT_FALSE(f16->converts);
  EXPECT_EQ(f16->spread_first->count, 8);
  EXPECT_EQ(f16->spread->count, 15);
  EXPECT_EQ(f16->spread->offset, 32);
  EXPECT_EQ(f16->take.copies[0].source, 2);
  EXPECT_GE(f16->take.offset, (6 * 15 + 8) * 8);
  EXPECT_TRUE(fold("snitch-f16-sum_pool3x3-m6-n7")->converts);

  EXPECT_FALSE(fold("snitch-f32-max_pool3x3-m6-n7", 42 * 8 - 1));
  EXPECT_THAT(why, HasSubstr("does not fit beside the operands, 335 are free"));
}

// FP instructions of a chunk are those of its tiles: five an output and two, and so on.
TEST(FoldWindows, TileHasAsManyInstructionsAsItSays) {
  for (const char* text : {"snitch-f32-max_pool3x3-m6-n7", "snitch-f32-sum_pool3x3-m6-n5",
                           "snitch-f16-max_pool3x3-m6-n7", "snitch-f16-sum_pool3x3-m6-n6"}) {
    std::string why;
    const auto windows =
        fold_windows(loop_nests(parse_id(text)).front(), 2, 1 << 16, Machine{}, why);
    ASSERT_TRUE(windows) << why;
    Program program;
    KernelBuilder builder(program, Machine{});
    lower_folded(builder, *windows);
    const auto first = std::find_if(builder.body.begin(), builder.body.end(), [](const Node& n) {
      return n.kind == Node::Kind::loop && n.loop.hardware;
    });
    ASSERT_NE(first, builder.body.end()) << text;
    EXPECT_EQ(sequencer_entries(*first->loop.body), tile_instructions(*windows)) << text;
    EXPECT_EQ(first->loop.iterations, windows->rows * windows->row_tiles) << text;
  }
}

TEST(Staging, LoadsSharedElementsOnce) {
  Staging s;
  s.count = 20;
  s.copies = {{0, 0, 4}, {4, 80, 4}, {8, 160, 4}};
  EXPECT_THAT(s.loads(4), ElementsAre(0, 4, 8, 12, 16, 20));
  EXPECT_EQ(s.unroll(), 8);  // 10 elements
  s.source_step = 8;
  EXPECT_EQ(s.unroll(), 7);  // of pooling: 15 elements, as many as there are registers for them
  s.target_step = 800;       // offsets must fit in a store
  EXPECT_EQ(s.unroll(), 1);
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
  EXPECT_THAT(message_of([] { (void)generate(parse_id("snitch-f32-matmul_t-m1-n17-k8-1x17")); }),
              HasSubstr("needs 35, there are 29"));
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
  // Far apart they cannot meet; at the end and the start of a loop they do.
  const Node sum = instruction(Opcode::fadd_d, stream_register(2), f_register(3), f_register(3)),
             move = instruction(Opcode::fmv_d, stream_register(2), f_register(3));
  Block apart(10, fadd);
  apart.insert(apart.begin(), sum);
  apart.push_back(move);
  EXPECT_EQ(problem_of(apart), "");
  EXPECT_THAT(problem_of({loop(2, count, apart, true)}), HasSubstr("another pipeline"));
  EXPECT_THAT(problem_of({instruction(Opcode::fmv_d, f_register(3), stream_register(2))}),
              HasSubstr("reads the write stream"));
}

TEST(Generate, RefusesWhatDoesNotFit) {
  // 3 * 128 * 128 * 8 bytes.
  EXPECT_THAT(message_of([] { (void)generate(parse_id("snitch-f64-matmul-m128-n128-k128")); }),
              HasSubstr("needs 393216 bytes of TCDM for its operands, there are 130048"));
  // 48 KiB + 48 KiB + 24 KiB of operands; the buffers of a row of A fit, a transposed B would not.
  EXPECT_LE(generate(parse_id("snitch-f32-matmul-m64-n96-k128")).workspace_bytes, 4096);
  // Operands that leave no room for copies of X: slower, and said.
  EXPECT_THAT(generate(parse_id("snitch-f32-conv3x3-m120-n128")).assembly,
              HasSubstr("not packed: a workspace of"));
}

TEST(Generate, SaysWhatItCannotStream) {
  const Generated g = generate(parse_id("snitch-f32-matmul_t-m3-n3-k5"));
  EXPECT_THAT(g.assembly, HasSubstr("not packed: n = 3 is no multiple of the 2 outputs of a word"));
  EXPECT_EQ(g.freps, 0);
}

}  // namespace
}  // namespace quern::generator::snitch
