#include "bench/compare.h"

#include <gtest/gtest.h>

namespace quern::bench {
namespace {

CompareRow row(std::vector<double> ours, std::vector<double> theirs) {
  CompareRow out;
  out.outcome = boards::Outcome::ok;
  Figure a, b;
  a.correct = b.correct = true;
  a.seconds = ours;
  b.seconds = theirs;
  // One operation a call, so that GFLOPS are the inverse of the median time.
  if (!ours.empty()) a.gflops = 1 / ours[ours.size() / 2];
  if (!theirs.empty()) b.gflops = 1 / theirs[theirs.size() / 2];
  out.figures = {{"quern", a}, {"openblas", b}};
  return out;
}

TEST(Compare, RatioOfOneSampleIsItsOwnInterval) {
  const auto r = ratio(row({2}, {3}), "openblas");
  ASSERT_TRUE(r.has_value());
  EXPECT_DOUBLE_EQ(r->value, 1.5);
  EXPECT_DOUBLE_EQ(r->low, 1.5);
  EXPECT_DOUBLE_EQ(r->high, 1.5);
}

TEST(Compare, IntervalHoldsTheRatioAndWidensWithNoise) {
  const auto calm = ratio(row({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}), "openblas");
  EXPECT_DOUBLE_EQ(calm->low, 2);
  EXPECT_DOUBLE_EQ(calm->high, 2);
  const auto noisy = ratio(row({0.5, 0.8, 1, 1.2, 1.5}, {2, 2, 2, 2, 2}), "openblas");
  EXPECT_LT(noisy->low, 2);
  EXPECT_GT(noisy->high, 2);
}

TEST(Compare, NoRatioWithoutFigures) {
  EXPECT_FALSE(ratio(row({1}, {}), "openblas").has_value());
  EXPECT_FALSE(ratio(row({1}, {1}), "blis").has_value());
}

TEST(Compare, GeometricMeanOverTheRowsThatHaveARatio) {
  Comparison comparison;
  comparison.rows = {row({1}, {2}), row({1}, {8}), row({1}, {})};
  EXPECT_DOUBLE_EQ(*geomean_ratio(comparison, "openblas"), 4);
  comparison.rows = {row({1}, {})};
  EXPECT_FALSE(geomean_ratio(comparison, "openblas").has_value());
}

TEST(Compare, ARowIsCorrectOnlyIfAllAre) {
  CompareRow r = row({1}, {1});
  EXPECT_TRUE(r.correct());
  r.figures["openblas"].correct = false;
  EXPECT_FALSE(r.correct());
  r = row({1}, {1});
  r.outcome = boards::Outcome::timeout;
  EXPECT_FALSE(r.correct());
}

}  // namespace
}  // namespace quern::bench
