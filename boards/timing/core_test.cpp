#include "boards/timing/core.h"

#include <gtest/gtest.h>

#include <random>

#include "boards/timing/test_board.h"

namespace quern::timing {
namespace {

std::vector<Instruction> decode(const std::vector<std::uint32_t>& words) {
  std::vector<Instruction> instructions;
  for (const auto word : words) instructions.push_back(Decoder::instance().decode_word(word));
  return instructions;
}

// vle32.v v16, (a0); flw fa0, 0(a0); two vfmacc.vf; addi a0, a0, 1; bnez a0, .-20
const std::vector<std::uint32_t> loop_words = {0x02056807, 0x00052507, 0xb3055457,
                                               0xb30554d7, 0x00150513, 0xfe0516e3};
// vsetvli x0, x0, e32, m1, ta, ma
const std::vector<std::uint32_t> set_words = {0x0d007057};

std::vector<MemoryAccess> accesses_at(std::uint64_t address) {
  return {{address, 32, 0, false, false}, {address, 4, 1, false, false}};
}

TEST(Core, CountsALoopByHand) {
  const Parameters p = test_board();
  Core core(p, std::make_shared<OuterMemory>(p));
  const Block set(0, 0x0ff8, decode(set_words)), loop(1, 0x1000, decode(loop_words));
  core.run(set, {}, 0x1000);
  const auto accesses = accesses_at(0x8000);
  for (int i = 0; i < 100; ++i) core.run(loop, accesses, 0x1000);
  const auto before = core.cycles();
  for (int i = 0; i < 100; ++i) core.run(loop, accesses, 0x1000);
  // vle 0, flw 0, vfmacc 4 (flw), vfmacc 5 with addi, bnez 6 (addi): the next begins in 7.
  EXPECT_EQ(core.cycles() - before, 700);
  EXPECT_GT(core.replayed_instructions(), 6u * 150);
  EXPECT_EQ(core.instructions(), 1u + 6 * 200);
}

TEST(Core, ChargesTheLoopExit) {
  const Parameters p = test_board();
  Core core(p, std::make_shared<OuterMemory>(p));
  const Block loop(0, 0x1000, decode({0x00150513, 0xfe051ee3}));  // addi a0, a0, 1; bnez a0, .-4
  for (int i = 0; i < 10; ++i) core.run(loop, {}, 0x1000);
  const auto before = core.cycles();
  core.run(loop, {}, 0x1008);  // falls through, predicted taken
  const auto after_exit = core.cycles();
  EXPECT_EQ(after_exit - before, 2 + 7);
  EXPECT_EQ(core.totals()[0].mispredicted,
            2u);  // and the very first, before the counter had learned
}

TEST(Core, PaysForLineCrossingsAndTraps) {
  const Parameters p = test_board();
  const auto cycles = [&](std::uint64_t address, bool misaligned) {
    Core core(p, std::make_shared<OuterMemory>(p));
    const Block set(0, 0x0ff8, decode(set_words)), loads(1, 0x1000, decode({0x02056807}));
    core.run(set, {}, 0x1000);
    const std::vector<MemoryAccess> accesses{{address, 32, 0, false, misaligned}};
    for (int i = 0; i < 10; ++i) core.run(loads, accesses, 0x1004);
    const auto before = core.cycles();
    for (int i = 0; i < 10; ++i) core.run(loads, accesses, 0x1004);
    return core.cycles() - before;
  };
  EXPECT_EQ(cycles(0x8000, false), 20);  // busy 2 each
  EXPECT_EQ(cycles(0x8030, false), 50);  // and 3 more when it crosses a line that it need not
  EXPECT_EQ(cycles(0x8002, true), 520);  // and a trap of 50
}

// The replay table must not change a single cycle or count.
TEST(Core, ReplayEqualsSimulation) {
  Json board = test_board_json();
  for (const auto& [key, value] :
       {std::pair{"prefetch_streams", 2}, {"prefetch_distance", 2}, {"streaming_after", 2}})
    board["timing"]["memory"][key]["value"] = value;
  const Parameters p = load_parameters(board, "test");
  Core fast(p, std::make_shared<OuterMemory>(p)), slow(p, std::make_shared<OuterMemory>(p));
  slow.never_replay();
  std::vector<Block> blocks;
  blocks.emplace_back(0, 0x0ff0, decode(set_words));
  blocks.emplace_back(1, 0x1000, decode(loop_words));
  blocks.emplace_back(2, 0x2000,
                      decode({0x02066827, 0x00150513, 0xfe051ce3}));  // vse32.v v16, (a2) ...
  blocks.emplace_back(3, 0x3000,
                      decode({0x0d207057, 0xb3055457, 0x02c5c5b3}));  // vsetvli m4; vfmacc; div
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const Block& block = blocks[random() % 4 == 0 ? random() % 4 : 1];
    // Mostly within 512 bytes (L1), sometimes anywhere in 64 KB.
    const std::uint64_t address =
        random() % 50 == 0 ? random() % 65536 / 4 * 4 : random() % 384 / 4 * 4;
    std::vector<MemoryAccess> accesses;
    if (block.id == 1) accesses = accesses_at(address);
    if (block.id == 2) accesses = {{address, 32, 0, true, false}};
    const std::uint64_t next = random() % 8 == 0 ? block.fall_through : block.address;
    fast.run(block, accesses, next);
    slow.run(block, accesses, next);
    ASSERT_EQ(fast.cycles(), slow.cycles()) << "after block " << i;
  }
  EXPECT_GT(fast.replayed_instructions(), fast.instructions() / 4);
  EXPECT_EQ(slow.replayed_instructions(), 0u);
  const auto &a = fast.totals(), &b = slow.totals();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a[i].executions, b[i].executions);
    EXPECT_EQ(a[i].cycles, b[i].cycles);
    EXPECT_EQ(a[i].stalls, b[i].stalls);
    EXPECT_EQ(a[i].l1_misses, b[i].l1_misses);
    EXPECT_EQ(a[i].mispredicted, b[i].mispredicted);
  }
}

}  // namespace
}  // namespace quern::timing
