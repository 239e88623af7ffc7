// Result files and pictures.
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "planner/output/pictures.h"
#include "planner/output/result_files.h"
#include "planner/search/planner.h"
#include "planner/synthetic/trace_builder.h"
#include "planner/verify/verifier.h"

namespace quern::planner {
namespace {

const std::filesystem::path room = std::filesystem::path(QUERN_SOURCE_DIR) / "planner";

class Output : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("quern_output_{}", getpid());
    machine_ = read_machine(room / "machines/davinci-npu.json", room / "machines/schema.json");
    graph_ = build_command_graph(matmul_trace(3, 4, 8), machine_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Plan plan(Objective objective) {
    return make_plan(compile(graph_, machine_),
                     {.objective = objective, .pipeline = Pipeline::stable})
        .plan;
  }

  std::filesystem::path folder_;
  Machine machine_;
  CommandGraph graph_;
};

TEST_F(Output, WrittenFilesPassTheVerifier) {
  const Plan written = plan(Objective::traffic);
  EXPECT_FALSE(written.spills.empty());
  EXPECT_EQ(write_result_files(graph_, written, folder_).size(), 3U);
  const auto submission = verify::read_submission(folder_, graph_.name);
  const auto verdict = verify::judge(graph_, machine_, submission, false);
  EXPECT_TRUE(verdict.valid) << verdict.problems.front();
  EXPECT_EQ(verdict.spills, static_cast<std::int64_t>(written.spills.size()));
  // An order-only plan in the same place leaves no memory files behind.
  EXPECT_EQ(write_result_files(graph_, plan(Objective::peak), folder_).size(), 1U);
  EXPECT_FALSE(verify::read_submission(folder_, graph_.name).has_memory);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(Output, DamagedFilesAreNamedByLine) {
  write_result_files(graph_, plan(Objective::traffic), folder_);
  const auto complaint = [&](const char* ending, const std::string& text) {
    const auto path = folder_ / (graph_.name + ending);
    const std::string before = read_file(path);
    write_file(path, text);
    std::string message;
    try {
      verify::read_submission(folder_, graph_.name);
    } catch (const Error& error) {
      message = error.what();
    }
    write_file(path, before);
    return message;
  };
  EXPECT_NE(complaint("_schedule.txt", "0\n1\nx\n").find("_schedule.txt:3: expected one node id"),
            std::string::npos);
  EXPECT_NE(complaint("_memory.txt", "0:1\n2=3\n").find("_memory.txt:2: expected BufId:Offset"),
            std::string::npos);
  EXPECT_NE(complaint("_spill.txt", "7:\n").find("_spill.txt:1"), std::string::npos);
  std::filesystem::remove(folder_ / (graph_.name + "_spill.txt"));
  EXPECT_THROW(verify::read_submission(folder_, graph_.name), Error);
}

TEST_F(Output, TimelineHasEveryCommandOnItsPipe) {
  const Plan drawn = plan(Objective::cycles);
  const auto timeline = nlohmann::json::parse(chrome_timeline(graph_, machine_, drawn));
  int commands = 0, operations = 2 * static_cast<int>(drawn.spills.size());
  for (const auto& event : timeline["traceEvents"]) {
    if (event["ph"] == "X") ++commands;
    if (event["ph"] == "C") {
      EXPECT_GE(event["args"]["units"], 0);
    }
  }
  for (const Command& command : graph_.commands) {
    operations += command.kind == CommandKind::operation ? 1 : 0;
  }
  EXPECT_EQ(commands, operations);
}

TEST_F(Output, MapHasEveryStay) {
  const Plan drawn = plan(Objective::cycles);
  const std::string svg = memory_map_svg(graph_, machine_, drawn);
  std::size_t stays = 0;
  for (std::size_t at = svg.find("<title>"); at != std::string::npos;
       at = svg.find("<title>", at + 1)) {
    ++stays;
  }
  EXPECT_EQ(stays, graph_.buffers.size() + drawn.spills.size());
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace quern::planner
