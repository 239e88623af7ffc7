#include "boards/board.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"

namespace quern::boards {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

// Writes boards/bpi-f3.json with one value replaced and returns the message that loading it gives.
std::string message_with(const std::string& pointer, const Json& value) {
  Json document = read_json(root / "boards/bpi-f3.json");
  document[Json::json_pointer(pointer)] = value;
  const auto path = std::filesystem::path(testing::TempDir()) / "changed-board.json";
  write_file(path, document.dump(2));
  try {
    load_board(root, path.string());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(Board, EveryShippedFileLoadsUnderItsOwnName) {
  const auto files = board_files(root);
  ASSERT_GE(files.size(), 2u);
  for (const auto& file : files)
    EXPECT_EQ(load_board(root, file.stem()).name, file.stem().string());
}

TEST(Board, PeaksAreThePublishedOnes) {
  // One vfmacc m1 a cycle at 1.6 GHz: 8 lanes x 2 x 1.6 and 4 lanes x 2 x 1.6.
  EXPECT_DOUBLE_EQ(load_board(root, "bpi-f3").peak_gflops(32), 25.6);
  EXPECT_DOUBLE_EQ(load_board(root, "bpi-f3").peak_gflops(64), 12.8);
  EXPECT_DOUBLE_EQ(load_board(root, "k230").peak_gflops(32), 12.8);
}

TEST(Board, UnknownNameListsTheKnownOnes) {
  try {
    load_board(root, "bpi-f4");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_NE(std::string(error.what()).find("bpi-f3"), std::string::npos);
  }
}

TEST(Board, MistakesNameTheirPointer) {
  const struct {
    const char* pointer;
    Json value;
    const char* expected;
  } cases[] = {
      {"/core/vlen", 300, "/core/vlen"},
      {"/core/vlen", 128, "/core/vlen: 128 is smaller than zvl256b"},
      {"/core/clock_hz", -1, "/core/clock_hz"},
      {"/core/isa", "rv64gc", "/core/isa"},
      {"/caches/0/ways", 3, "/caches/0/ways: 3 ways of 64-byte lines do not divide 32768 bytes"},
      {"/caches/1/shared_by", 9, "/caches/1/shared_by"},
      {"/caches/1/level", 1, "/caches/1/level"},
      {"/via", "carrier pigeon", "/via"},
      {"/kolor", "red", "kolor"},
  };
  for (const auto& c : cases) {
    EXPECT_NE(message_with(c.pointer, c.value).find(c.expected), std::string::npos)
        << message_with(c.pointer, c.value);
  }
}

TEST(Board, IsaStringIsSpelledOut) {
  const auto extensions = isa_extensions("rv64gcv_zvl256b_zvfh");
  for (const char* name : {"i", "d", "c", "v", "zvl256b", "zvl128b", "zvfh", "zicsr"}) {
    EXPECT_TRUE(extensions.contains(name)) << name;
  }
  EXPECT_FALSE(extensions.contains("zfh"));
}

}  // namespace
}  // namespace quern::boards
