// The rvv family: tiles, the space, ids, and the text of some kernels byte for byte.
#include "generator/rvv/rvv_emitter.h"

#include <gtest/gtest.h>

#include <array>

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

KernelPoint point(const std::string& id) { return emitter.parse_id(id); }
// The choices that make a plain kernel of LMUL 1 in C.
std::map<std::string, std::string> plain(int vlen) { return point(1, 1, vlen).choices; }

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
    EXPECT_EQ(tile.vector_registers(1), c.registers);
  }
}

TEST(RvvLoopBody, AVectorsAreOutermost) {
  const auto step = k_step(tile_of(point(10, 3, 256)), ScalarOperand::scalar);
  // 3 scalars, then twice a load and its 3 FMAs; the second vector is loaded after the first one's
  // last FMA.
  ASSERT_EQ(step.size(), 3u + 2 * (1 + 3));
  EXPECT_EQ(step[3].kind, Operation::load_vector);
  EXPECT_EQ(step[7].kind, Operation::load_vector);
  EXPECT_EQ(step[7].i, 1);
  EXPECT_EQ(step[10].i, 1);
  EXPECT_EQ(step[10].j, 2);
}

TEST(RvvSpace, HoldsEveryTileThatFitsTheRegisters) {
  // VLEN 256: 8 rows a vector; 1, 2, 3, 4 vectors leave room for 31, 15, 10, 7 columns: 8 * 63
  // points of 1024.
  auto space = enumerate_space(emitter, target(256), DType::f32, {}, {}, plain(256));
  EXPECT_EQ(space.points.size(), 504u);
  EXPECT_EQ(space.rejected.at("vector registers"), 520);
  // VLEN 128: 4 rows a vector; 31, 15, 10, 7, 6, 5, 4, 3 columns.
  space = enumerate_space(emitter, target(128), DType::f32, {}, {}, plain(128));
  EXPECT_EQ(space.points.size(), 4u * (31 + 15 + 10 + 7 + 6 + 5 + 4 + 3));
}

TEST(RvvSpace, BoardWithoutVectorsHasNoPoints) {
  const auto space = enumerate_space(emitter, {256, {"i", "m"}}, DType::f32, {}, {}, plain(256));
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
  for (const char* bad : {"", "rvv", "rvv-f32-16x15", "rvv-f99-16x15-m1-vf-v256",
                          "rvv-f32-16x15-m1-vf-v256-x", "rvv-f32-16x14-m2-vf-p8-u2-v256"}) {
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
  for (const auto& p : enumerate_space(emitter, target(256), DType::f32, {13, 20}, {3, 8}).points) {
    ASSERT_EQ(emitter.emit(p, target(256)).source, emitter.emit(p, target(256)).source);
  }
}

// Set QUERN_UPDATE_GOLDEN=1 to write the files anew, and read the difference before committing it.
TEST(RvvText, MatchesTheGoldenFiles) {
  const std::filesystem::path folder = std::filesystem::path(QUERN_SOURCE_DIR) / "generator/golden";
  for (const char* id :
       {"rvv-f32-1x1-m1-vf-v128", "rvv-f32-10x3-m1-vf-v256", "rvv-f32-16x15-m1-vf-v256",
        "rvv-f32-20x6-m1-vf-v128", "rvv-f32-10x3-m1-vf-a2-u2-p4-asm-v256",
        "rvv-f32-8x6-m2-vf-a2-u2-p8-asm-v128", "rvv-f32-5x4-m1-vf-asm-v256"}) {
    const KernelPoint p = point(id);
    const Kernel kernel = emitter.emit(p, target(std::stoi(p.choices.at("vlen"))));
    const auto file = folder / (kernel.id + kernel.extension);
    if (std::getenv("QUERN_UPDATE_GOLDEN") != nullptr) write_file(file, kernel.source);
    EXPECT_EQ(kernel.source, read_file(file)) << file;
  }
}

TEST(RvvFamily, EdgesFallBackToTheScheduleThatTheyCanHave) {
  // 16x14 on two k steps has 28 FMAs; 16x1 has 2, and room for none ahead by 4.
  const auto family = emitter.family_of(point("rvv-f32-16x14-m2-vf-a2-u2-p8-asm-v256"));
  ASSERT_EQ(family.points.size(), 14u);
  EXPECT_EQ(emitter.id(family.points[0]), "rvv-f32-16x1-m2-vf-u2-asm-v256");
  EXPECT_EQ(emitter.id(family.points[2]), "rvv-f32-16x3-m2-vf-a2-u2-p4-asm-v256");
  EXPECT_EQ(emitter.id(family.points[4]), "rvv-f32-16x5-m2-vf-a2-u2-p8-asm-v256");
  for (const auto& p : family.points) EXPECT_TRUE(emitter.violations(p, target(256)).empty());
}

TEST(RvvSpace, ScheduleConstraintsSayWhy) {
  const struct {
    const char* id;
    const char* constraint;
    const char* reason;
  } cases[] = {
      {"rvv-f32-8x4-m2-vf-v256", "lmul", "LMUL 2 holds 16 rows: 8 fit"},
      {"rvv-f32-32x7-m4-vf-a2-u2-p8-asm-v256", "vector registers",
       "7 accumulators of LMUL 4 and 2 A vectors of LMUL 4 need 36 of 32"},
      {"rvv-f32-16x14-m2-vf-a2-u2-p8-v256", "back end", "--emit asm"},
      {"rvv-f32-16x14-m2-vf-a2-p8-asm-v256", "rotation", "1 A vectors an iteration"},
      {"rvv-f32-16x14-m2-vf-a2-u2-asm-v256", "look-ahead", "no use without --pipeline"},
      // 2 vectors x 7 columns: a scalar meets the second vector 7 FMAs after the first; 16 > 14.
      {"rvv-f32-32x7-m2-vf-p8-asm-v256", "look-ahead", "lives for 16 FMAs, an iteration has 14"},
      // One vector, 31 columns: one scalar more than the FMAs that it is ahead.
      {"rvv-f32-8x31-m1-vf-p16-asm-v256", "", ""},
      // 2 vectors of 15 columns and 16 ahead keep 15 + 17 scalars alive on 60 FMAs.
      {"rvv-f32-16x15-m1-vf-u2-p16-asm-v256", "", ""},
  };
  for (const auto& c : cases) {
    const auto found = emitter.violations(point(c.id), target(256));
    ASSERT_EQ(found.empty(), *c.constraint == '\0') << c.id;
    if (found.empty()) continue;
    EXPECT_EQ(found[0].constraint, c.constraint) << c.id << ": " << found[0].reason;
    EXPECT_NE(found[0].reason.find(c.reason), std::string::npos) << c.id << ": " << found[0].reason;
  }
}

// Runs a scheduled loop on a machine whose registers hold names instead of numbers: every FMA must
// find the elements of its own k step, and the panels must be read once, from front to back.
TEST(RvvLoopBody, EveryFmaMeetsItsOwnElements) {
  int checked = 0;
  for (const int vlen : {128, 256}) {
    for (const auto& p :
         enumerate_space(emitter, target(vlen), DType::f32, {7, 24}, {1, 16}, {{"emit", "asm"}})
             .points) {
      const Tile tile = tile_of(p);
      const Schedule schedule = schedule_of(p, {});
      const LoopBody body = schedule_loop(tile, schedule);
      ASSERT_LE(body.scalar_registers, 32) << emitter.id(p);
      std::array<int, 32> a, b;
      a.fill(-1);
      b.fill(-1);
      int next_a = 0, fmas = 0, first = 0;
      const auto execute = [&](const std::vector<Operation>& operations) {
        for (const Operation& o : operations) {
          const int step = first + o.step;
          auto& vector = a[static_cast<std::size_t>(o.vector_group)];
          auto& scalar = b[static_cast<std::size_t>(o.scalar_register)];
          if (o.kind == Operation::load_vector) {
            vector = step * tile.vectors() + o.i;
            ASSERT_EQ(vector, next_a++) << emitter.id(p);
          } else if (o.kind == Operation::load_scalar) {
            scalar = step * tile.scalars() + o.j;
          } else {
            ASSERT_EQ(vector, step * tile.vectors() + o.i) << emitter.id(p);
            ASSERT_EQ(scalar, step * tile.scalars() + o.j) << emitter.id(p);
            ++fmas;
          }
        }
      };
      constexpr int iterations = 3;
      execute(body.before);
      for (; first < (iterations - 1) * schedule.unroll; first += schedule.unroll)
        execute(body.loop);
      execute(body.last);
      ASSERT_EQ(fmas, iterations * schedule.unroll * tile.fmas()) << emitter.id(p);
      ASSERT_EQ(next_a, iterations * schedule.unroll * tile.vectors()) << emitter.id(p);
      ++checked;
    }
  }
  EXPECT_GT(checked, 5000);
}

}  // namespace
}  // namespace quern::generator::rvv
