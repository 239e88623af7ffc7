#include "boards/timing/memory.h"

#include <gtest/gtest.h>

#include "boards/timing/test_board.h"

namespace quern::timing {
namespace {

struct Rig {
  explicit Rig(Json board = test_board_json())
      : parameters(load_parameters(board, "test")),
        memory(parameters, std::make_shared<OuterMemory>(parameters)) {}
  // Cycles from `cycle` until the data of a load of `line` can be used, over an L1 hit.
  double load(Line line, std::int64_t cycle) {
    const auto outcome = memory.load(line, cycle);
    return static_cast<double>(outcome.start - cycle) +
           static_cast<double>(outcome.extra_latency) / static_cast<double>(ticks_per_cycle);
  }
  Parameters parameters;
  Memory memory;
};

Json with(std::initializer_list<std::pair<const char*, Json>> changes) {
  Json board = test_board_json();
  for (const auto& [key, value] : changes) board["timing"]["memory"][key]["value"] = value;
  return board;
}

TEST(Memory, AddsLatencyOfTheLevel) {
  Rig rig;
  EXPECT_EQ(rig.load(100, 0), 97);   // DRAM: 100 to use, 3 of them are the load's own
  EXPECT_EQ(rig.load(100, 200), 0);  // L1
  // Two more lines of set 0 (4 sets) push line 100 out of its two ways: then it is in L2.
  rig.load(104, 300);
  rig.load(108, 500);
  EXPECT_EQ(rig.load(100, 700), 17);
  EXPECT_EQ(rig.memory.counts().l1_load_misses, 4u);
  EXPECT_EQ(rig.memory.counts().l2_misses, 3u);
  EXPECT_EQ(rig.memory.counts().l2_hits, 1u);
}

TEST(Memory, KeepsTheMostRecentlyUsed) {
  Rig rig;
  rig.load(0, 0);
  rig.load(4, 200);
  EXPECT_TRUE(rig.memory.simple_hit(0, false, 400));  // now 4 is the older one
  rig.load(8, 500);
  EXPECT_TRUE(rig.memory.simple_hit(0, false, 700));
  EXPECT_FALSE(rig.memory.simple_hit(4, false, 700));
}

TEST(Memory, OverlapsMissesUpToItsSlots) {
  Rig rig;
  EXPECT_EQ(rig.load(0, 0), 97);
  // L2 takes a line every 4 cycles, DRAM every 10: the second starts 10 later.
  EXPECT_EQ(rig.load(1, 0), 107);
  // Two slots: the third waits for the first (97), then 97 + 100 - 3 more.
  EXPECT_EQ(rig.load(2, 0), 97 + 97);
}

TEST(Memory, WaitsForALineThatIsOnItsWay) {
  Rig rig;
  EXPECT_EQ(rig.load(0, 0), 97);
  EXPECT_EQ(rig.load(0, 40), 57);
  EXPECT_FALSE(rig.memory.simple_hit(0, false, 96));
  EXPECT_TRUE(rig.memory.simple_hit(0, false, 97));
}

TEST(Memory, MergesStoresAndStallsWhenTheQueueIsFull) {
  Rig rig;
  EXPECT_EQ(rig.memory.store(0, 0, 8, 0, 0).start, 0);
  EXPECT_EQ(rig.memory.store(0, 8, 8, 8, 1).start, 1);   // same line
  EXPECT_EQ(rig.memory.store(1, 0, 8, 0, 2).start, 2);   // second place
  EXPECT_EQ(rig.memory.store(2, 0, 8, 0, 3).start, 97);  // waits for line 0
  EXPECT_EQ(rig.memory.counts().dram_reads, 3u);         // write-allocate
}

TEST(Memory, WritesDirtyLinesBack) {
  Rig rig;
  rig.memory.store(0, 0, 8, 0, 0);
  rig.load(4, 1000);
  rig.load(8, 2000);  // line 0 leaves L1
  EXPECT_EQ(rig.memory.counts().l1_write_backs, 1u);
  EXPECT_EQ(rig.memory.counts().dram_writes, 0u);  // it is in L2 (16 sets, 4 ways)
  for (Line line = 16; line <= 64; line += 16)
    rig.load(line, 3000 + static_cast<std::int64_t>(line) * 100);
  EXPECT_EQ(rig.memory.counts().dram_writes, 1u);
}

TEST(Memory, StreamsWholeLinesWithoutReadingThem) {
  Rig rig(with({{"streaming_after", 2}}));
  std::int64_t cycle = 0;
  for (std::uint64_t address = 0; address < 64 * 64; address += 8, ++cycle) {
    const auto ascending = rig.memory.ascending_before(address, 8);
    cycle = rig.memory.store(address / 64, address % 64, 8, ascending, cycle).start;
  }
  EXPECT_EQ(rig.memory.counts().dram_reads, 2u);       // before it was sure
  EXPECT_EQ(rig.memory.counts().streamed_lines, 61u);  // the last one is still being filled
}

// Blocks of 64 or of 32 bytes, each ascending inside, the blocks descending.
TEST(Memory, CombinesWholeLinesInAnyOrder) {
  for (const unsigned block : {64u, 32u}) {
    Json board = test_board_json();
    board["timing"]["memory"]["combine_lines"] = {{"value", true}, {"source", "assumed"}};
    Rig rig(board);
    std::int64_t cycle = 0;
    for (std::uint64_t begin = 64 * 64; begin > 0; begin -= block)
      for (std::uint64_t address = begin - block; address < begin; address += 8) {
        const auto ascending = rig.memory.ascending_before(address, 8);
        cycle = rig.memory.store(address / 64, address % 64, 8, ascending, cycle).start + 1;
      }
    EXPECT_EQ(rig.memory.counts().dram_reads, block == 64 ? 0u : 64u);
    EXPECT_EQ(rig.memory.counts().streamed_lines, block == 64 ? 63u : 0u);
  }
}

TEST(Memory, ReadsLinesThatAreWrittenOutOfOrder) {
  Rig rig(with({{"streaming_after", 2}}));
  std::int64_t cycle = 0;
  for (Line line = 0; line < 64; ++line)
    for (unsigned offset : {32u, 0u}) {  // two halves, the upper one first
      const auto ascending = rig.memory.ascending_before(line * 64 + offset, 32);
      cycle = rig.memory.store(line, offset, 32, ascending, cycle).start + 1;
    }
  EXPECT_EQ(rig.memory.counts().streamed_lines, 0u);
  EXPECT_EQ(rig.memory.counts().dram_reads, 64u);
}

TEST(Memory, PrefetchesAlongAStride) {
  for (const std::int64_t stride : {1, 2, -1}) {
    Rig rig(with({{"prefetch_streams", 2}, {"prefetch_distance", 2}, {"prefetch_stride", 4}}));
    // A long way apart in time: after two equal steps every line is there before it is used.
    double waited = 0;
    for (int i = 0; i < 20; ++i)
      waited += rig.load(static_cast<Line>((stride < 0 ? 40 : 0) + stride * i), 1000 * (i + 1)) > 0;
    EXPECT_EQ(waited, 3) << stride;
  }
}

TEST(Memory, PrefetcherStopsAtThePage) {
  Rig rig(with({{"prefetch_streams", 2}, {"prefetch_distance", 4}}));
  double waited = 0;
  for (int i = 0; i < 128; ++i) waited += rig.load(static_cast<Line>(i), 1000 * (i + 1)) > 0;
  EXPECT_EQ(waited, 4);  // 3 to begin, and line 64 opens the second page of 64 lines
}

TEST(Memory, WalksPageTablesOnce) {
  Rig rig(with({{"tlb_entries", 2}, {"tlb_walk", 30}}));
  EXPECT_EQ(rig.load(0, 0), 97 + 30);
  EXPECT_EQ(rig.load(1, 1000), 97);
  EXPECT_EQ(rig.load(64, 2000), 97 + 30);
  EXPECT_EQ(rig.load(128, 3000), 97 + 30);  // two entries: the page of line 0 is gone
  EXPECT_EQ(rig.load(2, 4000), 97 + 30);
  EXPECT_EQ(rig.memory.counts().tlb_misses, 4u);
}

// Columns of a matrix, one after another, twice: at a power-of-two distance they share a set.
TEST(Memory, PowerOfTwoLeadingDimensionConflicts) {
  const auto misses = [](Line leading_dimension) {
    Rig rig;
    for (int pass = 0; pass < 4; ++pass)
      for (Line column = 0; column < 4; ++column)
        rig.load(column * leading_dimension,
                 1000 * (pass * 4 + static_cast<std::int64_t>(column) + 1));
    return rig.memory.counts().l1_load_misses;
  };
  EXPECT_EQ(misses(16), 16u);  // all in set 0 of 4, 2 ways: every access misses
  EXPECT_EQ(misses(17), 4u);   // one column a set
}

TEST(OuterMemory, IsSharedByCores) {
  const Parameters parameters = test_board();
  const auto outer = std::make_shared<OuterMemory>(parameters);
  Memory a(parameters, outer), b(parameters, outer);
  EXPECT_EQ(a.load(0, 0).extra_latency, 97 * ticks_per_cycle);
  EXPECT_EQ(b.load(0, 1000).extra_latency,
            17 * ticks_per_cycle);  // the other core brought it to L2
}

}  // namespace
}  // namespace quern::timing
