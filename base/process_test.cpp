#include "base/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/interrupt.h"

namespace quern {
namespace {

using std::chrono::milliseconds;

ProcessResult shell(const std::string& script, const ProcessOptions& options = {}) {
  return run_process({"sh", "-c", script}, options);
}

// Alive and not a zombie that nobody collected yet.
bool alive(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return in >> number >> name >> state && state != "Z" && state != "X";
}

// Death is not instant; a process that lives on for 10 s was not killed.
bool dies(pid_t pid) {
  for (int i = 0; i < 1000 && alive(pid); ++i) std::this_thread::sleep_for(milliseconds(10));
  return !alive(pid);
}

TEST(Process, ReportsHowItEnded) {
  const struct {
    const char* script;
    ProcessEnd end;
    int status;
  } table[] = {
      {"exit 0", ProcessEnd::exited, 0},
      {"exit 3", ProcessEnd::exited, 3},
      {"exit 255", ProcessEnd::exited, 255},
      {"kill -SEGV $$", ProcessEnd::signalled, SIGSEGV},
      {"kill -KILL $$", ProcessEnd::signalled, SIGKILL},
      {"kill -TERM $$", ProcessEnd::signalled, SIGTERM},
  };
  for (const auto& row : table) {
    const auto result = shell(row.script);
    EXPECT_EQ(result.end, row.end) << row.script;
    EXPECT_EQ(result.status, row.status) << row.script;
    EXPECT_EQ(result.good(), row.status == 0) << row.script;
  }
}

TEST(Process, KeepsStreamsApartOrMerged) {
  const auto apart = shell("echo out; echo err >&2");
  EXPECT_EQ(apart.output, "out\n");
  EXPECT_EQ(apart.errors, "err\n");
  const auto merged = shell("echo out; echo err >&2", {.merge_stderr = true});
  EXPECT_EQ(merged.output, "out\nerr\n");
  EXPECT_EQ(merged.errors, "");
}

TEST(Process, PassesArgumentsEnvironmentAndFolderUnchanged) {
  EXPECT_EQ(run_process({"printf", "<%s>", "a b", "", "$HOME'\"*"}).output, "<a b><><$HOME'\"*>");
  EXPECT_EQ(
      shell("echo \"$QUERN_X\"; pwd", {.folder = "/usr", .environment = {{"QUERN_X", "a = b"}}})
          .output,
      "a = b\n/usr\n");
  // Added variables replace ours.
  EXPECT_EQ(shell("echo $HOME", {.environment = {{"HOME", "/nowhere"}}}).output, "/nowhere\n");
}

TEST(Process, LargeOutputOnBothStreamsDoesNotBlock) {
  const auto result = shell("head -c 67108864 /dev/zero; head -c 9000000 /dev/zero >&2");
  EXPECT_TRUE(result.good());
  EXPECT_EQ(result.output.size(), 67108864u);
  EXPECT_EQ(result.errors.size(), 9000000u);
  EXPECT_FALSE(result.output_cut);
}

TEST(Process, OutputLimitDropsTheRestAndSaysSo) {
  const auto result = shell("head -c 5000000 /dev/zero; exit 7", {.output_limit = 1000});
  EXPECT_EQ(result.output.size(), 1000u);
  EXPECT_TRUE(result.output_cut);
  EXPECT_EQ(result.status, 7);  // it was not stopped by a closed pipe
  EXPECT_FALSE(shell("head -c 1000 /dev/zero", {.output_limit = 1000}).output_cut);
}

TEST(Process, LargeInputArrivesWholeAndMayBeIgnored) {
  std::string input(16u << 20, 'x');
  input[12345] = 'y';
  EXPECT_EQ(shell("cat", {.input = input}).output, input);
  EXPECT_TRUE(shell("true", {.input = input}).good());
  EXPECT_EQ(shell("cat; echo end").output, "end\n");  // no input is an empty file, not ours
}

TEST(Process, TimeLimitEndsIt) {
  for (const char* script : {
           "sleep 1000", "while :; do :; done",
           "trap '' TERM; while :; do :; done",  // deaf to SIGTERM
           "yes",                                // endless output
           "kill -STOP $$",                      // stopped
           "exec >&- 2>&-; sleep 1000",          // closed its streams
       }) {
    const auto result = shell(script, {.time_limit = milliseconds(100), .grace = milliseconds(50)});
    EXPECT_EQ(result.end, ProcessEnd::timed_out) << script;
  }
}

TEST(Process, SigtermLeavesTimeToTidyUp) {
  const auto result =
      shell("trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
            {.time_limit = milliseconds(300), .grace = milliseconds(60000)});
  EXPECT_EQ(result.end, ProcessEnd::timed_out);
  EXPECT_EQ(result.output, "ready\ntidy\n");
}

TEST(Process, GrandchildrenDieAtTheTimeLimit) {
  const auto result = shell("sh -c 'trap \"\" TERM; sleep 1000 & echo $!; wait; sleep 1000' & wait",
                            {.time_limit = milliseconds(500), .grace = milliseconds(50)});
  EXPECT_EQ(result.end, ProcessEnd::timed_out);
  const pid_t grandchild = std::stoi(result.output);
  EXPECT_TRUE(dies(grandchild));
}

TEST(Process, LeftoversDieWithTheCommand) {
  // The background process holds the streams open; the call must not wait for it.
  const auto result = shell("sleep 1000 & echo $!");
  EXPECT_TRUE(result.good());
  EXPECT_TRUE(dies(std::stoi(result.output)));
}

// A script in a session of its own whose parent is gone, with a child in a third session; writes
// both numbers into $1 and lives on.
constexpr const char* runaway =
    "setsid sh -c 'trap \"\" TERM HUP; setsid sleep 1000 & echo $$ $! >\"$1.new\"; "
    "mv \"$1.new\" \"$1\"; exec >&- 2>&-; sleep 1000' sh \"$1\" & "
    "while ! [ -e \"$1\" ]; do sleep 0.01; done; ";

std::vector<pid_t> runaways(const std::filesystem::path& file) {
  std::vector<pid_t> found(2);
  std::ifstream(file) >> found[0] >> found[1];
  EXPECT_GT(found[0], 0);
  EXPECT_GT(found[1], 0);
  return found;
}

TEST(Process, WhatWentItsOwnWayDiesAsWell) {
  const auto file = std::filesystem::path(testing::TempDir()) / "quern_process_test_runaways";
  const struct {
    const char* then;
    milliseconds time_limit;
    ProcessEnd end;
  } table[] = {{"exit 0", milliseconds(60000), ProcessEnd::exited},
               {"sleep 1000", milliseconds(2000), ProcessEnd::timed_out}};
  for (const auto& row : table) {
    std::filesystem::remove(file);
    const auto result = run_process({"sh", "-c", std::string(runaway) + row.then, "sh", file},
                                    {.time_limit = row.time_limit, .grace = milliseconds(50)});
    EXPECT_EQ(result.end, row.end);
    // At once: the call returns when they are dead.
    for (const pid_t pid : runaways(file)) EXPECT_FALSE(alive(pid)) << row.then;
  }
}

TEST(Process, WhatWentItsOwnWayDiesWithUsEvenByKill9) {
  const auto file = std::filesystem::path(testing::TempDir()) / "quern_process_test_runaways9";
  std::filesystem::remove(file);
  const pid_t quern = fork();
  if (quern == 0) {
    run_process({"sh", "-c", std::string(runaway) + "sleep 1000", "sh", file});
    _exit(0);
  }
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(milliseconds(10));
  const auto found = runaways(file);
  for (const pid_t pid : found) EXPECT_TRUE(alive(pid));
  kill(quern, SIGKILL);
  waitpid(quern, nullptr, 0);
  for (const pid_t pid : found) EXPECT_TRUE(dies(pid));
}

TEST(Process, ACommandMaySignalItsParent) {
  const auto result = shell("kill -TERM $PPID; kill -USR1 $PPID; kill -USR2 $PPID; echo lives");
  EXPECT_TRUE(result.good());
  EXPECT_EQ(result.output, "lives\n");
}

TEST(Process, ChildrenDieWithUsEvenByKill9) {
  const auto file = std::filesystem::path(testing::TempDir()) / "quern_process_test_pids";
  std::filesystem::remove(file);
  const pid_t quern = fork();
  if (quern == 0) {
    shell("sleep 1000 & echo $$ $! > '" + file.string() + ".new'; mv '" + file.string() +
          ".new' '" + file.string() + "'; wait");
    _exit(0);
  }
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(milliseconds(10));
  pid_t child = 0, grandchild = 0;
  std::ifstream(file) >> child >> grandchild;
  EXPECT_TRUE(alive(child));
  EXPECT_TRUE(alive(grandchild));
  kill(quern, SIGKILL);
  waitpid(quern, nullptr, 0);
  EXPECT_TRUE(dies(child));
  EXPECT_TRUE(dies(grandchild));
}

TEST(Process, SignalToUsInterrupts) {
  for (int signal : {SIGINT, SIGTERM}) {
    // The child signals us, so that the signal cannot come before the guard is in place.
    const auto result =
        shell("kill -" + std::to_string(signal) + " " + std::to_string(getpid()) + "; sleep 1000");
    EXPECT_EQ(result.end, ProcessEnd::interrupted);
    EXPECT_TRUE(interrupted());
    // Later steps of the same command do not start.
    EXPECT_EQ(shell("exit 0").end, ProcessEnd::interrupted);
    clear_interrupt();
    EXPECT_TRUE(shell("exit 0").good());
  }
}

// Work that does not ask is ended by the second wish, and says what it was told to.
TEST(Process, SecondSignalEndsWithTheLastWords) {
  int words[2];
  ASSERT_EQ(pipe(words), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(words[1], STDOUT_FILENO);
    const InterruptGuard guard;
    set_last_words("{}\n");
    raise(SIGINT);
    raise(SIGINT);  // too soon to be another wish
    sleep(3);
    raise(SIGINT);
    _exit(0);
  }
  close(words[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  char text[16] = {};
  EXPECT_EQ(read(words[0], text, sizeof text), 3);
  EXPECT_STREQ(text, "{}\n");
  close(words[0]);
}

TEST(Process, LimitsMemoryAndCores) {
  EXPECT_EQ(shell("ulimit -c").output, "0\n");
  const char* script = "dd if=/dev/zero of=/dev/null bs=512M count=1 2>/dev/null";
  EXPECT_TRUE(shell(script).good());
  EXPECT_FALSE(shell(script, {.memory_limit = 256u << 20}).good());
}

TEST(Process, DoesNotInheritOurFiles) {
  const int file = open("/dev/null", O_RDONLY);  // no O_CLOEXEC
  // 0, 1, 2 and the folder being listed.
  EXPECT_EQ(run_process({"ls", "/proc/self/fd"}).output, "0\n1\n2\n3\n");
  close(file);
}

TEST(Process, ManyAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&good, i] {
      for (int j = 0; j < 10; ++j) {
        const auto text = std::to_string(i * 100 + j);
        good += shell("cat; exit 0", {.input = text}).output == text;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 80);
}

TEST(Process, WhatCannotStartIsAnError) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "quern_process_test";
  std::filesystem::remove_all(folder);
  write_file(folder / "text", "hello\n");
  write_file(folder / "no_loader", "#!/nonexistent/interpreter\n");
  write_file(folder / "no_magic", "\x01\x02");
  for (const char* name : {"no_loader", "no_magic"}) {
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  }
  const struct {
    std::string program;
    std::string in;
    ExitCode code;
    const char* says;
  } table[] = {
      {"quern-no-such-tool", "", ExitCode::tool_missing, "quern-no-such-tool"},
      {folder / "absent", "", ExitCode::tool_missing, "absent"},
      {folder / "text", "", ExitCode::bad_input, "not an executable"},
      {folder / "no_loader", "", ExitCode::tool_missing, "interpreter"},
      {folder / "no_magic", "", ExitCode::bad_input, "format"},
      {"true", folder / "absent", ExitCode::bad_input, "absent"},
  };
  for (const auto& row : table) {
    try {
      run_process({row.program}, {.folder = row.in});
      ADD_FAILURE() << row.program << " started";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), row.code) << row.program;
      EXPECT_NE(std::string(error.what()).find(row.says), std::string::npos) << error.what();
    }
  }
}

TEST(Process, ShellQuotedIsTakenBackByTheShell) {
  const std::vector<std::string> words = {"printf", "<%s>", "plain-1.0/x", "a b", "", "it's", "$x"};
  EXPECT_EQ(shell_quoted({"ls", "-l", "a b"}), "ls -l 'a b'");
  EXPECT_EQ(shell(shell_quoted(words)).output, run_process(words).output);
}

}  // namespace
}  // namespace quern
