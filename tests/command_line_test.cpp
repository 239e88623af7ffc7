// The command line as a user or a script meets it: exit codes, messages, one JSON document on
// stdout.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json_file.h"
#include "base/process.h"

namespace quern {
namespace {

ProcessResult quern_with(std::vector<std::string> arguments,
                         const std::map<std::string, std::string>& environment = {},
                         std::optional<std::chrono::milliseconds> time_limit = {}) {
  arguments.insert(arguments.begin(), QUERN_PROGRAM);
  ProcessOptions options;
  options.environment = environment;
  options.environment["QUERN_RESULTS"] = testing::TempDir() + "/quern_command_line_results";
  options.time_limit = time_limit;
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
  const std::string too_long(5000, 'a');
  const std::string trace = std::string(QUERN_SOURCE_DIR) + "/planner/traces/Matmul_Case0.json";
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
      {{"run", "--board", "bpi-f3", "--memory-limit", "nan", QUERN_PROGRAM}, "nan"},
      {{"run", "--board", "bpi-f3", "--memory-limit", "1e30", QUERN_PROGRAM}, "at most 1e+09"},
      {{"run", "--board", "bpi-f3", QUERN_PROGRAM}, "riscv64"},
      {{"compare", "--board", "bpi-f3", "--shapes", "8,8,8", "--samples", "0"}, "1 to 1000000"},
      {{"compare", "--board", "bpi-f3", "--shapes", too_long}, "File name too long"},
      {{"plan", trace, "--machine", too_long}, "File name too long"},
      {{"plan", trace, "--map", too_long}, "File name too long"},
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
      // Nothing that is asked for in vain.
      {{"bench", "--board", "snitch", "--kernel", "dot", "--k", "4", "--kc", "4"},
       "--kc: for boards"},
      {{"bench", "--board", "snitch", "--kernel", "dot", "--k", "4", "--lmul", "2"}, "kind rvv"},
      {{"bench", "--board", "k230", "--mr", "4", "--nr", "4", "--kernel", "dot"}, "--kernel: for"},
      {{"bench", "--board", "snitch", "--point", "snitch-f64-dot-k4", "--dtype", "f32"}, "--dtype"},
      {{"bench", "--board", "snitch", "--published", shapes, "--k", "4"}, "--published"},
      {{"generate", "--board", "snitch", "--kernel", "dot", "--k", "4", "--family"},
       "--family: for"},
      {{"bench", "--board", "snitch", "--kernel", "dot", "--k", "1000000000000"},
       "k is 1000000000000"},
      {{"bench", "--board", "snitch", "--kernel", "dot", "--k", "-1"}, "k is -1"},
      {{"bench", "--board", "snitch", "--kernel", "dot", "--k", "1000000"}, "TCDM"},
      {{"run", "--board", "snitch", "--functions", shapes}, "--functions"},
      {{"run", "--board", "snitch", "--memory-limit", "1", shapes}, "no limit"},
      {{"run", "--board", "snitch", "--simulator", "/bin/true", shapes}, "not an ELF file"},
      {{"run", "--board", "snitch", "--simulator", "/bin/true", "/dev/zero"}, "not a file"},
      {{"run", "--board", "snitch", QUERN_PROGRAM}, "not a 32-bit"},
  };
  for (const auto& c : cases) {
    const auto result = quern_with(c.arguments);
    SCOPED_TRACE(shell_quoted(c.arguments));
    EXPECT_EQ(result.status, static_cast<int>(ExitCode::bad_input)) << result.errors;
    EXPECT_NE(result.errors.find(c.expected), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }
}

// A pipe without a writer would be waited for, a device read for ever.
TEST(CommandLine, OnlyRegularFilesAreInput) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "quern_command_line" / "kinds";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "folder.json");
  const std::string pipe = folder / "pipe.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder / "X_Nodes.csv").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder / "X_Edges.csv").c_str(), 0600), 0);
  const std::filesystem::path root = QUERN_SOURCE_DIR;
  const std::string trace = root / "planner/traces/Matmul_Case0.json";
  for (const std::string& file :
       {pipe, std::string("/dev/zero"), (folder / "folder.json").string()}) {
    const std::vector<std::string> commands[] = {
        {"board", "show", file},
        {"board", "check", file},
        {"space", "--board", file},
        {"run", "--board", file, QUERN_PROGRAM},
        {"run", "--board", "bpi-f3", file},
        {"run", "--board", "snitch", file},
        {"calibrate", "--board", file},
        {"compare", "--board", "bpi-f3", "--shapes", file},
        {"bench", "--board", "snitch", "--published", file},
        {"plan", file},
        {"plan", trace, "--machine", file},
        {"plan", (folder / "X_Nodes.csv").string()},
        {"alloc", file, "--minimize"},
    };
    for (const auto& command : commands) {
      SCOPED_TRACE(shell_quoted(command));
      const auto result = quern_with(command, {}, std::chrono::seconds(60));
      EXPECT_EQ(result.end, ProcessEnd::exited);
      EXPECT_EQ(result.status, static_cast<int>(ExitCode::bad_input)) << result.errors;
      EXPECT_NE(result.errors.find("expected"), std::string::npos) << result.errors;
    }
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
                                "bench", "--board", "bpi-f3", "--mr", "4", "--nr", "4", "--json"},
                               options);
  EXPECT_EQ(run.status, 130) << run.errors;
  EXPECT_EQ(run.errors, "quern: interrupted\n");
  const Json error = parse_json(run.output, "stdout").at("error");
  EXPECT_EQ(error.at("kind"), "interrupted");
  EXPECT_EQ(error.at("exit"), 130);
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

// Whatever fails, a stream that takes nothing is no reason to crash, nor to write elsewhere.
TEST(CommandLine, StreamsMayBeClosedOrFull) {
  const std::string kernel = "generate --board bpi-f3 --mr 16 --nr 15";
  const struct {
    std::string arguments;
    const char* streams;
    int status;
    const char* says;  // on the stderr that is left
  } table[] = {
      {"board list", ">&-", 2, "cannot write to stdout: Bad file descriptor"},
      {"board list --json", ">&-", 2, "cannot write to stdout: Bad file descriptor"},
      {"--help", ">&-", 2, "cannot write to stdout: Bad file descriptor"},
      {"--help", ">/dev/full", 2, "cannot write to stdout: No space left"},
      {kernel, ">&-", 2, "cannot write to stdout: Bad file descriptor"},
      {kernel, ">/dev/full", 2, "cannot write to stdout: No space left"},  // more than a buffer
      {"board show nowhere --json", ">&-", 2, "unknown board"},
      {"board show nowhere", ">/dev/null 2>&-", 2, ""},
      {"board show nowhere", ">/dev/null 2>/dev/full", 2, ""},
      {kernel + " -o /dev/null", ">/dev/null 2>/dev/full", 0, ""},
      {kernel + " -o /dev/null", "<&- >&- 2>&-", 0, ""},  // nothing to say on stdout
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.arguments + " " + row.streams);
    const auto result = run_process(
        {"/bin/sh", "-c", fmt::format("'{}' {} {}", QUERN_PROGRAM, row.arguments, row.streams)});
    EXPECT_EQ(result.status, row.status) << result.errors;
    EXPECT_NE(result.errors.find(row.says), std::string::npos) << result.errors;
    EXPECT_EQ(result.output, "");
  }
}

const std::vector<std::vector<std::string>> all_commands = {
    {"doctor"},   {"board", "list"}, {"board", "show"},  {"board", "check"}, {"run"},   {"space"},
    {"generate"}, {"predict"},       {"calibrate"},      {"validate-model"}, {"bench"}, {"compare"},
    {"alloc"},    {"plan"},          {"plan", "verify"}, {"ablate"}};

std::vector<std::string> with(std::vector<std::string> command,
                              const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(CommandLine, HelpEndsWith0HasAnExampleAndTheSharedOptions) {
  for (const auto& command : all_commands) {
    SCOPED_TRACE(shell_quoted(command));
    const auto result = quern_with(with(command, {"--help"}));
    EXPECT_EQ(result.status, 0);
    const auto example = result.output.find("Example:");
    ASSERT_NE(example, std::string::npos) << result.output;
    EXPECT_NE(result.output.find("quern " + shell_quoted(command), example), std::string::npos);
    for (const char* option : {"--json", "--quiet", "--verbose", "--color"}) {
      EXPECT_NE(result.output.find(option), std::string::npos) << option;
    }
  }
}

TEST(CommandLine, VersionIsTheOneInTheRecords) {
  const auto told = quern_with({"--version"});
  EXPECT_EQ(told.status, 0) << told.errors;
  const auto record =
      quern_with({"bench", "--board", "k230", "--mr", "4", "--nr", "4", "--kc", "16", "--json"});
  const Json versions = parse_json(record.output, "stdout").at("versions");
  EXPECT_EQ(told.output, "quern " + versions.at("quern").get<std::string>() + "\n");
  const auto json = quern_with({"--version", "--json"});
  EXPECT_EQ(parse_json(json.output, "stdout").at("version"), versions.at("quern"));
}

Json error_of(const ProcessResult& result) {
  const Json document = parse_json(result.output, "stdout");
  EXPECT_EQ(document.at("schema"), "quern.error.v1");
  const Json error = document.at("error");
  EXPECT_EQ(error.at("exit"), result.status);
  const std::string message = error.at("message");
  EXPECT_NE(result.errors.find(message), std::string::npos) << result.errors;
  return error;
}

TEST(CommandLine, JsonIsOneDocumentAfterWrongUsageToo) {
  for (const auto& command : all_commands) {
    for (const auto& words : {std::vector<std::string>{"--json", "--no-such-option"},
                              {"--no-such-option", "--json"},
                              {"--color", "purple", "--json"}}) {
      SCOPED_TRACE(shell_quoted(with(command, words)));
      const auto result = quern_with(with(command, words));
      EXPECT_EQ(result.status, 2);
      EXPECT_EQ(error_of(result).at("kind"), "bad_input");
    }
  }
  for (const auto& words : {std::vector<std::string>{"--json"},
                            {"fly", "--json"},
                            {"board", "--json"},
                            {"board", "fly", "--json"}}) {
    SCOPED_TRACE(shell_quoted(words));
    EXPECT_EQ(error_of(quern_with(words)).at("kind"), "bad_input");
  }
  // What is an option's value, or the program's, is not ours.
  EXPECT_EQ(quern_with({"board", "show", "nowhere", "--results", "--json"}).output, "");
  EXPECT_EQ(quern_with({"run", "--board", "bpi-f3", "/none", "--json"}).output, "");
  EXPECT_EQ(quern_with({"run", "--board", "bpi-f3", "--", "/none", "--json"}).output, "");
}

TEST(CommandLine, JsonErrorSaysWhatAndWhere) {
  const std::string broken = file_with("broken2.json", "{\n\"name\": \"x\",\n}");
  Json board = read_json(std::filesystem::path(QUERN_SOURCE_DIR) / "boards/k230.json");
  board["core"]["clock_hz"] = "fast";
  const std::string mistyped = file_with("mistyped.json", board.dump());
  const std::string shapes = file_with("shapes2.csv", "a,1,2,3\nb,4,-5,6\n");
  const std::string looping = file_with("looping.csv", "id,lower,upper,size\n1,0,0,5\n");
  const struct {
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;
    int exit;
    const char* kind;
    Json place;
  } table[] = {
      {{"board", "show", broken},
       {},
       2,
       "bad_input",
       {{"file", broken}, {"line", 3}, {"column", 1}}},
      {{"board", "show", mistyped},
       {},
       2,
       "bad_input",
       {{"file", mistyped}, {"pointer", "/core/clock_hz"}}},
      {{"board", "show", "nowhere"}, {}, 2, "bad_input", Json::object()},
      {{"compare", "--board", "bpi-f3", "--shapes", shapes},
       {},
       2,
       "bad_input",
       {{"file", shapes}, {"line", 2}}},
      {{"alloc", looping, "--minimize"}, {}, 2, "bad_input", {{"file", looping}, {"line", 2}}},
      {{"alloc", "nowhere.csv", "--minimize"}, {}, 2, "bad_input", {{"file", "nowhere.csv"}}},
      {{"bench", "--board", "snitch", "--kernel", "relu", "--m", "1", "--n", "1", "--simulator",
        "/none/simulator"},
       {},
       4,
       "unavailable",
       nullptr},
      {{"bench", "--board", "k230", "--mr", "4", "--nr", "4"},
       {{"QUERN_CXX", "/none/clang++"}},
       5,
       "tool_missing",
       nullptr},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(shell_quoted(row.arguments));
    const auto result = quern_with(with(row.arguments, {"--json"}), row.environment);
    EXPECT_EQ(result.status, row.exit) << result.errors;
    Json error = error_of(result);
    EXPECT_EQ(error.at("kind"), row.kind);
    for (const char* key : {"exit", "kind", "message"}) error.erase(key);
    if (row.place.is_null()) continue;
    EXPECT_EQ(error, row.place);
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
