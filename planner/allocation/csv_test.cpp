#include "planner/allocation/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace quern::planner::allocation {
namespace {

TEST(AllocationCsv, ReadsColumnsByName) {
  const auto file = parse_problem(
      "size,id,offset,upper,lower,alignment,gaps,hint,note\n"
      "4,b1,8,3,0,2,,-1,\"x\n"
      "5,b2,,9,3,,4-6 7-8@0:2,16,y\n",
      "p.csv");
  ASSERT_EQ(file.problem.buffers.size(), 2u);
  EXPECT_EQ(file.problem.buffers[0],
            (Buffer{.id = "b1", .lifespan = {0, 3}, .size = 4, .alignment = 2, .offset = 8}));
  EXPECT_EQ(file.problem.buffers[1], (Buffer{.id = "b2",
                                             .lifespan = {3, 9},
                                             .size = 5,
                                             .hint = 16,
                                             .gaps = {{{4, 6}, {}}, {{7, 8}, Interval{0, 2}}}}));
  EXPECT_EQ(file.lines, (std::vector<std::size_t>{2, 3}));
}

// MiniMalloc's rule: an `end` is the last time, an `upper` the first one after; gaps follow.
TEST(AllocationCsv, EndIsTheLastTime) {
  const auto file = parse_problem("buffer_id,begin,end,size,gaps\nx,2,5,7,3-4\n", "p.csv");
  EXPECT_EQ(file.problem.buffers[0].lifespan, (Interval{2, 6}));
  EXPECT_EQ(file.problem.buffers[0].gaps[0].period, (Interval{3, 5}));
  const auto old = parse_problem("buffer,start,upper,size\nx,2,5,7\n", "p.csv");
  EXPECT_EQ(old.problem.buffers[0].lifespan, (Interval{2, 5}));
}

TEST(AllocationCsv, AcceptsByteOrderMarkCrLfSpacesAndEmptyLinesAtTheEnd) {
  const auto file =
      parse_problem("\xEF\xBB\xBFid, lower,upper ,size\r\n a , 0,3,4\r\n\r\n \r\n", "p.csv");
  ASSERT_EQ(file.problem.buffers.size(), 1u);
  EXPECT_EQ(file.problem.buffers[0].id, "a");
  EXPECT_EQ(parse_problem("id,lower,upper,size\na,0,3,4", "p.csv").rows.size(), 1u);
}

TEST(AllocationCsv, WritesOffsetsAndKeepsTheRest) {
  const auto plain = parse_problem("id,lower,upper,size,note\r\na,0,3,4,x y\r\n", "p.csv");
  EXPECT_EQ(solution_csv(plain, {{12}}), "id,lower,upper,size,note,offset\na,0,3,4,x y,12\n");
  const auto partly = parse_problem("id,offset,lower,upper,size\na,,0,3,4\nb,8,0,3,4\n", "p.csv");
  EXPECT_EQ(solution_csv(partly, {{0, 8}}), "id,offset,lower,upper,size\na,0,0,3,4\nb,8,0,3,4\n");
}

TEST(AllocationCsv, NamesFileLineAndWhatWasExpected) {
  const std::string head = "id,lower,upper,size,alignment,offset,gaps\n";
  const std::pair<std::string, const char*> cases[] = {
      {"", "p.csv:1: empty"},
      {"\xEF\xBB\xBF \r\n", "p.csv:1: empty"},
      {"id,lower,upper,size\n", "p.csv:1: no buffers"},
      {"id,lower,upper\na,0,1\n", "p.csv:1: no column size"},
      {"id,upper,size\na,1,1\n", "p.csv:1: no column lower (or begin, start)"},
      {"id,lower,lower,size\n", "p.csv:1: column 'lower' is given twice"},
      {"id,lower,begin,upper,size\n", "p.csv:1: columns 'lower' and 'begin' mean the same"},
      {head + "a,0,1,2,1,0\n", "p.csv:2: 6 fields, expected 7"},
      {head + "a,0,1,2,1,0,,9\n", "p.csv:2: 8 fields, expected 7"},
      {head + ",0,1,2,,,\n", "p.csv:2: id: empty"},
      {head + "\"a\",0,1,2,,,\n", "p.csv:2: quoted fields are not supported"},
      {head + "a,0,1,2,,,\na,0,1,2,,,\n", "p.csv:3: buffer 'a' is given twice, first on line 2"},
      {head + "a,x,1,2,,,\n", "p.csv:2: lower: 'x', expected an integer"},
      {head + "a,0,1.5,2,,,\n", "p.csv:2: upper: '1.5', expected an integer"},
      {head + "a,0,1,,,,\n", "p.csv:2: size: '', expected an integer"},
      {head + "a,-1,1,2,,,\n", "p.csv:2: lower: -1, expected no negative number"},
      {head + "a,0,1,0,,,\n", "p.csv:2: buffer 'a': size: 0, expected from 1"},
      {head + "a,0,1,99999999999999999999,,,\n",
       "p.csv:2: size: 99999999999999999999 is too large"},
      {head + "a,0,1,1152921504606846977,,,\n",
       "is too large, expected at most 1152921504606846976"},
      {head + "a,3,3,2,,,\n", "p.csv:2: buffer 'a': lifespan [3, 3): expected start < end"},
      {head + "a,0,1,2,0,,\n", "p.csv:2: buffer 'a': alignment: 0, expected from 1"},
      {head + "a,0,1,2,4,6,\n", "p.csv:2: buffer 'a': offset: 6, expected a multiple"},
      {head + "a,0,4,2,,,3\n", "p.csv:2: gap '3', expected a-b or a-b@l:h"},
      {head + "a,0,4,2,,,3-3\n", "p.csv:2: buffer 'a': gap 3-3: expected start < end"},
      {head + "a,0,4,2,,,3-5\n", "p.csv:2: buffer 'a': gap 3-5: outside the lifespan [0, 4)"},
      {head + "a,0,4,2,,,1-2@1:3\n",
       "p.csv:2: buffer 'a': gap 1-2: window 1:3, expected a part of 0:2"},
      {head + "a,0,4,2,,,1-3 2-4\n", "p.csv:2: buffer 'a': gap 2-4: overlaps gap 1-3"},
      {head + "\na,0,4,2,,,\n", "p.csv:2: empty line between buffers"},
      {"id,lower,upper,size\na,0,1,1152921504606846976\nb,0,1,1\n",
       "p.csv:3: the sizes add up to more than"},
  };
  for (const auto& [text, message] : cases) {
    try {
      parse_problem(text, "p.csv");
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), testing::HasSubstr(message)) << text;
    }
  }
}

}  // namespace
}  // namespace quern::planner::allocation
