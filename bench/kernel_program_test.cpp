#include "bench/kernel_program.h"

#include <gtest/gtest.h>

namespace quern::bench {
namespace {

using generator::DType;
using generator::KernelForm;

TEST(KernelProgram, CountsMultiplyAccumulatesOfAStep) {
  const auto board = boards::load_board(QUERN_SOURCE_DIR, "generic-256");
  const auto& emitter = generator::emitter("rvv");
  const struct {
    DType dtype;
    int m_r, n_r;
    std::map<std::string, std::string> choices;
    int fmas;
  } table[] = {
      {DType::f32, 16, 3, {{"lmul", "1"}}, 6},  // 2 vectors of 8
      {DType::f32, 17, 3, {{"lmul", "1"}}, 9},  // a third one for the tail
      {DType::f32, 16, 3, {{"lmul", "2"}}, 3},  // one group of 16
      {DType::f32, 3, 16, {{"lmul", "1"}, {"vector", "n"}}, 6},
      {DType::f64, 16, 3, {{"lmul", "1"}}, 12},   // 4 vectors of 4
      {DType::i8, 16, 3, {{"lmul", "1"}}, 3},     // 16 16-bit values
      {DType::cf32, 16, 3, {{"lmul", "1"}}, 24},  // 4 real products of each
      {DType::cf64, 4, 3, {{"lmul", "1"}}, 12},
  };
  for (const auto& row : table) {
    const auto point =
        emitter.complete({"rvv", row.dtype, row.m_r, row.n_r, row.choices}, board.target());
    EXPECT_EQ(fmas_per_k(point), row.fmas) << emitter.id(point);
  }
}

TEST(KernelProgram, TableTellsEachForm) {
  const std::vector<BenchKernel> kernels = {
      {{"one", "quern_one", "", ".c"},
       16,
       3,
       {KernelForm::Along::m, KernelForm::COrder::column_major, 8, false}},
      {{"two", "quern_two", "", ".c"},
       3,
       13,
       {KernelForm::Along::n, KernelForm::COrder::row_major, 8, true}}};
  const auto text = kernel_table_source(kernels, 256);
  EXPECT_NE(text.find("    {\"one\", 16, 3, Along::m, COrder::column_major, 8, 256, false, "
                      "&quern_one},\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    {\"two\", 3, 13, Along::n, COrder::row_major, 8, 256, true, "
                      "&quern_two},\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("const int kernel_count = 2;"), std::string::npos);
}

}  // namespace
}  // namespace quern::bench
