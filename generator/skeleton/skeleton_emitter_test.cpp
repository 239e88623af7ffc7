// The skeleton's kernels, compiled for this machine and run: what a new emitter's first test looks
// like.
#include "generator/skeleton/skeleton_emitter.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "generator/core/space.h"

namespace quern::generator::skeleton {
namespace {

const SkeletonEmitter emitter;
const Target any_machine;

KernelPoint point(int m_r, int n_r, const char* fma = "no") {
  return {"skeleton", DType::f64, m_r, n_r, {{"fma", fma}}};
}

TEST(Skeleton, SpaceIsWhatTheRegistersHold) {
  // (m + 1) * (n + 1) <= 33: for m = 1..32 there are 33 / (m + 1) - 1 widths.
  std::size_t expected = 0;
  for (int m = 1; m <= 32; ++m) expected += static_cast<std::size_t>(33 / (m + 1) - 1);
  const auto space = enumerate_space(emitter, any_machine, DType::f32, {}, {}, {{"fma", "no"}});
  EXPECT_EQ(space.points.size(), expected);
  EXPECT_EQ(space.rejected.at("registers"), 1024 - static_cast<int>(expected));
  EXPECT_TRUE(enumerate_space(emitter, any_machine, DType::i8, {}, {}).points.empty());
}

TEST(Skeleton, IdsGoBothWays) {
  EXPECT_EQ(emitter.id(point(3, 2, "yes")), "skeleton-f64-3x2-fma");
  EXPECT_EQ(emitter.parse_id("skeleton-f64-3x2-fma"), point(3, 2, "yes"));
  EXPECT_THROW((void)emitter.parse_id("skeleton-f64-3x2-v256"), Error);
  EXPECT_THROW((void)emitter.emit(point(32, 32), any_machine), Error);
}

TEST(Skeleton, FamilyEndsWithThePointItself) {
  const auto family = emitter.family_of(point(3, 2));
  ASSERT_EQ(family.points.size(), 6u);
  EXPECT_EQ(family.points[1], point(1, 2));
  EXPECT_EQ(family.points.back(), point(3, 2));
}

TEST(Skeleton, KernelMultiplies) {
  for (const char* fma : {"no", "yes"}) {
    const Kernel kernel = emitter.emit(point(3, 2, fma), any_machine);
    const auto folder = std::filesystem::path(testing::TempDir()) / kernel.id;
    write_file(folder / "kernel.c", kernel.source);
    const auto library = folder / "kernel.so";
    const auto compiled =
        run_process({"cc", "-std=c17", "-Wall", "-Werror", "-O2", "-shared", "-fPIC",
                     (folder / "kernel.c").string(), "-lm", "-o", library.string()});
    ASSERT_TRUE(compiled.good()) << compiled.errors;
    void* loaded = dlopen(library.c_str(), RTLD_NOW);
    ASSERT_NE(loaded, nullptr) << dlerror();
    const auto run =
        reinterpret_cast<void (*)(std::int64_t, std::int64_t, const double*, const double*,
                                  const double*, const double*, double*, std::int64_t)>(
            dlsym(loaded, kernel.symbol.c_str()));
    ASSERT_NE(run, nullptr);
    // A = [1 4; 2 5; 3 6], B = [1 2; 3 4], A * B = [13 18; 17 24; 21 30]; C has a spare row.
    const std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {1, 2, 3, 4};
    std::vector<double> c = {NAN, NAN, NAN, 7, NAN, NAN, NAN, 7};
    double alpha = 2, beta = 0;
    run(3, 2, &alpha, a.data(), b.data(), &beta, c.data(), 4);
    EXPECT_EQ(c, (std::vector<double>{26, 34, 42, 7, 36, 48, 60, 7}));
    alpha = -1;
    beta = 0.5;
    run(3, 2, &alpha, a.data(), b.data(), &beta, c.data(), 4);
    EXPECT_EQ(c, (std::vector<double>{0, 0, 0, 7, 0, 0, 0, 7}));
    dlclose(loaded);
  }
}

}  // namespace
}  // namespace quern::generator::skeleton
