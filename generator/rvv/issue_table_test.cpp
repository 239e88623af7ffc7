// The order of writes on small tables, by hand.
#include "generator/rvv/issue_table.h"

#include <gtest/gtest.h>

namespace quern::generator::rvv {
namespace {

// Two issue a cycle, four cycles: FMAs of LMUL 2 in cycles 0 and 2, whose results are written in
// cycles 5 and 7; the one before them, in cycle -2, writes in 3.
IssueTable two_fmas() {
  IssueTable table(4, 2);
  table.insert(0, 0, {0, 5.0});
  table.insert(2, 0, {1, 5.0});
  return table;
}

TEST(IssueTable, FitsWhatWritesBetweenItsNeighbours) {
  const IssueTable table = two_fmas();
  const struct {
    int cycle, slot;
    std::optional<double> write;
    bool fits;
  } cases[] = {
      {0, 0, 4, true},   // ahead of the FMA: writes in 4, between 3 and 5
      {0, 1, 4, false},  // behind it: 4 is before 5
      {1, 0, 4, true},   // a cycle later: with it
      {0, 0, 3, true},   // a vector of LMUL 1, ahead: with the FMA before
      {1, 0, 3, false},  // and in the gap: before 5
      {2, 0, 3, true},   // so the next place is ahead of the next FMA
      {0, 1, 8, false},  // LMUL 4: the FMA behind would write in 7, before 8
      {0, 1, {}, true},  // what writes out of order fits where there is a slot
      {3, 0, 4, true},   // behind the last FMA: 7, with it
      {3, 0, 7, false},  // 10 is behind the first one of the next iteration, which writes in 9
      {-1, 0, 4, true},  // cycle 3 again
      {4, 0, 4, true},   // cycle 0
  };
  for (const auto& c : cases)
    EXPECT_EQ(table.fits(c.cycle, c.slot, c.write), c.fits) << c.cycle << ", " << c.slot;
}

TEST(IssueTable, HasSoManySlots) {
  IssueTable table = two_fmas();
  EXPECT_EQ(table.room(0), 1);
  table.insert(0, 0, {2, {}});
  EXPECT_EQ(table.room(4), 0);
  EXPECT_FALSE(table.fits(0, 0, {}));
  EXPECT_EQ(table.at(0)[0].id, 2);
  EXPECT_EQ(table.at(0)[1].id, 0);
}

// Nothing that is written in order stands in an empty table, so nothing is in the way.
TEST(IssueTable, IsFreeWhereNothingStands) {
  const IssueTable table(3, 1);
  EXPECT_TRUE(table.fits(2, 0, 100.0));
}

TEST(UnitTable, IsBusyAcrossTheEnd) {
  UnitTable unit(4);
  unit.take(3, 2);
  EXPECT_FALSE(unit.free(0, 1));
  EXPECT_TRUE(unit.free(1, 2));
  EXPECT_FALSE(unit.free(1, 3));
}

}  // namespace
}  // namespace quern::generator::rvv
