// The command line as a user or a script meets it: exit codes, messages, one JSON document on
// stdout.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json_file.h"
#include "base/process.h"

namespace quern {
namespace {

ProcessResult quern_with(std::vector<std::string> arguments,
                         const std::map<std::string, std::string>& environment = {}) {
  arguments.insert(arguments.begin(), QUERN_PROGRAM);
  ProcessOptions options;
  options.environment = environment;
  options.environment["QUERN_RESULTS"] = testing::TempDir() + "/quern_command_line_results";
  return run_process(arguments, options);
}

std::string file_with(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "quern_command_line" / name;
  write_file(path, text);
  return path.string();
}

TEST(CommandLine, BadInputEndsWith2AndSaysWhy) {
  const std::string board = file_with("broken.json", "{\n\"name\": \"x\",\n}");
  Json board_json = read_json(std::filesystem::path(QUERN_SOURCE_DIR) / "boards/k230.json");
  board_json.erase("timing");
  const std::string untimed = file_with("untimed.json", board_json.dump());
  const std::string endless = file_with("endless.json", R"({"name": 1e400})");
  const std::string shapes = file_with("shapes.csv", "a,1,2,3\nb,4,-5,6\n");
  const struct {
    std::vector<std::string> arguments;
    const char* expected;  // in the message
  } cases[] = {
      {{}, "subcommand"},
      {{"fly"}, "fly"},
      {{"generate", "--board", "bpi-f3", "--nr", "4"}, "--mr"},
      {{"generate", "--board", "bpi-f9", "--mr", "4", "--nr", "4"}, "bpi-f3"},
      {{"generate", "--board", "bpi-f3", "--mr", "0", "--nr", "4"}, "--mr"},
      {{"generate", "--board", "bpi-f3", "--mr", "-4", "--nr", "4"}, "--mr"},
      {{"generate", "--board", "bpi-f3", "--mr", "4x", "--nr", "4"}, "4x"},
      {{"generate", "--board", "bpi-f3", "--mr", "99999999999", "--nr", "4"}, "99999999999"},
      {{"generate", "--board", "bpi-f3", "--mr", "32", "--nr", "32"}, "registers"},
      {{"generate", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--dtype", "f31"}, "f31"},
      {{"generate", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--lmul", "3"}, "lmul"},
      {{"generate", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "-o", "/proc/none/k.c"},
       "/proc/none"},
      {{"space", "--board", "bpi-f3", "--mr", "9:3"}, "9:3"},
      {{"board", "show", board}, "broken.json:3"},
      {{"bench", "--board", board, "--mr", "4", "--nr", "4"}, "broken.json:3"},
      {{"bench", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--kc", "-1"}, "--kc"},
      {{"bench", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--via", "pigeon"}, "pigeon"},
      {{"generate", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--dtype", "bf16"}, "zvfbfwma"},
      {{"generate", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--prefetch", "256"}, "zicbop"},
      {{"space", "--board", "bpi-f3", "--vl", "fixed,agnostik"}, "agnostic"},
      {{"generate", "--board", "k230", "--point", "rvv-f32-8x4-m1-vf-v256"}, "VLEN 256"},
      {{"generate", "--board", "k230", "--point", "rvv-f32-8x4-m1-vf-v128", "--mr", "8"}, "--mr"},
      {{"compare", "--board", "bpi-f3", "--shapes", "bert-huge"}, "bert-large"},
      {{"compare", "--board", "bpi-f3", "--shapes", "8,8,8", "--dtype", "f64"}, "quern bench"},
      {{"compare", "--board", "bpi-f3", "--shapes", "1,2,-3"}, "k = -3"},
      {{"compare", "--board", "bpi-f3", "--shapes", "1,2,99999999999999999999"}, "too large"},
      {{"compare", "--board", "bpi-f3", "--shapes", shapes}, "shapes.csv:2"},
      {{"compare", "--board", "bpi-f3", "--shapes", "1,2,3", "--against", "mkl"}, "mkl"},
      {{"run", "--board", "bpi-f3", "/nonexistent/program"}, "/nonexistent/program"},
      {{"run", "--board", "bpi-f3", "--time-limit", "1e16", QUERN_PROGRAM}, "1e16"},
      {{"run", "--board", "bpi-f3", "--time-limit", "nan", QUERN_PROGRAM}, "nan"},
      {{"run", "--board", "bpi-f3", QUERN_PROGRAM}, "riscv64"},
      {{"bench", "--board", untimed, "--mr", "4", "--nr", "4"}, "/timing"},
      {{"board", "show", endless}, "endless.json"},
      {{"run", "--board", "bpi-f3", shapes}, "shapes.csv"},
      {{"run", "--board", "bpi-f3", "--via", "verilator", shapes}, "these do: qemu"},
      {{"bench", "--board", "snitch", "--kernel", "dot", "--k", "4", "--via", "qemu"},
       "these do: verilator, simulator"},
      {{"ablate", "--board", "snitch", "--kernel", "dot", "--k", "4", "--via", "verilator",
        "--simulator", "/bin/true"},
       "--simulator"},
      {{"bench", "--board", "snitch", "--kernel", "dot", "--k", "4", "--results", "/proc/none"},
       "/proc/none/snitch.jsonl"},
  };
  for (const auto& c : cases) {
    const auto result = quern_with(c.arguments);
    SCOPED_TRACE(shell_quoted(c.arguments));
    EXPECT_EQ(result.status, static_cast<int>(ExitCode::bad_input)) << result.errors;
    EXPECT_NE(result.errors.find(c.expected), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }
}

TEST(CommandLine, MissingToolEndsWith5AndNamesWhatToInstall) {
  const struct {
    const char* variable;
    const char* value;
    const char* expected;
  } cases[] = {{"QUERN_CXX", "/none/clang++", "clang-19"},
               {"QUERN_QEMU", "no-such-qemu", "qemu-user"},
               {"QUERN_SYSROOT", "/none", "QUERN_SYSROOT"}};
  for (const auto& c : cases) {
    const auto result =
        quern_with({"bench", "--board", "k230", "--mr", "4", "--nr", "4"}, {{c.variable, c.value}});
    EXPECT_EQ(result.status, static_cast<int>(ExitCode::tool_missing)) << result.errors;
    EXPECT_NE(result.errors.find(c.expected), std::string::npos) << result.errors;
  }
}

// What a tool that was killed by the same Ctrl-C leaves undone is no fault of the tool.
TEST(CommandLine, InterruptedToolEndsWith130) {
  const std::string compiler = file_with("sleeping-compiler", "#!/bin/sh\nsleep 60\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  ProcessOptions options;
  options.environment["QUERN_CXX"] = compiler;
  options.environment["QUERN_RESULTS"] = testing::TempDir() + "/quern_command_line_results";
  const auto run = run_process({"timeout", "--preserve-status", "-s", "INT", "1", QUERN_PROGRAM,
                                "bench", "--board", "bpi-f3", "--mr", "4", "--nr", "4"},
                               options);
  EXPECT_EQ(run.status, 130) << run.errors;
  EXPECT_EQ(run.errors, "quern: interrupted\n");
}

TEST(CommandLine, TimeLimitHoldsForSimulators) {
  const std::string simulator = file_with("sleeping-simulator", "#!/bin/sh\nsleep 60\n");
  std::filesystem::permissions(simulator, std::filesystem::perms::owner_all);
  const auto run = quern_with({"bench", "--board", "snitch", "--kernel", "relu", "--m", "1", "--n",
                               "1", "--simulator", simulator, "--time-limit", "0.5"});
  EXPECT_EQ(run.status, 124) << run.errors;
}

TEST(CommandLine, FullDiskUnderStdoutIsAnError) {
  for (const char* arguments : {"board list --json", "generate --board k230 --mr 4 --nr 4"}) {
    const auto result = run_process(
        {"/bin/sh", "-c", fmt::format("'{}' {} > /dev/full", QUERN_PROGRAM, arguments)});
    EXPECT_EQ(result.status, static_cast<int>(ExitCode::bad_input)) << arguments;
    EXPECT_NE(result.errors.find("stdout"), std::string::npos) << result.errors;
  }
}

TEST(CommandLine, HelpEndsWith0AndHasAnExample) {
  for (const char* command :
       {"doctor", "run", "space", "generate", "predict", "bench", "compare"}) {
    const auto result = quern_with({command, "--help"});
    EXPECT_EQ(result.status, 0) << command;
    EXPECT_NE(result.output.find(std::string("quern ") + command), std::string::npos) << command;
  }
}

TEST(CommandLine, JsonIsOneDocumentWithASchema) {
  const std::vector<std::vector<std::string>> commands = {
      {"board", "list", "--json"},
      {"board", "show", "k230", "--json"},
      {"board", "check", "k230", "--json"},
      {"board", "check", "bpi-f3", "--json"},
      {"board", "check", "snitch", "--json"},
      {"space", "--board", "bpi-f3", "--dtype", "f32", "--json"},
      {"generate", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--json"},
      {"predict", "--board", "bpi-f3", "--mr", "16", "--nr", "7", "--json"},
      {"bench", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--kc", "16", "--json"},
      {"compare", "--board", "bpi-f3", "--shapes", "20,10,30", "--json"},
  };
  for (const auto& command : commands) {
    SCOPED_TRACE(shell_quoted(command));
    const auto result = quern_with(command);
    EXPECT_EQ(result.status, 0) << result.errors;
    const Json document =
        parse_json(result.output, "stdout");  // throws on anything before or behind it
    EXPECT_TRUE(document.at("schema").get<std::string>().starts_with("quern."));
  }
}

TEST(CommandLine, CompareHasTheFieldsOfTheContract) {
  const auto result =
      quern_with({"compare", "--board", "bpi-f3", "--shapes", "40,30,50", "--json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json document = parse_json(result.output, "stdout");
  const Json& row = document.at("rows").at(0);
  for (const char* key : {"name", "m", "n", "k", "timing", "quern_gflops", "openblas_gflops",
                          "ratio", "ratio_ci", "correct", "max_error"}) {
    EXPECT_TRUE(row.contains(key)) << key;
  }
  EXPECT_EQ(row["timing"], "modelled");
  EXPECT_EQ(row["correct"], true);
  EXPECT_NEAR(row["ratio"].get<double>(),
              row["quern_gflops"].get<double>() / row["openblas_gflops"].get<double>(), 1e-12);
  EXPECT_NEAR(document.at("geomean_ratio").get<double>(), row["ratio"].get<double>(), 1e-12);
}

TEST(CommandLine, BoardCheckNamesTheStepThatFails) {
  Json board = read_json(std::filesystem::path(QUERN_SOURCE_DIR) / "boards/k230.json");
  board["name"] = "liar";
  board["toolchain"]["flags"] = {"--no-such-flag"};
  const auto result = quern_with({"board", "check", file_with("liar.json", board.dump())});
  EXPECT_EQ(result.status, static_cast<int>(ExitCode::unavailable)) << result.output;
  EXPECT_NE(result.output.find("FAIL compile"), std::string::npos) << result.output;
}

// Of one kernel, of each step of an ablation, of each published row; good or not.
TEST(CommandLine, EverySnitchBenchLeavesARecord) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "quern_command_line_snitch";
  std::filesystem::remove_all(folder);
  const std::string published = file_with("published.json",
                                          R"({"source": "a test", "timing": "rtl", "rows": [
          {"kernel": "dot", "dtype": "f64", "m": 1, "n": 1, "k": 4, "cycles": 1000, "implementation": "x"},
          {"kernel": "dot", "dtype": "f64", "m": 1, "n": 1, "k": 5, "cycles": 1, "implementation": "x"}]})");
  const struct {
    std::vector<std::string> arguments;
    int status;
    std::size_t records;           // that are new
    const char *outcome, *timing;  // of the last one
  } cases[] = {
      {{"bench", "--point", "snitch-f64-dot-k4"}, 0, 1, "ok", "rtl"},
      {{"ablate", "--point", "snitch-f64-dot-k4"}, 0, 6, "ok", "rtl"},
      {{"bench", "--published", published}, 1, 2, "ok", "rtl"},
      {{"bench", "--point", "snitch-f64-dot-k4", "--simulator", "/bin/false"},
       4,
       1,
       "board_lost",
       "rtl"},
      {{"ablate", "--point", "snitch-f64-dot-k4", "--simulator", "/bin/false"},
       4,
       1,
       "board_lost",
       "rtl"},
      {{"bench", "--published", published, "--simulator", "/bin/false"}, 4, 1, "board_lost", "rtl"},
  };
  std::size_t records = 0;
  for (const auto& c : cases) {
    std::vector<std::string> arguments = c.arguments;
    arguments.insert(arguments.end(),
                     {"--board", "snitch", "--json", "--results", folder.string()});
    SCOPED_TRACE(shell_quoted(arguments));
    const auto result = quern_with(arguments);
    EXPECT_EQ(result.status, c.status) << result.errors;
    EXPECT_TRUE(parse_json(result.output, "stdout").contains("schema"));
    records += c.records;
    std::string journal = read_file(folder / "snitch.jsonl");
    ASSERT_EQ(std::count(journal.begin(), journal.end(), '\n'), records);
    journal.pop_back();
    const Json last = Json::parse(journal.substr(journal.rfind('\n') + 1));
    EXPECT_EQ(last["outcome"], c.outcome);
    EXPECT_EQ(last["timing"], c.timing);
    EXPECT_EQ(last["board"], "snitch");
  }
}

TEST(CommandLine, EveryBenchLeavesARecord) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "quern_command_line_journal";
  std::filesystem::remove_all(folder);
  for (int i = 1; i <= 2; ++i) {
    const auto result = quern_with({"bench", "--board", "k230", "--mr", "4", "--nr", "4", "--kc",
                                    "16", "-q", "--results", folder.string()});
    ASSERT_EQ(result.status, 0) << result.errors;
    const std::string journal = read_file(folder / "k230.jsonl");
    EXPECT_EQ(std::count(journal.begin(), journal.end(), '\n'), i);
    const Json record = Json::parse(journal.substr(0, journal.find('\n')));
    EXPECT_EQ(record["id"], "rvv-f32-4x4-m1-vf-v128");
    EXPECT_EQ(record["timing"], "modelled");
    for (const char* key : {"quern", "compiler", "flags", "emulator", "board_file", "source"}) {
      EXPECT_TRUE(record["versions"].contains(key)) << key;
    }
  }
}

}  // namespace
}  // namespace quern
