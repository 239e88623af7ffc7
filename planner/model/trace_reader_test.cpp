// Both readers against hand-written traces, and everything that can be wrong with one.
#include "planner/model/trace_reader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/file.h"

namespace quern::planner {
namespace {

const std::filesystem::path machines = std::filesystem::path(QUERN_SOURCE_DIR) / "planner/machines";

Machine npu() { return read_machine(machines / "davinci-npu.json", machines / "schema.json"); }

class TraceReader : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("quern_trace_{}_{}", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    return folder_ / name;
  }
  // The message of the bad_input that reading and building throws; "" if none.
  std::string complaint(const std::filesystem::path& path, const TraceLimits& limits = {}) {
    try {
      build_command_graph(read_trace(path, limits), npu());
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

// ALLOC 0 -> COPY_IN 1 -> EXP 2 -> FREE 3
const std::string good = R"({"Nodes": [
  {"Id": 0, "Op": "ALLOC", "BufId": 7, "Size": 128, "Type": "L1"},
  {"Id": 1, "Op": "COPY_IN", "Pipe": "MTE2", "Cycles": 325, "Bufs": [7]},
  {"Id": 2, "Op": "EXP", "Pipe": "VECTOR", "Cycles": 40, "Bufs": [7]},
  {"Id": 3, "Op": "FREE", "BufId": 7, "Size": 128, "Type": "L1"}],
  "Edges": [[0, 1], [1, 2], [2, 3]]})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(TraceReader, ReadsJson) {
  const CommandGraph graph = build_command_graph(read_trace(file("t.json", good)), npu());
  EXPECT_EQ(graph.name, "t");
  ASSERT_EQ(graph.size(), 4);
  ASSERT_EQ(graph.buffers.size(), 1U);
  EXPECT_EQ(graph.buffers[0].id, 7);
  EXPECT_TRUE(graph.buffers[0].backed);
  EXPECT_EQ(graph.op_name(1), "COPY_IN");
  EXPECT_EQ(graph.commands[2].cycles, 40);
  EXPECT_EQ(graph.predecessors[2][0], 1);
}

TEST_F(TraceReader, ReadsCsvTwinsLikeJson) {
  const auto nodes = file("t_Nodes.csv",
                          "Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs\r\n"
                          "0,ALLOC,7,128,L1,,,\r\n"
                          "1,COPY_IN,,,,MTE2,325,7\r\n"
                          "2,EXP,,,,VECTOR,40.0,\"7\"\r\n"
                          "3,FREE,7,128,L1,,,\r\n");
  const auto edges = file("t_Edges.csv", "StartNodeId,EndNodeId\n0,1\n1,2\n2,3\n");
  for (const auto& path : {nodes, edges}) {
    const CommandGraph graph = build_command_graph(read_trace(path), npu());
    EXPECT_EQ(graph.name, "t");
    EXPECT_EQ(graph.size(), 4);
    EXPECT_EQ(graph.commands[2].cycles, 40);
    EXPECT_TRUE(graph.buffers[0].backed);
    EXPECT_EQ(graph.commands_of[0].size(), 2U);
  }
}

TEST_F(TraceReader, SkipsUnknownKeys) {
  EXPECT_EQ(complaint(file("t.json", replaced(good, "\"Nodes\"",
                                              "\"meta\": {\"a\": [1, {\"Id\": 5}]}, \"Nodes\""))),
            "");
  EXPECT_EQ(complaint(file("u.json",
                           replaced(good, "\"Cycles\": 40", "\"Note\": [[1.5]], \"Cycles\": 40"))),
            "");
}

struct BadCase {
  const char* from;
  const char* to;
  const char* message;  // must be part of the complaint
};

TEST_F(TraceReader, NamesTheNodeOfBadInput) {
  const BadCase cases[] = {
      {"[1, 2]", "[1, 2], [2, 1]", "cycle"},
      {"[2, 3]]", "[2, 3], [9, 1]]", "edge 3 is 9 -> 1"},
      {"[1, 2]", "[1, 2, 3]", "/Edges/1 needs two node ids"},
      {"\"Id\": 2, ", "", "/Nodes/2 has no Id"},
      {"\"Id\": 2", "\"Id\": 1", "node 1: Id is given twice"},
      {"\"Id\": 2", "\"Id\": 12", "node 12: Id must be within 0..3"},
      {"\"VECTOR\"", "\"SCALAR\"", "node 2: unknown pipe \"SCALAR\""},
      {"\"Size\": 128, \"Type\": \"L1\"", "\"Size\": 128, \"Type\": \"L7\"",
       "node 0: unknown tier \"L7\""},
      {"\"Size\": 128", "\"Size\": 4097",
       "node 0: buffer 7 of size 4097 is larger than tier L1 (4096)"},
      {"\"Op\": \"FREE\"", "\"Op\": \"ALLOC\"", "buffer 7 is allocated twice"},
      {"\"Op\": \"ALLOC\"", "\"Op\": \"FREE\"", "buffer 7 is freed twice"},
      {"\"Id\": 3, \"Op\": \"FREE\", \"BufId\": 7", "\"Id\": 3, \"Op\": \"FREE\", \"BufId\": 8",
       "allocated but never freed"},
      {"\"Bufs\": [7]},\n  {\"Id\": 3", "\"Bufs\": [6]},\n  {\"Id\": 3", "names buffer 6"},
      {"\"Cycles\": 40", "\"Cycles\": -4", "node 2: EXP needs Cycles"},
      {"\"Cycles\": 40", "\"Cycles\": 4.5", "/Nodes/2/Cycles must be an integer"},
      {"\"Cycles\": 40", "\"Cycles\": \"x\"", "/Nodes/2/Cycles must be an integer"},
      {"\"Cycles\": 40", "\"Cycles\": NaN", "not JSON: parse error at line 4"},
      {"\"Cycles\": 40", "\"Cycles\": 1e999", "number overflow"},
      {"\"Cycles\": 40", "\"Cycles\": 9223372036854775807",
       "all commands together may take at most 9007199254740992"},
      {"\"Cycles\": 40", "\"Cycles\": 99999999999999999999", "/Nodes/2/Cycles must be an integer"},
      {"\"Cycles\": 40", "\"Cycles\": 40, \"Cycles\": 50", "/Nodes/2/Cycles is given twice"},
      {"\"Size\": 128", "\"Size\": -1", "node 0: ALLOC needs a Size of 0 or more"},
      {"\"Bufs\": [7]}", "\"Bufs\": [-7]}", "names buffer -7"},
      {"\"EXP\"", "null", "/Nodes/2/Op must not be null"},
      {"\"Size\": 128", "\"Size\": 64", "says L1 128, elsewhere it is L1 64"},
      {"[2, 3]", "[1, 3]", "node 2: uses buffer 7 but nothing orders it before FREE node 3"},
      {"[2, 3]]}", "[2, 3]}", "not JSON"},
      {"\"Edges\"", "\"Edge\"", "no \"Edges\" array"},
  };
  for (const BadCase& bad : cases) {
    const std::string message = complaint(file("bad.json", replaced(good, bad.from, bad.to)));
    EXPECT_NE(message.find(bad.message), std::string::npos)
        << "expected \"" << bad.message << "\" in \"" << message << "\"";
    EXPECT_NE(message.find("bad.json"), std::string::npos);
  }
}

TEST_F(TraceReader, NamesTheLineOfBadCsv) {
  const std::string heading = "Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs\n";
  file("t_Edges.csv", "StartNodeId,EndNodeId\n");
  const std::pair<std::string, std::string> cases[] = {
      {heading + "0,ALLOC,7,x,L1,,,\n", "t_Nodes.csv:2: Size must be an integer, not \"x\""},
      {heading + "0,ALLOC,7,1,L1,,\n", "t_Nodes.csv:2: 7 fields, expected 8"},
      {heading + "0,EXP,,,,VECTOR,1,\"1,\n", "t_Nodes.csv:2: a quote is not closed"},
      {heading + "0,EXP,,,,VECTOR,1,\"1,,2\"\n", "empty entry"},
      {"Id,Op\n", "no column \"BufId\""},
      {"", "expected a heading"},
      {heading + "0,ALLOC,7,1,L9,,,\n", "t_Nodes.csv:2: node 0: unknown tier"},
  };
  for (const auto& [text, message] : cases) {
    const std::string found = complaint(file("t_Nodes.csv", text));
    EXPECT_NE(found.find(message), std::string::npos) << found;
  }
}

TEST_F(TraceReader, RefusesLongTracesByTheirLimit) {
  std::string text = "{\"Nodes\": [";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format(
        "{}{{\"Id\": {}, \"Op\": \"ALLOC\", \"BufId\": {}, \"Size\": 1, \"Type\": \"L1\"}}",
        i == 0 ? "" : ",", i, i);
  }
  // No end: the reader must give up before it would notice.
  const std::string message = complaint(file("long.json", text), {100});
  EXPECT_NE(message.find("more than 100 nodes"), std::string::npos) << message;
}

// A parser keeps the token that it reads: one without an end must not fill the memory.
TEST_F(TraceReader, RefusesEndlessTokens) {
  const std::string endless(200'000, '1');
  const std::string in_string = complaint(file("s.json", "{\n\"Nodes\": [{\"Op\": \"" + endless));
  EXPECT_NE(in_string.find("s.json:2: a string is longer than 65536 bytes"), std::string::npos)
      << in_string;
  const std::string in_number = complaint(file("n.json", "{\"Nodes\": [{\"Id\": " + endless));
  EXPECT_NE(in_number.find("n.json:1: a word or number is longer"), std::string::npos) << in_number;
  const std::string junk = complaint(file("j.json", "{\"Nodes\": \"" + std::string(5000, 'x')));
  EXPECT_LT(junk.size(), 400U);
}

TEST_F(TraceReader, RefusesEmptyFiles) {
  for (const char* text : {"", "{}", "[]", "{\"Nodes\": [], \"Edges\": []}", "7"}) {
    EXPECT_NE(complaint(file("e.json", text)), "") << text;
  }
  EXPECT_NE(complaint(folder_ / "missing.json"), "");
  EXPECT_NE(complaint(folder_), "");
}

TEST_F(TraceReader, RefusesAnOperationThatCannotFit) {
  const std::string big = replaced(replaced(good, "\"Size\": 128", "\"Size\": 4000"),
                                   "\"Size\": 128", "\"Size\": 4000");
  EXPECT_EQ(complaint(file("t.json", big)), "");
  const std::string two = R"({"Nodes": [
    {"Id": 0, "Op": "ALLOC", "BufId": 0, "Size": 600, "Type": "UB"},
    {"Id": 1, "Op": "ALLOC", "BufId": 1, "Size": 600, "Type": "UB"},
    {"Id": 2, "Op": "EXP", "Pipe": "VECTOR", "Cycles": 1, "Bufs": [0, 1]},
    {"Id": 3, "Op": "FREE", "BufId": 0, "Size": 600, "Type": "UB"},
    {"Id": 4, "Op": "FREE", "BufId": 1, "Size": 600, "Type": "UB"}],
    "Edges": [[0, 2], [1, 2], [2, 3], [2, 4]]})";
  const std::string message = complaint(file("u.json", two));
  EXPECT_NE(message.find("node 2: its buffers need 1200 units of tier UB, which holds 1024"),
            std::string::npos)
      << message;
}

TEST(Machines, ShippedDescriptionsAreValid) {
  for (const char* name : {"davinci-npu.json", "snitch-cluster.json", "accel.json"}) {
    const Machine machine = read_machine(machines / name, machines / "schema.json");
    EXPECT_FALSE(machine.tiers.empty()) << name;
  }
  // Rules, section 3: 150 + 2 * size, no write-back for what a COPY_IN made.
  EXPECT_EQ(npu().in_cycles(128), 406);
  EXPECT_EQ(npu().out_cycles(128, true), 0);
  EXPECT_EQ(npu().out_cycles(128, false), 406);
  EXPECT_EQ(npu().pair_traffic(128, true), 128);
  EXPECT_EQ(npu().pair_traffic(128, false), 256);
}

}  // namespace
}  // namespace quern::planner
