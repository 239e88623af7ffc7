#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"

namespace quern {
namespace {

TEST(File, WritesWholeAndLeavesNoTemporary) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "quern_file_test";
  std::filesystem::remove_all(folder);
  write_file(folder / "deep" / "a.txt", "one");
  write_file(folder / "deep" / "a.txt", "two\n");
  EXPECT_EQ(read_file(folder / "deep" / "a.txt"), "two\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "deep"), {}), 1);
}

TEST(File, MissingFileNamesItsPath) {
  try {
    read_file("/nonexistent/x.json");
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/x.json"), std::string::npos);
  }
}

// Reading one of these would wait for ever, or find no end.
TEST(File, OnlyRegularFilesAreInput) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "quern_file_kinds";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  const struct {
    std::filesystem::path path;
    const char* kind;
  } table[] = {{folder, "a folder"},
               {folder / "pipe", "a pipe"},
               {folder / "link", "a pipe"},
               {"/dev/zero", "a device"}};
  for (const auto& row : table) {
    try {
      read_file(row.path);
      ADD_FAILURE() << row.path << " was read";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_EQ(error.what(),
                fmt::format("{}: is {}, expected a file", row.path.string(), row.kind));
    }
  }
  // Some files have a size of 0 and yet bytes.
  EXPECT_FALSE(read_file("/proc/self/status").empty());
}

TEST(File, FollowsLinksAndLeavesDevicesAlone) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "quern_file_links";
  std::filesystem::remove_all(folder);
  write_file(folder / "target", "old");
  std::filesystem::create_symlink("target", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "target"), "new");
  write_file("/dev/null", "bytes");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_THROW(write_file("/dev/full", "bytes"), Error);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(File, UnwritableFolderIsBadInput) {
  EXPECT_THROW(write_file("/proc/nowhere/x", "bytes"), Error);
  EXPECT_THROW(check_writable("/proc/nowhere"), Error);
}

TEST(File, AskingWhetherAFolderIsWritableLeavesNothingInIt) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "writable" / "deep";
  std::filesystem::remove_all(folder.parent_path());
  check_writable(folder);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace quern
