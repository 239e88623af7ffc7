// Every kind of violation is seen, and nothing else is: by hand, and against the brute-force judge.
#include "planner/allocation/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "planner/allocation/csv.h"
#include "planner/allocation/test_problems.h"

namespace quern::planner::allocation {
namespace {

TEST(AllocationVerify, Table) {
  const auto problem = parse_problem(
                           "id,lower,upper,size,alignment,gaps\n"
                           "a,0,4,4,1,\n"
                           "b,2,6,4,2,\n"
                           "c,4,6,4,1,\n"
                           "d,0,6,4,1,1-3 4-5@2:4\n",
                           "p.csv")
                           .problem;
  struct Case {
    std::vector<std::int64_t> offsets;
    std::int64_t capacity;
    const char* wrong;  // nullptr: valid
  };
  const Case cases[] = {
      {{0, 4, 0, 8}, 12, nullptr},
      {{0, 4, 0, 8}, 11, "'d' at offset 8 with size 4 leaves the capacity 11"},
      {{0, 4, -1, 8}, 12, "'c' at offset -1"},
      {{1, 5, 1, 9}, 13, "'b' at offset 5 is not aligned to 2"},
      {{0, 4, 0}, 12, "3 offsets for 4 buffers"},
      {{0, 2, 8, 12}, 16, "'a' [0, 4) and 'b' [2, 6) share addresses at time 2"},
      {{0, 4, 0, 3}, 12, "'a' [0, 4) and 'd' [3, 7) share addresses at time 0"},
      // From 4 to 5 d occupies only [14, 16), below its base c is free to be; at 5 it is back.
      {{0, 4, 10, 12}, 16, "share addresses at time 5"},
      {{0, 4, 0, 12}, 16, nullptr},
  };
  for (const Case& c : cases) {
    const auto wrong = verify(problem, {c.offsets}, c.capacity);
    if (c.wrong == nullptr) {
      EXPECT_EQ(wrong, std::nullopt);
    } else {
      EXPECT_THAT(wrong.value_or("valid"), testing::HasSubstr(c.wrong));
    }
  }
  auto fixed = problem;
  fixed.buffers[2].offset = 8;
  EXPECT_THAT(*verify(fixed, {{0, 4, 0, 12}}, 16), testing::HasSubstr("prescribed is 8"));
}

// All offsets fixed, the brute-force judge says whether that one arrangement is valid.
TEST(AllocationVerify, AgreesWithBruteForce) {
  const RandomShape shape = {.buffers = 4, .aligned = 0.3, .gaps = 0.6, .windows = 0.6};
  std::mt19937 engine(1);
  int valid = 0;
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    const Problem problem = random_problem(shape, seed);
    Problem fixed = problem;
    Solution solution;
    for (Buffer& buffer : fixed.buffers) {
      solution.offsets.push_back(static_cast<std::int64_t>(engine() % 12));
      buffer.offset = solution.offsets.back();
    }
    const bool expected = brute_force(fixed, 12).has_value();
    EXPECT_EQ(!verify(problem, solution, 12), expected) << "seed " << seed;
    valid += expected;
  }
  EXPECT_GT(valid, 100);
}

}  // namespace
}  // namespace quern::planner::allocation
