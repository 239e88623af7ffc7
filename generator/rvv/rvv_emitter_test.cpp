// The rvv family: tiles, the space, ids, and the text of some kernels byte for byte.
#include "generator/rvv/rvv_emitter.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <regex>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "generator/core/space.h"
#include "generator/rvv/loop_body.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {
namespace {

const RvvEmitter emitter;

// Tables of a machine that issues two instructions a cycle, adds an m1 vector in one and loads one
// in two.
Costs tables() {
  Costs costs;
  costs.issue_width = 2;
  costs.scalar_load = {4, 1};
  costs.integer_load = {2, 1};
  for (auto& row : costs.fma) row = {{{5, 1}, {5, 1}, {5, 2}, {5, 4}, {8, 8}}};
  for (auto& row : costs.widening_fma) row = {{{5, 1}, {6, 2}, {6, 4}, {7, 8}, {16, 16}}};
  for (auto& row : costs.widening_multiply_add) row = {{{4, 1}, {4, 2}, {5, 4}, {8, 8}, {16, 16}}};
  for (auto& row : costs.vector_load) row = {{{3, 2}, {3, 2}, {4, 4}, {8, 8}, {16, 16}}};
  return costs;
}

Target target(int vlen) { return {vlen, {"i", "v", "zvfh", "zvfbfwma", "zicbop"}, tables()}; }
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
  // 3 scalars, then twice a load, a step of the pointer and 3 FMAs; the second vector is loaded
  // after the first one's last FMA.
  ASSERT_EQ(step.size(), 3u + 2 * (2 + 3));
  EXPECT_EQ(step[3].kind, Operation::load_vector);
  EXPECT_EQ(step[8].kind, Operation::load_vector);
  EXPECT_EQ(step[8].i, 1);
  EXPECT_EQ(step[12].i, 1);
  EXPECT_EQ(step[12].j, 2);
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
        "rvv-f32-8x6-m2-vf-a2-u2-p8-asm-v128", "rvv-f32-5x4-m1-vf-asm-v256",
        // One of each type and choice, small enough to be read.
        "rvv-f64-8x2-m2-vf-b1-v256", "rvv-f16-32x3-m1-vf-z256-v256", "rvv-f16f32-32x2-m1-vf-v256",
        "rvv-bf16-16x2-m1-vf-asm-v256", "rvv-bf16-12x2-mf2-vf-v256", "rvv-i8-32x2-m1-vf-asm-v256",
        "rvv-i8-16x3-m1-vf-v256", "rvv-cf32-16x2-m1-vf-b1-v256",
        "rvv-cf64-4x2-m1-vf-a2-u2-p4-asm-v256", "rvv-f32-3x16-m1-vf-vn-v256",
        "rvv-f32-3x16-m1-vf-vn-asm-v256", "rvv-f32-16x3-m1-vf-vla-v256",
        "rvv-f32-16x3-m1-bc-u2-asm-vla-v256", "rvv-f32-16x3-m1-ga-v256",
        "rvv-f32-16x3-m1-ga-cr-asm-v256", "rvv-f32-16x4-m1-vf-a2-u2-pmod-b1-pcz-asm-v256"}) {
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
      {"rvv-f32-4x4-mf2-vf-v256", "lmul", "twice as wide"},
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

// Runs a loop on a machine whose registers hold names instead of numbers: every FMA must find the
// elements of its own k step, and the panels must be read once, from front to back.
void run_on_names(const KernelPoint& p) {
  const std::string id = emitter.id(p);
  const Tile tile = tile_of(p);
  const Schedule schedule = schedule_of(p, tables());
  const LoopBody body = schedule_loop(tile, schedule);
  ASSERT_LE(body.scalar_registers, scalar_registers_of(tile)) << id;
  const bool spread = schedule.operand != ScalarOperand::scalar;
  std::array<int, 32> vectors, scalars, spreads;
  vectors.fill(-1);
  scalars.fill(-1);
  spreads.fill(-1);
  int next_vector = 0, fmas = 0, first = 0, row = -1;
  const auto execute = [&](const std::vector<Operation>& operations) {
    for (const Operation& o : operations) {
      const int step = first + o.step;
      auto& vector = vectors[static_cast<std::size_t>(o.vector_group)];
      auto& scalar = scalars[static_cast<std::size_t>(o.scalar_register)];
      auto& spread_over = spreads[static_cast<std::size_t>(o.scalar_register)];
      const int element = step * tile.scalars() + o.j;
      switch (o.kind) {
        case Operation::load_vector:
          vector = step * tile.vectors() + o.i;
          ASSERT_EQ(vector, next_vector++) << id;
          break;
        case Operation::load_scalar:
          scalar = element;
          break;
        case Operation::load_row:
          row = step;
          break;
        case Operation::spread:
          if (schedule.operand == ScalarOperand::gather) {
            ASSERT_EQ(row, step) << id;
          } else {
            ASSERT_EQ(scalars[static_cast<std::size_t>(o.j % body.scalar_registers)], element)
                << id;
          }
          spread_over = element;
          break;
        case Operation::fma:
          ASSERT_EQ(vector, step * tile.vectors() + o.i) << id;
          ASSERT_EQ(spread ? spread_over : scalar, element) << id;
          ++fmas;
          break;
        case Operation::advance_vectors:
        case Operation::advance_scalars:
          break;
      }
    }
  };
  constexpr int iterations = 3;
  execute(body.before);
  for (; first < (iterations - 1) * schedule.unroll; first += schedule.unroll) execute(body.loop);
  execute(body.last);
  ASSERT_EQ(fmas, iterations * schedule.unroll * tile.fmas()) << id;
  ASSERT_EQ(next_vector, iterations * schedule.unroll * tile.vectors()) << id;
}

TEST(RvvLoopBody, EveryFmaMeetsItsOwnElements) {
  std::map<std::string, int> checked;
  const auto check = [&](DType dtype, int vlen, Range m_r, Range n_r,
                         const std::map<std::string, std::string>& asked) {
    for (const auto& p : enumerate_space(emitter, target(vlen), dtype, m_r, n_r, asked).points) {
      run_on_names(p);
      if (testing::Test::HasFatalFailure()) return;
      ++checked[p.choices.at("pipeline")];
      ++checked[p.choices.at("operand")];
      ++checked[p.choices.at("loads")];
      ++checked[std::string(info(dtype).name)];
    }
  };
  check(DType::f32, 128, {7, 24}, {3, 12}, {{"emit", "asm"}});
  check(DType::f32, 256, {7, 24}, {1, 16}, {{"emit", "asm"}, {"loads", "all"}, {"unroll", "1,4"}});
  check(DType::cf32, 256, {3, 16}, {1, 7}, {{"emit", "asm"}, {"vector", "all"}});
  check(DType::i8, 256, {9, 32}, {5, 14}, {{"emit", "asm"}, {"unroll", "2"}});
  check(DType::f64, 256, {5, 8}, {3, 8}, {{"operand", "broadcast,gather"}, {"unroll", "all"}});
  for (const char* what : {"0", "8", "16", "modulo", "vf", "broadcast", "gather", "grouped", "f32",
                           "cf32", "i8", "f64"}) {
    EXPECT_GT(checked[what], 10) << what;
  }
}

// The loop of a kernel as it stands, without its spaces: "flw ft0, 8(a4)".
std::vector<std::string> loop_of(const KernelPoint& p, const Target& t) {
  const std::string source = emitter.emit(p, t).source;
  const auto begin = source.find(".Lloop:\n") + 8;
  std::istringstream lines(source.substr(begin, source.find("    bne ", begin) - begin));
  std::vector<std::string> loop;
  for (std::string mnemonic, operands;
       lines >> mnemonic && std::getline(lines >> std::ws, operands);)
    loop.push_back(mnemonic + " " + operands);
  return loop;
}

// Schedules by hand, a line a cycle, on the tables above with writes in order.
std::vector<std::string> in_order(const std::vector<std::vector<const char*>>& cycles) {
  std::vector<std::string> out;
  for (const auto& cycle : cycles) out.insert(out.end(), cycle.begin(), cycle.end());
  return out;
}

Target writes_in_order() {
  Target out = target(256);
  out.costs.writes_in_order = true;
  return out;
}

// LMUL 2: 8 FMAs, one every other cycle, so 16 cycles are the bound. An FMA in cycle c writes in
// c + 5, and both loads take 4: ahead of the FMA in cycle c, or a cycle behind it.
TEST(RvvSchedule, PutsLoadsWhereTheyWriteInOrder) {
  EXPECT_EQ(loop_of(point("rvv-f32-16x4-m2-vf-a2-u2-pmod-asm-v256"), writes_in_order()),
            in_order({
                {"add a1, a1, t6", "vfmacc.vf v0, ft0, v8"},    // 0: next to the branch
                {"vle32.v v10, (a1)", "flw ft0, 12(a4)"},       // 1: write in 5, as the FMA
                {"vfmacc.vf v2, ft1, v8"},                      // 2
                {"flw ft1, 16(a4)"},                            // 3: ready in 7, used in 8
                {"vfmacc.vf v4, ft2, v8"},                      // 4
                {"flw ft2, 20(a4)"},                            // 5
                {"vfmacc.vf v6, ft0, v8"},                      // 6
                {"vle32.v v8, (a3)", "flw ft3, 24(a4)"},        // 7: v8 is free
                {"vfmacc.vf v0, ft1, v10"},                     // 8
                {"flw ft4, 28(a4)"},                            // 9
                {"vfmacc.vf v2, ft2, v10"},                     // 10
                {"flw ft0, 32(a4)"},                            // 11: of the next iteration
                {"flw ft1, 36(a4)", "vfmacc.vf v4, ft3, v10"},  // 12: no slot behind the last FMA
                {"flw ft2, 40(a4)"},                            // 13
                {"vfmacc.vf v6, ft4, v10", "addi a4, a4, 32"},  // 14
                {"add a3, a3, t6"},                             // 15: and the branch
            }));
}

// LMUL 1: 16 FMAs, one a cycle, and 4 vectors, whose loads of 3 cycles write in order only 2 cycles
// behind an FMA: 20 cycles.
TEST(RvvSchedule, MakesRoomForShortLoads) {
  EXPECT_EQ(loop_of(point("rvv-f32-16x4-m1-vf-a2-u2-pmod-asm-v256"), writes_in_order()),
            in_order({
                {"vle32.v v9, (a1)", "vfmacc.vf v0, ft0, v8"},  // 0: the last FMA was in -2
                {"vfmacc.vf v1, ft1, v8"},                      // 1
                {"vfmacc.vf v2, ft2, v8"},                      // 2
                {"vfmacc.vf v3, ft3, v8"},                      // 3
                {},                                             // 4
                {"vle32.v v8, (t6)", "vfmacc.vf v4, ft0, v9"},  // 5: 3 + 5 = 5 + 3
                {"flw ft4, 16(a4)", "vfmacc.vf v5, ft1, v9"},   // 6: ready in 10
                {"flw ft5, 20(a4)", "vfmacc.vf v6, ft2, v9"},   // 7
                {"flw ft6, 24(a4)", "vfmacc.vf v7, ft3, v9"},   // 8
                {"flw ft7, 28(a4)"},                            // 9
                {"vle32.v v9, (a0)", "vfmacc.vf v0, ft4, v8"},  // 10
                {"flw ft0, 32(a4)", "vfmacc.vf v1, ft5, v8"},   // 11
                {"flw ft1, 36(a4)", "vfmacc.vf v2, ft6, v8"},   // 12
                {"vfmacc.vf v3, ft7, v8", "add a0, a0, t1"},    // 13: pointers, together
                {"add a1, a1, t1", "add t6, t6, t1"},           // 14
                {"vle32.v v8, (a3)", "vfmacc.vf v4, ft4, v9"},  // 15
                {"flw ft2, 40(a4)", "vfmacc.vf v5, ft5, v9"},   // 16
                {"flw ft3, 44(a4)", "vfmacc.vf v6, ft6, v9"},   // 17
                {"vfmacc.vf v7, ft7, v9", "addi a4, a4, 32"},   // 18
                {"add a3, a3, t1"},                             // 19: and the branch
            }));
}

TEST(RvvSchedule, ModuloNeedsTables) {
  const auto p = point("rvv-f32-8x4-m1-vf-a2-u2-pmod-asm-v256");
  ASSERT_TRUE(emitter.violations(p, target(256)).empty());
  Target bare = target(256);
  bare.costs = {};
  ASSERT_FALSE(emitter.violations(p, bare).empty());
  EXPECT_NE(emitter.violations(p, bare)[0].reason.find("no timing tables"), std::string::npos);
}

// Loads of scalars have offsets of 12 bits.
TEST(RvvSchedule, KeepsOffsetsInReach) {
  static const std::regex offset(R"((-?\d+)\((a\d|t\d)\))");
  int seen = 0;
  for (const char* id :
       {"rvv-f64-4x31-m1-vf-u8-p16-asm-v256", "rvv-f64-4x30-m1-vf-a2-u8-pmod-asm-v256",
        "rvv-f64-4x30-m1-vf-a2-u8-p16-asm-v256", "rvv-cf64-4x15-m1-vf-a2-u8-p16-asm-v256",
        "rvv-cf64-4x15-m1-vf-a2-u8-pmod-asm-v256", "rvv-f32-8x30-m1-vf-a2-u8-p8-asm-v256"}) {
    if (!emitter.violations(point(id), target(256)).empty()) continue;
    ++seen;
    const std::string source = emitter.emit(point(id), target(256)).source;
    for (std::sregex_iterator it(source.begin(), source.end(), offset), end; it != end; ++it) {
      EXPECT_LE(std::stoi((*it)[1]), 2047) << id;
      EXPECT_GE(std::stoi((*it)[1]), -2048) << id;
    }
  }
  EXPECT_GE(seen, 4);
}

TEST(RvvTile, ComplexProductsGoToTheirParts) {
  const Tile tile = tile_of(point("rvv-cf32-16x3-m1-vf-v256"));
  ASSERT_EQ(tile.vectors(), 4);  // re 0..7, re 8..15, im 0..7, im 8..15
  ASSERT_EQ(tile.scalars(), 6);  // re 0..2, im 0..2
  ASSERT_EQ(tile.accumulators(), 12);
  const struct {
    int i, j, row, column, part;
    bool subtract;
  } cases[] = {
      {0, 0, 0, 0, 0, false}, {1, 2, 1, 2, 0, false}, {0, 3, 0, 0, 1, false},
      {2, 1, 0, 1, 1, false}, {3, 5, 1, 2, 0, true},  {2, 3, 0, 0, 0, true},
  };
  for (const auto& c : cases) {
    const auto product = tile.product(c.i, c.j);
    EXPECT_EQ(product.row, c.row);
    EXPECT_EQ(product.column, c.column);
    EXPECT_EQ(product.part, c.part);
    EXPECT_EQ(product.subtract, c.subtract);
  }
}

TEST(RvvTile, TypesAndOrientations) {
  const struct {
    const char* id;
    int lanes, vector_rows, along, across, registers;  // registers with one group
    bool unit_stride;
  } cases[] = {
      {"rvv-f64-8x7-m2-vf-v256", 8, 1, 8, 7, 16, true},
      {"rvv-f16-32x6-m1-vf-v256", 16, 2, 32, 6, 13, true},
      // Sums twice as wide: 14 of LMUL 2, and room for one of them in the update.
      {"rvv-f16f32-16x14-m1-vf-v256", 16, 1, 16, 14, 30, true},
      {"rvv-i8-32x6-m2-vf-v256", 32, 1, 32, 6, 28, true},
      // Half a register of a panel, a whole one of sums: 2 * 14 of them and one vector of A.
      {"rvv-f16f32-16x14-mf2-vf-v256", 8, 2, 16, 14, 29, true},
      {"rvv-cf64-4x5-m1-vf-v256", 4, 1, 4, 5, 11, true},
      {"rvv-f32-5x16-m2-vf-vn-v256", 16, 1, 16, 5, 12, false},
      {"rvv-f32-5x16-m2-vf-vn-cr-v256", 16, 1, 16, 5, 12, true},
      {"rvv-f32-16x5-m2-vf-cr-v256", 16, 1, 16, 5, 12, false},
  };
  for (const auto& c : cases) {
    const Tile tile = tile_of(point(c.id));
    EXPECT_EQ(tile.lanes, c.lanes) << c.id;
    EXPECT_EQ(tile.vector_rows, c.vector_rows) << c.id;
    EXPECT_EQ(tile.along, c.along) << c.id;
    EXPECT_EQ(tile.across, c.across) << c.id;
    EXPECT_EQ(tile.vector_registers(1), c.registers) << c.id;
    EXPECT_EQ(tile.unit_stride_c(), c.unit_stride) << c.id;
    EXPECT_TRUE(emitter.violations(point(c.id), target(256)).empty()) << c.id;
  }
}

TEST(RvvFamily, AlongNCoversColumnsAndRows) {
  const auto family = emitter.family_of(point("rvv-f32-3x20-m1-vf-vn-cr-v256"));
  EXPECT_EQ(family.lanes, 8);
  ASSERT_EQ(family.points.size(), 3u * 3);
  EXPECT_EQ(family.points[0].n_r, 8);
  EXPECT_EQ(family.points[0].m_r, 1);
  EXPECT_EQ(family.points[5].n_r, 16);
  EXPECT_EQ(family.points[5].m_r, 3);
  const auto form = emitter.form_of(family.points.back());
  EXPECT_EQ(form.along, KernelForm::Along::n);
  EXPECT_EQ(form.c_order, KernelForm::COrder::row_major);
  EXPECT_FALSE(form.blas());
  EXPECT_TRUE(emitter.form_of(point("rvv-cf32-8x3-m1-vf-b1-asm-v256")).blas());
}

TEST(RvvId, EveryChoiceIsSpelt) {
  std::mt19937 random(1);
  const auto parameters = emitter.parameters(target(256));
  for (int i = 0; i < 5000; ++i) {
    KernelPoint p{"rvv", dtypes[random() % std::size(dtypes)].dtype, 8, 5, {}};
    for (const auto& parameter : parameters)
      p.choices[parameter.name] = parameter.values[random() % parameter.values.size()];
    ASSERT_EQ(emitter.parse_id(emitter.id(p)), p) << emitter.id(p);
  }
}

TEST(RvvSpace, TakesListsOfValues) {
  const auto count = [](const std::map<std::string, std::string>& asked) {
    return enumerate_space(emitter, target(256), DType::f32, {8, 8}, {4, 4}, asked).points.size();
  };
  auto asked = plain(256);
  EXPECT_EQ(count(asked), 1u);
  asked["unroll"] = "1,4";
  EXPECT_EQ(count(asked), 2u);
  asked["unroll"] = "all";
  EXPECT_EQ(count(asked), 4u);
  asked["vl"] = "agnostic,fixed,agnostic";
  EXPECT_EQ(count(asked), 8u);
  asked["vl"] = "agnostic,";
  EXPECT_THROW((void)count(asked), Error);
  asked["vl"] = "";
  EXPECT_THROW((void)count(asked), Error);
}

}  // namespace
}  // namespace quern::generator::rvv
