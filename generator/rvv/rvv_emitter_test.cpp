// The rvv family: tiles, the space, ids, and the text of some kernels byte for byte.
#include "generator/rvv/rvv_emitter.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "base/file.h"
#include "generator/core/space.h"
#include "generator/rvv/loop_body.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {
namespace {

const RvvEmitter emitter;

Target target(int vlen) { return {vlen, {"i", "v"}}; }
KernelPoint point(int m_r, int n_r, int vlen) {
  return emitter.complete({"rvv", DType::f32, m_r, n_r, {}}, target(vlen));
}

TEST(RvvTile, RowsFillVectors) {
  const struct {
    int m_r, n_r, vlen, lanes, vector_rows, tail, registers;
  } cases[] = {
      {16, 15, 256, 8, 2, 8, 31}, {20, 6, 128, 4, 5, 4, 31}, {10, 3, 256, 8, 2, 2, 7},
      {1, 1, 128, 4, 1, 1, 2},    {8, 31, 256, 8, 1, 8, 32}, {17, 7, 512, 16, 2, 1, 15},
  };
  for (const auto& c : cases) {
    const Tile tile = tile_of(point(c.m_r, c.n_r, c.vlen));
    EXPECT_EQ(tile.lanes, c.lanes);
    EXPECT_EQ(tile.vector_rows, c.vector_rows);
    EXPECT_EQ(tile.tail, c.tail);
    EXPECT_EQ(tile.vector_registers(), c.registers);
  }
}

TEST(RvvLoopBody, AVectorsAreOutermost) {
  const auto step = k_step(tile_of(point(10, 3, 256)));
  // 3 scalars, then twice a load and its 3 FMAs; the second vector is loaded after the first one's
  // last FMA.
  ASSERT_EQ(step.size(), 3u + 2 * (1 + 3));
  EXPECT_EQ(step[3].kind, Operation::load_a);
  EXPECT_EQ(step[7].kind, Operation::load_a);
  EXPECT_EQ(step[7].i, 1);
  EXPECT_EQ(step[10].i, 1);
  EXPECT_EQ(step[10].j, 2);
}

TEST(RvvSpace, HoldsEveryTileThatFitsTheRegisters) {
  // VLEN 256: 8 rows a vector; 1, 2, 3, 4 vectors leave room for 31, 15, 10, 7 columns: 8 * 63
  // points of 1024.
  auto space = enumerate_space(emitter, target(256), DType::f32, {}, {});
  EXPECT_EQ(space.points.size(), 504u);
  EXPECT_EQ(space.rejected.at("vector registers"), 520);
  // VLEN 128: 4 rows a vector; 31, 15, 10, 7, 6, 5, 4, 3 columns.
  space = enumerate_space(emitter, target(128), DType::f32, {}, {});
  EXPECT_EQ(space.points.size(), 4u * (31 + 15 + 10 + 7 + 6 + 5 + 4 + 3));
}

TEST(RvvSpace, BoardWithoutVectorsHasNoPoints) {
  const auto space = enumerate_space(emitter, {256, {"i", "m"}}, DType::f32, {}, {});
  EXPECT_TRUE(space.points.empty());
  EXPECT_EQ(space.rejected.at("extension"), 1024);
}

TEST(RvvSpace, ViolationsSayWhy) {
  const auto reason = [](const KernelPoint& p, const Target& t) {
    return emitter.violations(p, t).at(0).reason;
  };
  EXPECT_NE(reason(point(16, 16, 256), target(256)).find("32 accumulators"), std::string::npos);
  EXPECT_NE(reason(point(16, 15, 256), target(128)).find("VLEN 256"), std::string::npos);
  KernelPoint odd = point(4, 4, 256);
  odd.choices["lmul"] = "3";
  EXPECT_NE(reason(odd, target(256)).find("lmul = 3"), std::string::npos);
  EXPECT_THROW((void)emitter.emit(point(32, 32, 256), target(256)), Error);
}

TEST(RvvId, GoesBothWays) {
  EXPECT_EQ(emitter.id(point(16, 15, 256)), "rvv-f32-16x15-m1-vf-v256");
  for (const auto& p : enumerate_space(emitter, target(128), DType::f32, {1, 9}, {1, 9}).points) {
    EXPECT_EQ(emitter.parse_id(emitter.id(p)), p);
  }
  for (const char* bad :
       {"", "rvv", "rvv-f32-16x15", "rvv-f99-16x15-m1-vf-v256", "rvv-f32-16x15-m1-vf-v256-x"}) {
    EXPECT_THROW((void)emitter.parse_id(bad), Error) << bad;
  }
}

TEST(RvvFamily, CoversTheTileAndItsEdges) {
  const auto family = emitter.family_of(point(20, 3, 256));
  EXPECT_EQ(family.lanes, 8);
  ASSERT_EQ(family.points.size(), 3u * 3);  // 3 vectors x 3 columns
  EXPECT_EQ(family.points[0].m_r, 8);
  EXPECT_EQ(family.points[0].n_r, 1);
  EXPECT_EQ(family.points[5].m_r, 16);
  EXPECT_EQ(family.points[5].n_r, 3);
  EXPECT_EQ(family.points.back(), point(20, 3, 256));
}

TEST(RvvText, IsTheSameForTheSamePoint) {
  for (const auto& p : enumerate_space(emitter, target(256), DType::f32, {}, {}).points) {
    ASSERT_EQ(emitter.emit(p, target(256)).source, emitter.emit(p, target(256)).source);
  }
}

// Set QUERN_UPDATE_GOLDEN=1 to write the files anew, and read the difference before committing it.
TEST(RvvText, MatchesTheGoldenFiles) {
  const std::filesystem::path folder = std::filesystem::path(QUERN_SOURCE_DIR) / "generator/golden";
  for (const auto& [m_r, n_r, vlen] :
       {std::tuple{1, 1, 128}, {10, 3, 256}, {16, 15, 256}, {20, 6, 128}}) {
    const Kernel kernel = emitter.emit(point(m_r, n_r, vlen), target(vlen));
    const auto file = folder / (kernel.id + kernel.extension);
    if (std::getenv("QUERN_UPDATE_GOLDEN") != nullptr) write_file(file, kernel.source);
    EXPECT_EQ(kernel.source, read_file(file)) << file;
  }
}

}  // namespace
}  // namespace quern::generator::rvv
