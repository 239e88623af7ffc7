#include "boards/timing/pipeline.h"

#include <gtest/gtest.h>

#include "boards/timing/test_board.h"

namespace quern::timing {
namespace {

// Words as llvm-mc-19 encodes the text.
constexpr std::uint32_t addi_a0 = 0x00150513;  // addi a0, a0, 1
constexpr std::uint32_t addi_a1 = 0x00158593;  // addi a1, a1, 1
constexpr std::uint32_t flw_fa0 = 0x00052507;  // flw fa0, 0(a0)
constexpr std::uint32_t ld_a1 = 0x00053583;    // ld a1, 0(a0)
constexpr std::uint32_t sd_a1 = 0x00b63023;    // sd a1, 0(a2)
constexpr std::uint32_t div_a1 = 0x02c5c5b3;   // div a1, a1, a2
constexpr std::uint32_t vle_v16 = 0x02056807;  // vle32.v v16, (a0)
constexpr std::uint32_t vse_v16 = 0x02066827;  // vse32.v v16, (a2)

std::uint32_t vfmacc(unsigned vd) { return 0xb3055057 | vd << 7; }  // vfmacc.vf vd, fa0, v16

// Cycles in which the words issue.
std::vector<std::int64_t> issue_cycles(const std::vector<std::uint32_t>& words,
                                       VectorType type = {0, 32},
                                       const Parameters& parameters = test_board()) {
  Pipeline pipeline(parameters);
  std::vector<std::int64_t> cycles;
  for (const auto word : words)
    cycles.push_back(
        pipeline.issue(make_micro_op(parameters, Decoder::instance().decode_word(word), type)));
  return cycles;
}

using Cycles = std::vector<std::int64_t>;

TEST(Pipeline, IssuesTwoIndependentInstructionsACycle) {
  EXPECT_EQ(issue_cycles({addi_a0, addi_a1, addi_a0, addi_a1, addi_a0}), (Cycles{0, 0, 1, 1, 2}));
}

TEST(Pipeline, WaitsForResults) {
  EXPECT_EQ(issue_cycles({addi_a0, addi_a0, addi_a0}), (Cycles{0, 1, 2}));
  EXPECT_EQ(issue_cycles({flw_fa0, vfmacc(8)}), (Cycles{0, 4}));  // flw 4
  EXPECT_EQ(issue_cycles({vle_v16, vfmacc(8)}), (Cycles{0, 3}));  // vle m1 3
  EXPECT_EQ(issue_cycles({vfmacc(8), vfmacc(8), vfmacc(8)}), (Cycles{0, 5, 10}));
}

TEST(Pipeline, KeepsUnitsBusyByLmul) {
  EXPECT_EQ(issue_cycles({vfmacc(8), vfmacc(9), vfmacc(10)}, {0, 32}), (Cycles{0, 1, 2}));
  EXPECT_EQ(issue_cycles({vfmacc(8), vfmacc(4), vfmacc(0)}, {2, 32}), (Cycles{0, 4, 8}));
  EXPECT_EQ(issue_cycles({vle_v16, vle_v16, vle_v16}, {1, 32}), (Cycles{0, 4, 8}));
  EXPECT_EQ(issue_cycles({div_a1, addi_a0, addi_a0}),
            (Cycles{0, 0, 1}));  // the other integer unit is free
}

TEST(Pipeline, AveragesFractionsOfACycle) {
  // vse m1 is busy 2.5 cycles: issues at 0, 2.5 -> 2, 5, 7.5 -> 7, 10.
  EXPECT_EQ(issue_cycles({vse_v16, vse_v16, vse_v16, vse_v16, vse_v16}), (Cycles{0, 2, 5, 7, 10}));
}

TEST(Pipeline, SeesOverlapOfRegisterGroups) {
  // v8 at m4 covers v8..v11: v10 in it must wait, v4..v7 must not (but the unit is busy 4 cycles).
  Pipeline pipeline(test_board());
  const Parameters p = test_board();
  Pipeline q(p);
  const auto issue = [&](std::uint32_t word, VectorType type) {
    return q.issue(make_micro_op(p, Decoder::instance().decode_word(word), type));
  };
  EXPECT_EQ(issue(vfmacc(8), {2, 32}), 0);
  EXPECT_EQ(issue(vfmacc(10), {0, 32}), 5);
  EXPECT_EQ(issue(vfmacc(4), {0, 32}), 6);
}

TEST(Pipeline, NeverLetsAYoungerWriteOvertake) {
  // div writes a1 at 10; the ld (3 cycles) may write a1 no earlier: issues at 7.
  EXPECT_EQ(issue_cycles({div_a1, ld_a1}), (Cycles{0, 7}));
}

TEST(Pipeline, WritesTheResultsInOrderThatTheBoardNames) {
  Json board = test_board_json();
  const auto cycles = [&](const char* which, const std::vector<std::uint32_t>& words) {
    board["timing"]["issue"]["in_order_results"]["value"] = which;
    return issue_cycles(words, {0, 32}, load_parameters(board, "test"));
  };
  // The vfmacc writes at 5. A flw of 4 cycles may then issue at 1, an addi or a ld whenever it can.
  const std::vector<std::uint32_t> load_behind{vfmacc(8), flw_fa0, addi_a1};
  EXPECT_EQ(cycles("none", load_behind), (Cycles{0, 0, 1}));
  EXPECT_EQ(cycles("fp-and-vector", load_behind), (Cycles{0, 1, 1}));
  EXPECT_EQ(cycles("all", load_behind), (Cycles{0, 1, 4}));
  const std::vector<std::uint32_t> integers{vfmacc(8), addi_a1, ld_a1};
  EXPECT_EQ(cycles("fp-and-vector", integers), (Cycles{0, 0, 1}));
  EXPECT_EQ(cycles("all", integers), (Cycles{0, 4, 4}));
  // A store has no result; a vle of 3 cycles waits for the vfmacc, and both for the flw's 4.
  EXPECT_EQ(cycles("fp-and-vector", {vfmacc(8), vse_v16}), (Cycles{0, 0}));
  EXPECT_EQ(cycles("fp-and-vector", {vfmacc(8), vle_v16}), (Cycles{0, 2}));
  EXPECT_EQ(cycles("fp-and-vector", {flw_fa0, vle_v16}), (Cycles{0, 1}));
}

TEST(Pipeline, StoreDataMayComeLate) {
  Json board = test_board_json();
  EXPECT_EQ(issue_cycles({ld_a1, sd_a1}), (Cycles{0, 3}));
  board["timing"]["issue"]["store_data_slack"]["value"] = 2;
  EXPECT_EQ(issue_cycles({ld_a1, sd_a1}, {0, 32}, load_parameters(board, "test")), (Cycles{0, 1}));
}

TEST(Pipeline, LimitsVectorIssue) {
  Json board = test_board_json();
  EXPECT_EQ(issue_cycles({vle_v16, vfmacc(24), addi_a0}, {0, 32}),
            (Cycles{0, 3, 3}));  // data, not width
  const std::uint32_t vle_v2 = 0x02056107;
  EXPECT_EQ(issue_cycles({vfmacc(24), vle_v2, addi_a0}, {0, 32}), (Cycles{0, 0, 1}));
  board["timing"]["issue"]["vector_width"]["value"] = 1;
  EXPECT_EQ(issue_cycles({vfmacc(24), vle_v2, addi_a0}, {0, 32}, load_parameters(board, "test")),
            (Cycles{0, 1, 1}));
}

TEST(Pipeline, ChargesStallsToTheirCause) {
  const Parameters p = test_board();
  Pipeline pipeline(p);
  for (const auto word : {flw_fa0, vfmacc(8), vfmacc(8)})
    pipeline.issue(make_micro_op(p, Decoder::instance().decode_word(word), {0, 32}));
  EXPECT_EQ(pipeline.stalls()[static_cast<std::size_t>(StallCause::load_result)], 4u);
  EXPECT_EQ(pipeline.stalls()[static_cast<std::size_t>(StallCause::vector_result)], 5u);
}

TEST(Pipeline, RestoresItsState) {
  Json board = test_board_json();
  board["timing"]["issue"]["in_order_results"]["value"] = "fp-and-vector";
  const Parameters p = load_parameters(board, "test");
  Pipeline a(p), b(p);
  const auto op = [&](std::uint32_t word) {
    return make_micro_op(p, Decoder::instance().decode_word(word), {0, 32});
  };
  for (const auto word : {flw_fa0, vfmacc(8), div_a1, vse_v16}) a.issue(op(word));
  ASSERT_TRUE(a.settled());
  const auto now = a.cycle();
  b.restore(a.state(), 1000);
  EXPECT_EQ(b.state(), a.state());
  for (const auto word : {flw_fa0, vfmacc(8), addi_a1, vse_v16, vfmacc(9)})
    EXPECT_EQ(a.issue(op(word)) - now, b.issue(op(word)) - 1000) << std::hex << word;
}

}  // namespace
}  // namespace quern::timing
