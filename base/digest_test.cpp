#include "base/digest.h"

#include <gtest/gtest.h>

namespace quern {
namespace {

TEST(Digest, DependsOnContentAndBoundaries) {
  EXPECT_EQ(digest({"ab", "c"}), digest({"ab", "c"}));
  EXPECT_EQ(digest({"ab", "c"}).size(), 32u);
  EXPECT_NE(digest({"ab", "c"}), digest({"a", "bc"}));
  EXPECT_NE(digest({"ab", "c"}), digest({"ab", "d"}));
  EXPECT_NE(digest({"ab"}), digest({"ab", ""}));
}

}  // namespace
}  // namespace quern
