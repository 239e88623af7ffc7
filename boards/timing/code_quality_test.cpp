#include "boards/timing/code_quality.h"

#include <gtest/gtest.h>

#include "boards/timing/test_board.h"

namespace quern::timing {
namespace {

constexpr std::uint32_t vle_v16 = 0x02056807, flw_fa0 = 0x00052507, flw_fa0_stack = 0x00012507,
                        addi_a0 = 0x00150513, vsetvli = 0x0d007057, vfmacc_v8 = 0xb3055457,
                        vfmacc_v9 = 0xb30554d7,
                        bnez_back = 0xfe0516e3;  // 5 instructions back

ElfFile object(const std::vector<std::uint32_t>& words, std::uint64_t section_alignment = 16) {
  ElfFile file;
  for (const auto word : words) file.bytes.append(reinterpret_cast<const char*>(&word), 4);
  file.relocatable = true;
  file.sections = {{".text", 0, 0, file.bytes.size(), true, section_alignment}};
  file.functions = {{"kernel", 0, file.bytes.size(), 0}};
  return file;
}

CodeQuality quality(const ElfFile& file, int fmas_per_k) {
  return code_quality(test_board(), file, file.functions[0], fmas_per_k);
}

TEST(CodeQuality, CountsTheLoopByStepsOfK) {
  const auto file = object({vsetvli, vle_v16, flw_fa0, vfmacc_v8, vfmacc_v9, addi_a0, bnez_back});
  const auto one = quality(file, 2);
  EXPECT_EQ(one.k_per_iteration, 1);
  EXPECT_DOUBLE_EQ(one.instructions_per_fma, 3);
  EXPECT_DOUBLE_EQ(one.instructions_per_k, 6);
  EXPECT_DOUBLE_EQ(one.cycles_per_k, one.prediction.cycles);
  EXPECT_EQ(one.vsetvl_per_k, 0);
  EXPECT_EQ(one.spills(), 0);
  EXPECT_EQ(poor_code(one), "");
  const auto unrolled = quality(file, 1);
  EXPECT_EQ(unrolled.k_per_iteration, 2);
  EXPECT_DOUBLE_EQ(unrolled.instructions_per_k, 3);
  EXPECT_EQ(quality(file, 3).k_per_iteration, 0);
  EXPECT_FALSE(quality(object({vle_v16, vfmacc_v8}), 1).prediction.has_loop);
}

TEST(CodeQuality, NamesWhatIsPoor) {
  const auto configures =
      quality(object({vsetvli, vsetvli, flw_fa0, vfmacc_v8, vfmacc_v9, addi_a0, bnez_back}), 2);
  EXPECT_DOUBLE_EQ(configures.vsetvl_per_k, 1);
  EXPECT_EQ(poor_code(configures), "the inner loop (2 multiply-accumulates) has 1 vsetvli");
  const auto spills = quality(
      object({vsetvli, vsetvli, flw_fa0_stack, vfmacc_v8, vfmacc_v9, addi_a0, bnez_back}), 2);
  EXPECT_EQ(spills.spills(), 1);
  EXPECT_EQ(poor_code(spills),
            "the inner loop (2 multiply-accumulates) has 1 stack accesses (0 vector, 1 scalar), "
            "1 vsetvli");
}

TEST(CodeQuality, AlignmentIsWhatTheLinkerKeeps) {
  const std::vector<std::uint32_t> words = {vsetvli,   addi_a0,   addi_a0, vle_v16,  flw_fa0,
                                            vfmacc_v8, vfmacc_v9, addi_a0, bnez_back};
  auto file = object(words);  // the loop starts at 12
  EXPECT_EQ(quality(file, 2).loop_alignment, 4);
  file.alignments = {{0, 4, 8}};  // 12 is 8 behind
  EXPECT_EQ(quality(file, 2).loop_alignment, 8);
  file.alignments.push_back({0, 12, 32});
  EXPECT_EQ(quality(file, 2).loop_alignment, 32);
  file.alignments.push_back({0, 16, 64});  // behind the loop's start
  file.alignments.push_back({1, 12, 64});  // in another section
  EXPECT_EQ(quality(file, 2).loop_alignment, 32);
  EXPECT_EQ(quality(object(words, 2), 2).loop_alignment, 2);
  auto linked = object(words);
  linked.relocatable = false;
  linked.sections[0].address = linked.functions[0].address = 0x1014;  // the loop is at 0x1020
  EXPECT_EQ(quality(linked, 2).loop_alignment, 32);
}

}  // namespace
}  // namespace quern::timing
