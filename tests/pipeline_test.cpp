// Generate -> compile -> emulate -> verify -> time, on small work: the whole path of `bench` and
// `compare`, and every way in which a point can fail.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/statistics.h"
#include "bench/compare.h"
#include "bench/kernel_program.h"
#include "tuner/measure.h"

namespace quern {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

struct Bench {
  boards::Board board;
  boards::Session session;
  boards::Compiler compiler;
  explicit Bench(const std::string& name)
      : board(boards::load_board(root, name)),
        session(board, ""),
        compiler(board, root, boards::build_folder(root)) {}

  generator::KernelPoint point(int m_r, int n_r, generator::DType dtype = generator::DType::f32,
                               const std::map<std::string, std::string>& choices = {}) const {
    return generator::emitter("rvv").complete({"rvv", dtype, m_r, n_r, choices}, board.target());
  }
};

std::vector<tuner::Record> measure(Bench& bench, const std::vector<generator::KernelPoint>& points,
                                   int k) {
  tuner::MeasureOptions options;
  options.k_c = k;
  std::vector<tuner::Record> records;
  tuner::measure_kernels(bench.session, bench.compiler, root, points, options,
                         [&](const tuner::Record& r) { records.push_back(r); });
  return records;
}

TEST(Pipeline, KernelsOfBothBoardsVerifyAndHaveModelledCycles) {
  for (const char* name : {"bpi-f3", "k230"}) {
    Bench bench(name);
    const auto records =
        measure(bench, {bench.point(1, 1), bench.point(13, 4), bench.point(16, 7)}, 64);
    ASSERT_EQ(records.size(), 3u);
    for (const auto& r : records) {
      EXPECT_EQ(r.outcome, tuner::Outcome::ok) << r.id << ": " << r.reason;
      EXPECT_EQ(r.timing, "modelled");
      ASSERT_FALSE(r.cycles.empty());
      // No more than one vfmacc m1 a cycle: at least one cycle for every vector and column and k.
      const int lanes = bench.board.vlen / 32;
      const double least = static_cast<double>((r.m + lanes - 1) / lanes * r.n * r.k);
      EXPECT_GE(median(r.cycles), least) << r.id;
      EXPECT_LE(median(r.cycles), 40 * least) << r.id;
      EXPECT_EQ(r.unknown_instructions, 0u);
      EXPECT_GT(*r.gflops, 0);
      EXPECT_LE(*r.peak_fraction, 1);
    }
  }
}

TEST(Pipeline, ModelledFiguresAreTheSameEveryTime) {
  Bench bench("bpi-f3");
  const auto once = measure(bench, {bench.point(16, 7)}, 64);
  // Not even the environment that we are started with moves them.
  setenv("QUERN_TEST_NOISE", std::string(777, 'x').c_str(), 1);
  const auto again = measure(bench, {bench.point(16, 7)}, 64);
  unsetenv("QUERN_TEST_NOISE");
  EXPECT_EQ(once.at(0).cycles, again.at(0).cycles);
}

TEST(Pipeline, EveryTypeHasItsOperationsAndItsPeak) {
  Bench bench("bpi-f3");
  const struct {
    generator::DType dtype;
    int lanes;          // of a vector of sums: LMUL 1
    double operations;  // of an element
  } table[] = {{generator::DType::f64, 4, 2},     {generator::DType::f16, 16, 2},
               {generator::DType::f16f32, 16, 2}, {generator::DType::i8, 16, 2},
               {generator::DType::cf32, 8, 8},    {generator::DType::cf64, 4, 8}};
  std::vector<generator::KernelPoint> points;
  for (const auto& row : table)
    points.push_back(bench.point(2 * row.lanes, 3, row.dtype, {{"emit", "asm"}}));
  const auto records = measure(bench, points, 64);
  ASSERT_EQ(records.size(), points.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& r = records[i];
    ASSERT_EQ(r.outcome, tuner::Outcome::ok) << r.id << ": " << r.reason;
    EXPECT_EQ(r.dtype, generator::info(points[i].dtype).name);
    EXPECT_EQ(r.unknown_instructions, 0u) << r.id;
    const double seconds = median(r.cycles) / bench.board.clock_hz;
    const double operations = table[i].operations * static_cast<double>(r.m * r.n * r.k);
    EXPECT_NEAR(*r.gflops, operations / seconds / 1e9, 1e-9 * *r.gflops) << r.id;
    const double peak = bench.board.peak_gflops(generator::info(points[i].dtype).sum_bits);
    EXPECT_NEAR(*r.peak_fraction, *r.gflops / peak, 1e-9) << r.id;
    EXPECT_GT(*r.peak_fraction, 0.1) << r.id;
    EXPECT_LE(*r.peak_fraction, 1) << r.id;
  }
}

TEST(Pipeline, Bfloat16IsVerifiedWithoutCycles) {
  Bench bench("generic-256");
  const auto bf16 = generator::DType::bf16;
  const auto records =
      measure(bench, {bench.point(16, 3, bf16, {{"emit", "asm"}}), bench.point(8, 3)}, 64);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].outcome, tuner::Outcome::ok) << records[0].reason;
  EXPECT_TRUE(records[0].cycles.empty());
  EXPECT_FALSE(records[0].gflops.has_value());
  EXPECT_NE(records[0].reason.find("zvfbfwma"), std::string::npos) << records[0].reason;
  EXPECT_NE(records[0].versions["emulator"], records[1].versions["emulator"]);
  EXPECT_FALSE(records[1].cycles.empty()) << "other types keep their timing";
  EXPECT_EQ(records[1].reason, "");
}

TEST(Pipeline, KernelsThatSpillAreNotMeasuredUnlessAsked) {
  // No point that is offered spills, but a compiler that does not optimise spills every value.
  boards::Board board = boards::load_board(root, "bpi-f3");
  board.compiler_flags = {"-O0"};
  Bench bench("bpi-f3");
  const boards::Compiler compiler(board, root, boards::build_folder(root));
  const auto point = bench.point(8, 4, generator::DType::f32, {});
  tuner::MeasureOptions options;
  options.k_c = 64;
  const auto outcome = [&] {
    std::vector<tuner::Record> records;
    tuner::measure_kernels(bench.session, compiler, root, {point}, options,
                           [&](const tuner::Record& r) { records.push_back(r); });
    return records.at(0);
  };
  const auto refused = outcome();
  EXPECT_EQ(refused.outcome, tuner::Outcome::poor_code);
  EXPECT_NE(refused.reason.find("stack accesses"), std::string::npos) << refused.reason;
  EXPECT_TRUE(refused.cycles.empty());
  options.allow_poor = true;
  const auto allowed = outcome();
  EXPECT_EQ(allowed.outcome, tuner::Outcome::ok) << allowed.reason;
  EXPECT_FALSE(allowed.cycles.empty());
}

TEST(Pipeline, OtherFormsAreMeasuredToo) {
  Bench bench("k230");
  const auto f32 = generator::DType::f32;
  const auto records = measure(
      bench,
      {bench.point(3, 8, f32, {{"vector", "n"}}),
       bench.point(3, 8, f32, {{"vector", "n"}, {"c-order", "row"}}),
       bench.point(8, 3, f32, {{"c-order", "row"}}), bench.point(8, 3, f32, {{"vl", "agnostic"}})},
      64);
  for (const auto& r : records) {
    EXPECT_EQ(r.outcome, tuner::Outcome::ok) << r.id << ": " << r.reason;
    EXPECT_FALSE(r.cycles.empty()) << r.id;
  }
}

TEST(Pipeline, EmptyKHasNoRate) {
  Bench bench("bpi-f3");
  const auto record = measure(bench, {bench.point(8, 3)}, 0).at(0);
  EXPECT_EQ(record.outcome, tuner::Outcome::ok) << record.reason;
  EXPECT_FALSE(record.gflops.has_value());
}

// A kernel set whose full tile is spoilt by one replacement in its text.
bench::Comparison compare_spoilt(Bench& bench, const std::string& from, const std::string& to,
                                 double seconds = 60) {
  bench::KernelSet set{false, {bench::make_family(bench.board, bench.point(8, 4))}};
  std::string& text = set.families[0].kernels.back().source;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  bench::CompareOptions options;
  options.seconds_per_shape = seconds;
  return bench::compare(bench.session, bench.compiler, root, set, {{"s", 24, 8, 16}}, options,
                        [](const bench::CompareRow&) {});
}

TEST(Pipeline, EachFaultOfAKernelIsItsOwnOutcome) {
  Bench bench("bpi-f3");
  const auto wrong = compare_spoilt(bench, "b += 4;", "b += 3;").rows.at(0);
  EXPECT_FALSE(wrong.correct());
  EXPECT_FALSE(wrong.figures.at("quern").correct);
  EXPECT_FALSE(wrong.figures.at("quern").gflops.has_value())
      << "a wrong result must have no figure";
  EXPECT_TRUE(wrong.figures.at("openblas").correct);
  EXPECT_FALSE(bench::ratio(wrong, "openblas").has_value());

  const auto illegal = compare_spoilt(bench, "const float alpha",
                                      "__asm__ volatile(\".word 0\");\n  const float alpha");
  EXPECT_EQ(illegal.rows.at(0).outcome, boards::Outcome::illegal_instruction);

  const auto crash =
      compare_spoilt(bench, "const float alpha", "*(volatile int*)0 = 1;\n  const float alpha");
  EXPECT_EQ(crash.rows.at(0).outcome, boards::Outcome::crash);

  const auto endless =
      compare_spoilt(bench, "const float alpha",
                     "for (volatile int i = 0; i >= 0;) i = 0;\n  const float alpha", 4);
  EXPECT_EQ(endless.rows.at(0).outcome, boards::Outcome::timeout);
}

TEST(Pipeline, CompareVerifiesAllAndGivesARatio) {
  Bench bench("k230");
  const auto set = bench::load_kernel_set(root, bench.board, generator::DType::f32);
  bench::CompareOptions options;
  options.peers = {"openblas", "blis"};
  const auto result =
      bench::compare(bench.session, bench.compiler, root, set,
                     {{"odd", 37, 23, 41}, {"one", 1, 1, 1}, {"empty", 5, 6, 0}, {"none", 0, 3, 3}},
                     options, [](const bench::CompareRow&) {});
  ASSERT_EQ(result.rows.size(), 4u);
  for (const auto& row : result.rows) {
    EXPECT_TRUE(row.correct()) << row.shape.name << ": " << row.reason;
    EXPECT_EQ(row.figures.size(), 3u);
  }
  EXPECT_TRUE(bench::ratio(result.rows[0], "openblas").has_value());
  EXPECT_TRUE(bench::ratio(result.rows[0], "blis").has_value());
  EXPECT_FALSE(bench::ratio(result.rows[2], "openblas").has_value()) << "k = 0 has no figure";
  EXPECT_NE(result.versions().at("openblas").find("0.3.29"), std::string::npos);
  EXPECT_NE(result.versions().at("openblas").find("riscv64_zvl128b"), std::string::npos);
}

TEST(Pipeline, TransposedOperandsVerify) {
  Bench bench("bpi-f3");
  const auto set = bench::load_kernel_set(root, bench.board, generator::DType::f32);
  for (const auto& [ta, tb] : {std::pair{true, false}, {false, true}, {true, true}}) {
    bench::CompareOptions options;
    options.trans_a = ta;
    options.trans_b = tb;
    const auto result =
        bench::compare(bench.session, bench.compiler, root, set, {{"s", 70, 33, 29}}, options,
                       [](const bench::CompareRow&) {});
    EXPECT_TRUE(result.rows.at(0).correct()) << ta << tb << result.rows.at(0).reason;
  }
}

}  // namespace
}  // namespace quern
