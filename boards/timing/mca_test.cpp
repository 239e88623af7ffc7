// The static model against llvm-mca's model of the same core (SpacemiT X60, LLVM 22) on generated
// inner loops. An independent implementation of in-order issue, with its own parameters: the
// largest systematic difference is a rule of llvm-mca's: results are written back in program order,
// so a scalar load (4 cycles) right behind a vfmacc (5 cycles) issues one cycle later there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "base/file.h"
#include "base/process.h"
#include "boards/timing/predict.h"

namespace quern::timing {
namespace {

struct Case {
  const char* name;
  int m_vectors, n_r, lmul;  // accumulators: m_vectors x n_r groups
  int unroll;                // of k
  bool pipelined;            // scalar loads `n_r` multiply-accumulates ahead, A loads one k ahead
  bool tail;                 // the last A vector under a shorter vl: two vsetivli a k
};

constexpr Case cases[] = {
    {"16x15 m1", 2, 15, 1, 1, false, false},
    {"16x14 m1", 2, 14, 1, 1, false, false},
    {"16x8 m1", 2, 8, 1, 1, false, false},
    {"32x7 m1", 4, 7, 1, 1, false, false},
    {"32x6 m1", 4, 6, 1, 1, false, false},
    {"24x8 m1", 3, 8, 1, 1, false, false},
    {"8x8 m1", 1, 8, 1, 1, false, false},
    {"8x15 m1 u2", 1, 15, 1, 2, false, false},
    {"16x14 m2", 1, 14, 2, 1, false, false},
    {"16x8 m2", 1, 8, 2, 1, false, false},
    {"32x7 m2", 2, 7, 2, 1, false, false},
    {"32x7 m4", 1, 7, 4, 1, false, false},
    {"32x6 m4", 1, 6, 4, 1, false, false},
    {"16x15 m1 pipelined", 2, 15, 1, 1, true, false},
    {"24x9 m1 pipelined", 3, 9, 1, 1, true, false},
    {"16x14 m2 pipelined u2", 1, 14, 2, 2, true, false},
    {"16x12 m2 pipelined u2", 1, 12, 2, 2, true, false},
    {"32x7 m2 pipelined", 2, 7, 2, 1, true, false},
    {"32x6 m4 pipelined u2", 1, 6, 4, 2, true, false},
    {"32x4 m4 pipelined", 1, 4, 4, 1, true, false},
    {"15x10 m1 tail", 2, 10, 1, 1, false, true},
    {"12x12 m1 tail", 2, 12, 1, 1, false, true},
    {"20x6 m1 tail", 3, 6, 1, 1, false, true},
    {"28x6 m2 tail", 2, 6, 2, 1, false, true},
};

// Assembly of the loop. Accumulators from the top of the register file down, A below them.
std::string loop_text(const Case& c) {
  std::string text;
  const auto line = [&](const std::string& s) { text += "  " + s + "\n"; };
  const int accumulators = c.m_vectors * c.n_r * c.lmul, a_base = 0;
  const auto accumulator = [&](int i, int j) {
    return 32 - accumulators + (j * c.m_vectors + i) * c.lmul;
  };
  const int a_sets = c.pipelined && (c.m_vectors * 2 * c.lmul + accumulators <= 32) ? 2 : 1;
  const auto a_register = [&](int i, int step) {
    return a_base + ((step % a_sets) * c.m_vectors + i) * c.lmul;
  };
  const int vector_bytes = 32 * c.lmul;
  const auto flw = [&](int j, int step) {
    line(fmt::format("flw f{}, {}(a4)", (step * c.n_r + j) % 32, 4 * (step * c.n_r + j)));
  };
  const auto vle = [&](int i, int step) {
    line(fmt::format("addi a5, a0, {}", (step * c.m_vectors + i) * vector_bytes));
    line(fmt::format("vle32.v v{}, (a5)", a_register(i, step)));
  };
  for (int step = 0; step < c.unroll; ++step) {
    const auto fma = [&](int i, int j) {
      line(fmt::format("vfmacc.vf v{}, f{}, v{}", accumulator(i, j), (step * c.n_r + j) % 32,
                       a_register(i, step)));
    };
    if (!c.pipelined) {
      for (int i = 0; i < c.m_vectors; ++i) vle(i, step);
      if (c.tail) {
        // m outermost: one change to the short vl and one back.
        for (int j = 0; j < c.n_r; ++j) flw(j, step);
        for (int i = 0; i < c.m_vectors; ++i) {
          if (i + 1 == c.m_vectors) line(fmt::format("vsetivli x0, 4, e32, m{}, ta, ma", c.lmul));
          for (int j = 0; j < c.n_r; ++j) fma(i, j);
        }
        line(fmt::format("vsetvli x0, x0, e32, m{}, ta, ma", c.lmul));
      } else {
        for (int j = 0; j < c.n_r; ++j) {
          flw(j, step);
          for (int i = 0; i < c.m_vectors; ++i) fma(i, j);
        }
      }
    } else {
      // The next step's operands are loaded between this one's multiply-accumulates.
      for (int j = 0; j < c.n_r; ++j)
        for (int i = 0; i < c.m_vectors; ++i) {
          fma(i, j);
          if (i == 0 && a_sets == 2 && j < c.m_vectors) vle(j, step + 1);
          if (i + 1 == c.m_vectors) flw(j, step + 1);
        }
      if (a_sets == 1)
        for (int i = 0; i < c.m_vectors; ++i) vle(i, step + 1);
    }
  }
  line(fmt::format("addi a0, a0, {}", c.unroll * c.m_vectors * vector_bytes));
  line(fmt::format("addi a4, a4, {}", 4 * c.unroll * c.n_r));
  return text;
}

TEST(McaSlow, AgreesWithLlvmOnGeneratedLoops) {
  if (!find_program("llvm-mca-22") || !find_program("llvm-mc-19"))
    GTEST_SKIP() << "llvm-mca-22 (package llvm-22) and llvm-mc-19 (llvm-19) are needed";
  const Parameters parameters =
      load_parameters(std::filesystem::path(QUERN_SOURCE_DIR) / "boards" / "bpi-f3.json");
  const auto folder = std::filesystem::path(testing::TempDir());
  std::vector<double> differences, explained;  // explained: with that one cycle for each such load
  std::printf("| loop | llvm-mca-22 | quern | difference |\n|---|---|---|---|\n");
  for (const Case& c : cases) {
    const std::string body = loop_text(c);
    const auto source = folder / "loop.s", object = folder / "loop.o", region = folder / "region.s";
    write_file(source, fmt::format(".globl kernel\nkernel:\n  vsetvli x0, x0, e32, m{}, ta, "
                                   "ma\n1:\n{}  bne a0, a2, 1b\n  ret\n",
                                   c.lmul, body));
    write_file(
        region,
        fmt::format("# LLVM-MCA-RISCV-LMUL M{}\n# LLVM-MCA-RISCV-SEW E32\n{}  bne a0, a2, 8\n",
                    c.lmul, body));
    const auto assembled =
        run_process({"llvm-mc-19", "--triple=riscv64", "--mattr=+m,+a,+f,+d,+c,+v",
                     "--filetype=obj", "-o", object.string(), source.string()});
    ASSERT_TRUE(assembled.good()) << assembled.errors;
    const ElfFile file = read_elf(object);
    const auto* kernel = file.find("kernel");
    ASSERT_NE(kernel, nullptr);
    const Prediction prediction = predict(parameters, file, *kernel);
    ASSERT_TRUE(prediction.has_loop) << c.name;
    ASSERT_EQ(prediction.vector_fmas, c.m_vectors * c.n_r * c.unroll) << c.name;

    const auto mca =
        run_process({"llvm-mca-22", "-mtriple=riscv64", "-mcpu=spacemit-x60", "-iterations=300",
                     "-instruction-info=false", "-resource-pressure=false", region.string()});
    ASSERT_TRUE(mca.good()) << mca.errors;
    const auto at = mca.output.find("Total Cycles:");
    ASSERT_NE(at, std::string::npos) << mca.output;
    const double theirs = std::atof(mca.output.c_str() + at + 13) / 300;
    const double difference = prediction.cycles / theirs - 1;
    differences.push_back(std::abs(difference));
    const int behind = c.pipelined || c.tail ? 0 : c.n_r * c.unroll;
    explained.push_back(std::abs((prediction.cycles + behind) / theirs - 1));
    std::printf("| %s | %.1f | %.1f | %+.1f %% |\n", c.name, theirs, prediction.cycles,
                100 * difference);
  }
  std::sort(differences.begin(), differences.end());
  std::sort(explained.begin(), explained.end());
  const std::size_t middle = differences.size() / 2;
  std::printf("median %.1f %%, largest %.1f %%; write-back order explained: median %.1f %%\n",
              100 * differences[middle], 100 * differences.back(), 100 * explained[middle]);
  EXPECT_GE(differences.size(), 20u);
  EXPECT_LE(explained[middle], 0.10);
  EXPECT_LE(differences[middle], 0.20);
  EXPECT_LE(differences.back(), 0.30);
}

}  // namespace
}  // namespace quern::timing
