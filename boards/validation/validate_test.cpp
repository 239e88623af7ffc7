// The model against the published figures that a few seconds can check: the isolated loops, which
// must meet their goal, and the two small layers, where a row outside must say why. The large ones
// are `quern validate-model` itself.
#include "boards/validation/validate.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "boards/toolchain/compiler.h"

namespace quern::boards {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

TEST(ValidateSlow, ErrorIsTheDistanceToTheNearerEnd) {
  EXPECT_DOUBLE_EQ(range_error(5, 4, 5), 0);
  EXPECT_DOUBLE_EQ(range_error(4, 4, 5), 0);
  EXPECT_DOUBLE_EQ(range_error(6, 4, 5), 0.2);
  EXPECT_DOUBLE_EQ(range_error(3, 4, 5), -0.25);
}

TEST(ValidateSlow, IsolatedLoopsMeetTheirGoal) {
  for (const char* name : {"bpi-f3", "k230"}) {
    const Board board = load_board(root, name);
    const auto rows = validate_model(board, root, build_folder(root), {.quick = true});
    ASSERT_EQ(rows.size(), 5u) << name;  // isolated, B2 and B3 of both programs
    EXPECT_TRUE(rows[0].what.starts_with("isolated")) << rows[0].what;
    EXPECT_LE(std::abs(rows[0].error), 0.10) << name << ": " << rows[0].modelled << " GFLOPS";
    for (const auto& row : rows)
      EXPECT_TRUE(row.met() || (row.cause != "not known" && !row.cause.empty()))
          << name << ": " << row.what << " " << row.error;
  }
}

TEST(ValidateSlow, NamesTheBoardsThatHaveFigures) {
  const Board board = load_board(root, "x280");
  try {
    validate_model(board, root, build_folder(root), {.quick = true});
    FAIL() << "there is nothing published for x280";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bpi-f3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace quern::boards
