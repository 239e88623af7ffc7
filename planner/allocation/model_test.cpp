#include "planner/allocation/model.h"

#include <gtest/gtest.h>

#include "planner/allocation/bounds.h"
#include "planner/allocation/csv.h"
#include "planner/allocation/first_fit.h"

namespace quern::planner::allocation {
namespace {

Problem problem_of(const std::string& rows) {
  return parse_problem("id,lower,upper,size,alignment,offset,gaps\n" + rows, "p.csv").problem;
}

std::vector<int> live(const Model& model, int section) {
  std::vector<int> buffers;
  for (const Member& m : model.members[section]) buffers.push_back(m.buffer);
  std::sort(buffers.begin(), buffers.end());
  return buffers;
}

// The picture of the header: a [0,2) b [1,4) c [0,3) d [3,5).
TEST(AllocationModel, SectionsAreTheMaximalSetsOfLiveBuffers) {
  const Model model(problem_of("a,0,2,1,,,\nb,1,4,1,,,\nc,0,3,1,,,\nd,3,5,1,,,\n"));
  ASSERT_EQ(model.sections(), 2);
  EXPECT_EQ(live(model, 0), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(live(model, 1), (std::vector<int>{1, 3}));
  EXPECT_EQ(model.conflicts[0].size(), 2u);
  EXPECT_EQ(model.conflicts[1].size(), 3u);
  EXPECT_EQ(model.conflicts[3].size(), 1u);
}

TEST(AllocationModel, GapsTakeBuffersOutOfSections) {
  const Model model(problem_of("a,0,9,4,,,2-4 6-7@1:2\nb,2,4,4,,,\nc,5,8,4,,,\n"));
  EXPECT_EQ(model.conflicts[1].size(), 0u);  // b is live in a's gap only
  EXPECT_EQ(model.conflicts[0].size(), 1u);
  EXPECT_TRUE(model.ordered);
}

TEST(AllocationModel, KnowsWhenBuffersInterlock) {
  EXPECT_FALSE(Model(problem_of("arch,0,3,6,,,1-2@4:6\nunder,1,2,4,,,\n")).ordered);
  EXPECT_FALSE(Model(problem_of("foot,0,2,6,,,0-1@0:1 1-2@5:6\nplank,0,2,4,,,\n")).ordered);
  EXPECT_TRUE(Model(problem_of("foot,0,2,6,,,0-1@0:1 1-2@5:6\nplank,0,2,5,,,\n")).ordered);
  EXPECT_TRUE(Model(problem_of("arch,0,3,6,,,1-2@4:6\nbeside,0,2,4,,,\n")).ordered);
}

struct UnitCase {
  const char* rows;
  std::int64_t unit, bound;
};

TEST(AllocationModel, UnitsAndBounds) {
  const UnitCase cases[] = {
      {"a,0,2,12,,,\nb,1,3,18,,,\n", 6, 30},       // sizes
      {"a,0,2,12,2,,\nb,1,3,18,3,,\n", 6, 30},     // alignments that divide them
      {"a,0,2,12,4,,\nb,1,3,18,1,,\n", 2, 30},     // one that does not
      {"a,0,2,12,,5,\nb,1,3,18,,,\n", 1, 35},      // fixed: nothing can be below a
      {"a,0,2,5,8,,\nb,1,3,3,8,,\n", 8, 11},       // all multiples of 8: 8 + 3
      {"a,0,2,5,8,,\nb,1,3,3,4,,\n", 4, 9},        // of 4: a, then b at 8? 8 + 3; b, then a: 8 + 5;
                                                   // bound: 8 + 4 less a padding of 3
      {"a,0,4,8,,,1-2@2:4\nb,1,2,8,,,\n", 2, 10},  // 2 and 8 live, a's lower part may hang over b,
      {"a,0,2,9,,,\nb,2,3,7,,,\n", 1, 9},          // never together
  };
  for (const UnitCase& c : cases) {
    const Problem problem = problem_of(c.rows);
    const Model model(problem);
    EXPECT_EQ(model.unit, c.unit) << c.rows;
    EXPECT_EQ(lower_bound(problem, model).capacity, c.bound) << c.rows;
  }
}

TEST(AllocationModel, LatestOffsets) {
  const Model model(problem_of("a,0,2,5,8,,\nb,1,3,3,8,16,\n"));
  EXPECT_EQ(model.latest_offsets(21), (std::vector<std::int64_t>{2, 2}));  // 16 + 5, 16 + 3
  EXPECT_EQ(model.latest_offsets(20), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(model.latest_offsets(18), (std::vector<std::int64_t>{1, -1}));
  EXPECT_EQ(model.latest_offsets(4), (std::vector<std::int64_t>{-1, -1}));
}

TEST(AllocationFirstFit, TakesTheLowestHole) {
  const Model model(problem_of("a,0,9,3,,2,\nb,0,4,2,,,\nc,2,9,4,,,\nd,0,9,1,,,\n"));
  const auto latest = model.latest_offsets(9);
  // a is fixed at [2, 5); b fits below, c above, d above c.
  const FirstFit fit = first_fit(model, latest, {1, 2, 3, 0});
  EXPECT_EQ(fit.offsets, (std::vector<std::int64_t>{2, 0, 5, -1}));
  EXPECT_EQ(fit.left_over, std::vector<int>{3});
  EXPECT_TRUE(first_fit(model, latest, {3, 2, 0}).left_over.empty());
}

}  // namespace
}  // namespace quern::planner::allocation
