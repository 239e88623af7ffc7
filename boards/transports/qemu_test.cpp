// Every outcome of a run, with guest programs that are compiled here.
#include "boards/transports/qemu.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"

namespace quern::boards {
namespace {

using std::chrono::milliseconds;

const std::filesystem::path guest_source =
    std::filesystem::path(QUERN_SOURCE_DIR) / "boards/transports/test_guest.c";

class Qemu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::filesystem::path(testing::TempDir()) /
             ("quern qemu, test " + std::to_string(getpid()));
    const Toolchain toolchain = find_toolchain(build_folder(QUERN_SOURCE_DIR));
    require_sysroot(toolchain);
    std::filesystem::create_directories(folder);
    std::vector<std::string> command = {toolchain.c_compiler};
    for (const auto& flag : target_flags(toolchain, "rv64gcv")) command.push_back(flag);
    for (const char* word : {"-O1", guest_source.c_str(), "-o", "guest"})
      command.emplace_back(word);
    const auto result = run_process(command, {.folder = folder});
    ASSERT_TRUE(result.good()) << result.errors;
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder); }

  static Machine machine(int vlen = 256) {
    return {.board = "test", .extensions = {"i", "m", "a", "f", "d", "c", "v"}, .vlen = vlen};
  }
  static Program guest(std::vector<std::string> arguments) {
    return {.binary = folder / "guest", .arguments = std::move(arguments)};
  }
  static RunResult run(const Program& program, const Machine& on = machine()) {
    return QemuTransport(on, find_toolchain(build_folder(QUERN_SOURCE_DIR))).run(program);
  }

  static inline std::filesystem::path folder;
};

TEST_F(Qemu, TellsHowItEnded) {
  const struct {
    std::vector<std::string> arguments;
    Outcome outcome;
    int status;
  } table[] = {
      {{}, Outcome::ok, 0},
      {{"exit", "3"}, Outcome::nonzero_exit, 3},
      {{"exit", "139"}, Outcome::nonzero_exit, 139},  // a shell's code for a signal is not a signal
      {{"abort"}, Outcome::crash, SIGABRT},
      {{"segfault"}, Outcome::crash, SIGSEGV},
      {{"unimplemented"}, Outcome::illegal_instruction, SIGILL},
  };
  for (const auto& row : table) {
    const auto result = run(guest(row.arguments));
    EXPECT_EQ(to_string(result.outcome), to_string(row.outcome)) << result.command;
    EXPECT_EQ(result.status, row.status) << result.command;
    EXPECT_EQ(result.reason.empty(), result.outcome == Outcome::ok);
  }
}

TEST_F(Qemu, PassesArgumentsEnvironmentAndInput) {
  auto hello = guest({"hello", "a b,c"});
  hello.environment = {{"QUERN_X", "x,y z"}};
  EXPECT_EQ(run(hello).output, "hello a b,c x,y z\n");
  auto cat = guest({"cat"});
  cat.input = std::string(100000, 'q') + "\n";
  EXPECT_EQ(run(cat).output, cat.input);
}

TEST_F(Qemu, HasTheVlenAskedFor) {
  for (int vlen : {128, 256, 512, 1024}) {
    EXPECT_EQ(run(guest({"vlenb"}), machine(vlen)).output, std::to_string(vlen / 8) + "\n");
  }
  EXPECT_EQ(run(guest({"vlenb"}), machine(0)).outcome, Outcome::illegal_instruction);
  for (int vlen : {-1, 1, 64, 100, 192, 2048}) {
    EXPECT_THROW(run(guest({}), machine(vlen)), Error) << vlen;
  }
}

TEST_F(Qemu, FillsTailsWithOnes) { EXPECT_EQ(run(guest({"tail"})).output, "5 ffffffff\n"); }

TEST_F(Qemu, HasTheBoardsExtensionsAndNoMore) {
  EXPECT_EQ(run(guest({"sh1add"})).outcome, Outcome::illegal_instruction);
  Machine with = machine();
  with.extensions.insert("zba");
  EXPECT_EQ(run(guest({"sh1add"}), with).outcome, Outcome::ok);
}

TEST_F(Qemu, HalfPrecisionRunsUnderTheTimedEmulator) {
  Machine with = machine();
  with.extensions.insert("zvfh");
  const auto result = run(guest({"half"}), with);
  EXPECT_EQ(result.outcome, Outcome::ok) << result.errors;
}

TEST_F(Qemu, BFloat16RunsUnderTheNewerEmulatorUntimed) {
  const Toolchain tools = find_toolchain(build_folder(QUERN_SOURCE_DIR));
  ASSERT_TRUE(std::filesystem::exists(tools.newer_emulator)) << "./quern fetches it";
  Machine with = machine();
  with.extensions.insert("zvfbfwma");
  auto program = guest({"bfloat16"});
  QemuTransport transport(with, tools);
  transport.use_timing_model({"/nonexistent/plugin.so", "board.json"});
  EXPECT_EQ(transport.run(program).outcome, Outcome::unavailable) << "nobody said that it needs it";
  program.needs = {"zvfbfwma"};
  const auto result = transport.run(program);
  EXPECT_EQ(result.outcome, Outcome::ok) << result.errors;
  EXPECT_NE(result.untimed.find("zvfbfwma"), std::string::npos) << result.untimed;
  EXPECT_FALSE(result.cycles.has_value());
  EXPECT_NE(transport.version(program.needs), transport.version({}));
  // A machine that lacks it is the same under either emulator.
  QemuTransport without(machine(), tools);
  EXPECT_EQ(without.run(program).outcome, Outcome::illegal_instruction);
  EXPECT_EQ(without.run(guest({"sh1add"})).outcome, Outcome::illegal_instruction);
  Toolchain older = tools;
  older.newer_emulator = folder / "absent";
  try {
    QemuTransport(with, older).run(program);
    ADD_FAILURE() << "ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::tool_missing);
    EXPECT_NE(std::string(error.what()).find("QUERN_NEWER_QEMU"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("zvfbfwma"), std::string::npos);
  }
}

TEST_F(Qemu, VlMayBeHalfOfWhatWasAskedFor) {
  const Toolchain tools = find_toolchain(build_folder(QUERN_SOURCE_DIR));
  ASSERT_TRUE(std::filesystem::exists(tools.newer_emulator)) << "./quern fetches it";
  EXPECT_EQ(run(guest({"vl", "6"}), machine(128)).output, "4\n");
  Machine half = machine(128);
  half.settings["half_avl"] = true;
  EXPECT_EQ(run(guest({"vl", "6"}), half).output, "3\n");
  EXPECT_EQ(run(guest({"vl", "4"}), half).output, "4\n");
  EXPECT_EQ(run(guest({"vl", "8"}), half).output, "4\n");
}

TEST_F(Qemu, TimeLimitEndsTheGuestAndItsChildren) {
  auto loop = guest({"loop"});
  loop.time_limit = milliseconds(200);
  EXPECT_EQ(run(loop).outcome, Outcome::timeout);
  auto forked = guest({"fork-loop"});
  forked.time_limit = milliseconds(1500);
  const auto result = run(forked);
  EXPECT_EQ(result.outcome, Outcome::timeout);
  pid_t child = 0;  // the line of the parent; the child itself prints 0
  for (std::size_t at = 0; at < result.output.size(); at = result.output.find('\n', at) + 1) {
    child = std::max(child, static_cast<pid_t>(std::stol(result.output.substr(at))));
  }
  ASSERT_GT(child, 0) << result.output;
  // Zombies wait for init; only a process that still runs is a fault.
  for (int i = 0; i < 1000; ++i) {
    std::error_code ignored;
    if (!std::filesystem::exists("/proc/" + std::to_string(child), ignored) ||
        read_file("/proc/" + std::to_string(child) + "/stat").find(") Z ") != std::string::npos) {
      return;
    }
    usleep(10000);
  }
  ADD_FAILURE() << "the guest's child " << child << " lives on";
}

TEST_F(Qemu, MemoryLimitIsTheGuests) {
  const auto allocate = [](const char* job, std::uint64_t bytes, std::uint64_t limit) {
    auto program = guest({job, std::to_string(bytes)});
    if (limit > 0) program.memory_limit = limit;
    return run(program);
  };
  constexpr std::uint64_t mb = 1 << 20;
  EXPECT_EQ(allocate("allocate", 100 * mb, 0).outcome, Outcome::ok);
  EXPECT_EQ(allocate("allocate", 100 * mb, 256 * mb).outcome, Outcome::ok);
  const auto over = allocate("allocate", 2000 * mb, 256 * mb);
  EXPECT_EQ(over.outcome, Outcome::out_of_memory) << over.reason << over.errors;
  EXPECT_EQ(allocate("allocate", 1ull << 45, 256 * mb).outcome, Outcome::out_of_memory);
  // A program that takes the refusal well is well.
  EXPECT_EQ(allocate("try", 2000 * mb, 256 * mb).outcome, Outcome::ok);
  // A fault of another kind under a limit keeps its name.
  auto crash = guest({"segfault"});
  crash.memory_limit = 256 * mb;
  EXPECT_EQ(run(crash).outcome, Outcome::crash);
}

TEST_F(Qemu, InterruptEndsTheRun) {
  EXPECT_EQ(run(guest({"signal", std::to_string(getpid())})).outcome, Outcome::interrupted);
  clear_interrupt();
}

TEST_F(Qemu, EmulatorFaultIsNotTheProgramsFault) {
  QemuTransport transport(machine(), find_toolchain(build_folder(QUERN_SOURCE_DIR)));
  transport.set_plugins({{"/nonexistent/plugin.so", {}}});
  const auto result = transport.run(guest({}));
  EXPECT_EQ(result.outcome, Outcome::unavailable);
  EXPECT_NE(result.reason.find("plugin"), std::string::npos) << result.reason;
  // A correct program that QEMU 7.2 stumbles over, and later versions run.
  const auto conversion = run(guest({"vfcvt.rtz"}));
  EXPECT_TRUE(conversion.outcome == Outcome::unavailable || conversion.outcome == Outcome::ok)
      << conversion.reason;
  // The program's own assertion is its own fault.
  auto assertion = guest({"say", "guest: x.c:1: main: Assertion `false' failed."});
  EXPECT_EQ(run(assertion).outcome, Outcome::crash);
}

TEST_F(Qemu, FilesGoThereAndBack) {
  QemuTransport transport(machine(), find_toolchain(build_folder(QUERN_SOURCE_DIR)));
  const auto there = transport.scratch("out.txt");
  EXPECT_NE(there, transport.scratch("out.txt"));
  EXPECT_FALSE(transport.fetch(there, folder / "back.txt"));
  EXPECT_EQ(transport.run(guest({"write", there, "some text"})).outcome, Outcome::ok);
  EXPECT_TRUE(transport.fetch(there, folder / "back.txt"));
  EXPECT_EQ(read_file(folder / "back.txt"), "some text");
  EXPECT_EQ(read_file(transport.upload(guest_source)), read_file(guest_source));
  EXPECT_THROW(transport.upload(folder / "absent"), Error);
}

TEST_F(Qemu, WhatCannotRunHereIsAnErrorThatNamesIt) {
  write_file(folder / "text", "no program, just text\n");
  const Toolchain tools = find_toolchain(build_folder(QUERN_SOURCE_DIR));
  Toolchain no_sysroot = tools, no_qemu = tools;
  no_sysroot.sysroot = folder / "absent";
  no_qemu.emulator = "quern-no-such-qemu";
  const struct {
    Toolchain toolchain;
    std::filesystem::path binary;
    ExitCode code;
    const char* says;
  } table[] = {
      {tools, folder / "absent", ExitCode::bad_input, "no such file"},
      {tools, folder / "text", ExitCode::bad_input, "not a program"},
      {tools, "/proc/self/exe", ExitCode::bad_input, "expected a riscv64"},
      {no_sysroot, folder / "guest", ExitCode::tool_missing, "QUERN_SYSROOT"},
      {no_qemu, folder / "guest", ExitCode::tool_missing, "qemu-user"},
  };
  for (const auto& row : table) {
    try {
      QemuTransport(machine(), row.toolchain).run({.binary = row.binary});
      ADD_FAILURE() << row.binary << " ran";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), row.code) << error.what();
      EXPECT_NE(std::string(error.what()).find(row.says), std::string::npos) << error.what();
    }
  }
}

TEST(Transports, RegistryKnowsItsNames) {
  EXPECT_EQ(transport_kind("qemu").timing, Timing::modelled);
  try {
    transport_kind("pigeon");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_NE(std::string(error.what()).find("qemu"), std::string::npos);
  }
}

}  // namespace
}  // namespace quern::boards
