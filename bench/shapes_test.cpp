#include "bench/shapes.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"

namespace quern::bench {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

std::string message(const std::string& what) {
  try {
    find_shapes(root, what);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

std::string file_with(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "quern_shapes" / name;
  write_file(path, text);
  return path.string();
}

TEST(Shapes, BertLargeIsThePublishedSet) {
  const auto shapes = find_shapes(root, "bert-large");
  const std::int64_t expected[5][3] = {
      {1024, 384, 1024}, {384, 384, 64}, {64, 384, 384}, {4096, 384, 1024}, {1024, 384, 4096}};
  ASSERT_EQ(shapes.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(shapes[i].name, "B" + std::to_string(i + 1));
    EXPECT_EQ(shapes[i].m, expected[i][0]);
    EXPECT_EQ(shapes[i].n, expected[i][1]);
    EXPECT_EQ(shapes[i].k, expected[i][2]);
  }
}

TEST(Shapes, EverySetOfTheProjectIsReadable) {
  for (const auto& name : shape_sets(root)) EXPECT_FALSE(find_shapes(root, name).empty()) << name;
}

TEST(Shapes, OneShapeAndEmptySizes) {
  EXPECT_EQ(find_shapes(root, "3,0,7").at(0).n, 0);
  EXPECT_EQ(find_shapes(root, " 3, 4 ,7 ").at(0).k, 7);
}

TEST(Shapes, FilesOfEveryForm) {
  EXPECT_EQ(find_shapes(root, file_with("a.json", R"({"rows":[{"name":"x","m":1,"n":2,"k":3}]})"))
                .at(0)
                .name,
            "x");
  EXPECT_EQ(find_shapes(root, file_with("b.json", R"([{"m":1,"n":2,"k":3},{"m":4,"n":5,"k":6}])"))
                .at(1)
                .name,
            "2");
  const auto table = find_shapes(root, file_with("c.csv", "name,m,n,k\r\n# none\nfc,10,20,30\n"));
  EXPECT_EQ(table.at(0).n, 20);
  EXPECT_EQ(find_shapes(root, file_with("d.dat", "1 10 20 30 12000\n")).at(0).k, 30);
}

TEST(Shapes, MistakesNameTheirPlace) {
  EXPECT_NE(message("-1,2,3").find("m = -1"), std::string::npos) << message("-1,2,3");
  EXPECT_NE(message("1,x,3").find("\"x\""), std::string::npos);
  EXPECT_NE(message("1,2,99999999999999999999").find("too large"), std::string::npos);
  EXPECT_NE(message("2147483648,1,1").find("2^31"), std::string::npos);
  EXPECT_NE(message("1000000,1000000,1").find("GiB"), std::string::npos);
  EXPECT_NE(message("bert-huge").find("bert-large"), std::string::npos);
  EXPECT_NE(message(file_with("e.json", R"({"rows":[{"m":1,"n":2,"k":3},{"m":1,"n":-2,"k":3}]})"))
                .find("/rows/1: n = -2"),
            std::string::npos);
  EXPECT_NE(message(file_with("f.json", R"({"rows":[{"m":1,"n":"2","k":3}]})")).find("/rows/0/n"),
            std::string::npos);
  EXPECT_NE(message(file_with("g.json", R"({"rows":[{"m":1,"n":1e30,"k":3}]})")).find("/rows/0/n"),
            std::string::npos);
  EXPECT_NE(
      message(file_with("h.json", R"({"rows":[{"m":1,"k":3}]})")).find("/rows/0: n is missing"),
      std::string::npos);
  EXPECT_NE(message(file_with("i.csv", "a,1,2,3\nb,4,5\n")).find("i.csv:2"), std::string::npos);
  EXPECT_NE(message(file_with("n.csv", "z 3 4 5 6 7\n")).find("n.csv:1"), std::string::npos);
  EXPECT_EQ(find_shapes(root, file_with("o.csv", "\xef\xbb\xbfz,3,4,5\n")).at(0).name, "z");
  EXPECT_NE(message(file_with("j.csv", "a,1,2,-3\n")).find("j.csv:1: k = -3"), std::string::npos);
  EXPECT_NE(message(file_with("k.csv", "a,1,2,3.5\n")).find("k.csv:1"), std::string::npos);
  EXPECT_NE(message(file_with("l.json", "{\"rows\":[\n{\"m\":1,]}")).find("l.json:2"),
            std::string::npos);
  EXPECT_NE(message(file_with("m.json", "{\"rows\":[]}")).find("no shape"), std::string::npos);
}

}  // namespace
}  // namespace quern::bench
