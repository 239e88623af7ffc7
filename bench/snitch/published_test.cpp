// Files of published cycles: read, refused with place and reason, judged.
#include "bench/snitch/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

namespace quern::bench::snitch {
namespace {

using testing::HasSubstr;

const std::filesystem::path kRoot = QUERN_SOURCE_DIR;

std::vector<PublishedRow> read_rows(const std::string& rows) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("quern_published_" + std::to_string(::getpid()) + ".json");
  write_file(file, R"({"source": "a test", "timing": "rtl", "rows": [)" + rows + "]}");
  return read_published(file, kRoot);
}

TEST(Published, ReadsRows) {
  const auto rows = read_rows(
      R"({"kernel": "dot", "dtype": "f32", "m": 1, "n": 1, "k": 64, "cycles": 99, "implementation": "x"})");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(id(rows[0].point), "snitch-f32-dot-k64");
  EXPECT_EQ(rows[0].cycles, 99u);
  EXPECT_GT(read_published(kRoot / "results/published/snitch_kernels.json", kRoot).size(), 1000u);
}

TEST(Published, RefusesBadRowsWithTheirPlace) {
  struct Case {
    const char* row;
    const char* message;
  };
  for (
      const Case& c :
      {Case{
           R"({"kernel": "gemv", "dtype": "f32", "m": 1, "n": 1, "k": 1, "cycles": 9, "implementation": ""})",
           "/rows/0: no Snitch kernel \"gemv\""},
       {R"({"kernel": "dot", "dtype": "f8", "m": 1, "n": 1, "k": 1, "cycles": 9, "implementation": ""})",
        "/rows/0: no Snitch element type"},
       {R"({"kernel": "dot", "dtype": "f32", "m": 2, "n": 1, "k": 1, "cycles": 9, "implementation": ""})",
        "/rows/0: dot has only the size k"},
       {R"({"kernel": "dot", "dtype": "f32", "m": 1, "n": 1, "k": 1, "cycles": 0, "implementation": ""})",
        "/rows/0/cycles"},
       {R"({"kernel": "dot"})", "/rows/0"},
       {"", "/rows"}}) {
    try {
      (void)read_rows(c.row);
      ADD_FAILURE() << c.row;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), HasSubstr(c.message));
    }
  }
}

TEST(Published, SlowerOrWrongIsNotReached) {
  PublishedRow row;
  row.cycles = 100;
  Result result;
  result.correct = true;
  EXPECT_FALSE(reaches(row, result));  // not simulated
  result.cycles = 100;
  EXPECT_TRUE(reaches(row, result));
  result.cycles = 101;
  EXPECT_FALSE(reaches(row, result));
  result.cycles = 50;
  result.correct = false;
  EXPECT_FALSE(reaches(row, result));
}

}  // namespace
}  // namespace quern::bench::snitch
