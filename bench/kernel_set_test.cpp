// What a tuned.json may name.
#include "bench/kernel_set.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"

namespace quern::bench {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

TEST(KernelSet, RefusesKernelsThatGemmCannotUse) {
  const auto board = boards::load_board(root, "generic-256");
  const auto own = std::filesystem::path(testing::TempDir()) / "quern_kernel_set_test";
  std::filesystem::remove_all(own);
  const std::string schema = read_file(root / "kernels/tuned.schema.json");
  write_file(own / "kernels/tuned.schema.json", schema);
  const struct {
    const char* id;
    const char* says;
  } table[] = {
      {"rvv-f32-4x8-m1-vf-vn-v256", "vectors run along n"},
      {"rvv-f32-8x4-m1-vf-cr-v256", "C is row-major"},
      {"rvv-f32-8x4-m1-vf-vla-v256", "any VLEN"},
      {"rvv-f32-8x4-m1-vf-v128", "VLEN 128"},
  };
  for (const auto& row : table) {
    write_file(
        own / "kernels/generic-256/tuned.json",
        std::string(R"({"schema": "quern.tuned.v1", "board": "generic-256", "families": [)") +
            R"({"dtype": "f32", "id": ")" + row.id + "\"}]}");
    try {
      load_kernel_set(own, board, generator::DType::f32);
      ADD_FAILURE() << row.id << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      const std::string what = error.what();
      EXPECT_NE(what.find("tuned.json: /families/0/id: "), std::string::npos) << what;
      EXPECT_NE(what.find(row.says), std::string::npos) << what;
    }
  }
}

TEST(KernelSet, UntunedBoardsGetAFormThatGemmCanUse) {
  const auto board = boards::load_board(root, "generic-256");
  for (const auto& info : generator::dtypes) {
    const auto set = load_kernel_set(root, board, info.dtype);
    EXPECT_FALSE(set.shipped);
    EXPECT_TRUE(generator::emitter(board.kind).form_of(set.families.at(0).point).blas())
        << info.name;
  }
}

}  // namespace
}  // namespace quern::bench
