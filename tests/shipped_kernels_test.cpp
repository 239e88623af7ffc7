// The kernels under kernels/ are what the generator writes today, byte for byte, and nothing else
// lies there.
#include <gtest/gtest.h>

#include <set>

#include "base/file.h"
#include "bench/kernel_set.h"

namespace quern {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

TEST(ShippedKernels, AreRegeneratedByteForByte) {
  int boards_seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "kernels")) {
    if (!std::filesystem::exists(entry.path() / "tuned.json")) continue;
    ++boards_seen;
    const auto board = boards::load_board(root, entry.path().filename().string());
    const auto set = bench::load_kernel_set(root, board, generator::DType::f32);
    ASSERT_TRUE(set.shipped) << board.name;
    std::set<std::string> expected = {"tuned.json"};
    for (const auto& family : set.families) {
      const auto fresh = bench::make_family(board, family.point);
      ASSERT_EQ(fresh.kernels.size(), family.kernels.size());
      for (std::size_t i = 0; i < fresh.kernels.size(); ++i) {
        EXPECT_EQ(fresh.kernels[i].source, family.kernels[i].source) << family.kernels[i].id;
        expected.insert(fresh.kernels[i].id + fresh.kernels[i].extension);
      }
      EXPECT_EQ(family.blocking.m_c % family.point.m_r, 0) << "/families m_c";
      EXPECT_EQ(family.blocking.n_c % family.point.n_r, 0) << "/families n_c";
    }
    for (const auto& file : std::filesystem::directory_iterator(entry.path())) {
      EXPECT_TRUE(expected.contains(file.path().filename().string()))
          << file.path() << " belongs to no family";
    }
  }
  EXPECT_GE(boards_seen, 2);
}

}  // namespace
}  // namespace quern
