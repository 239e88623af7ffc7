// The Snitch transports, with a stand-in for the external simulator.
#include "boards/transports/snitch_rtl.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "base/process.h"

namespace quern::boards {
namespace {

class SnitchTransport : public testing::Test {
 protected:
  SnitchTransport() {
    std::string name = (std::filesystem::temp_directory_path() / "quern-snitch-t-XXXXXX").string();
    QUERN_CHECK(mkdtemp(name.data()) != nullptr);
    folder = name;
    machine.board = "snitch";
  }
  ~SnitchTransport() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::filesystem::path script(const std::string& text) {
    const auto file = folder / "simulator";
    std::ofstream(file) << "#!/bin/sh\n" << text;
    chmod(file.c_str(), 0755);
    return file;
  }
  std::filesystem::path program(const std::string& body) {
    const auto source = folder / "program.S", elf = folder / "program.elf";
    std::ofstream(source) << ".globl main\nmain:\n" << body;
    const std::filesystem::path root = QUERN_SOURCE_DIR;
    const ProcessResult r = run_process(
        {"riscv64-unknown-elf-gcc", "-march=rv32imafd_zicsr_zifencei", "-mabi=ilp32d", "-nostdlib",
         "-nostartfiles", "-static", "-T", (root / "boards/snitch/runtime/link.ld").string(),
         (root / "boards/snitch/runtime/crt0.S").string(), source.string(), "-o", elf.string()});
    EXPECT_TRUE(r.good()) << r.errors;
    return elf;
  }
  std::filesystem::path folder;
  Machine machine;
};

TEST_F(SnitchTransport, VerilatorRunsAProgramAndCountsItsCycles) {
  const auto transport = make_verilator_transport(machine);
  RunResult r = transport->run({program("li a0, 0\nret\n")});
  EXPECT_EQ(r.outcome, Outcome::ok) << r.reason;
  ASSERT_TRUE(r.cycles && r.instructions);
  EXPECT_GT(*r.cycles, 50U);
  EXPECT_GT(*r.instructions, 40U);
  r = transport->run({program("li a0, 3\nret\n")});
  EXPECT_EQ(r.outcome, Outcome::nonzero_exit);
  EXPECT_EQ(r.status, 3);
  r = transport->run({program(".word 0\n")});
  EXPECT_EQ(r.outcome, Outcome::illegal_instruction);
  EXPECT_NE(r.reason.find("illegal instruction 0x00000000"), std::string::npos) << r.reason;
}

TEST_F(SnitchTransport, VerilatorEndsAtTheTimeLimit) {
  Program endless{program("1: j 1b\n")};
  endless.time_limit = std::chrono::milliseconds(200);
  EXPECT_EQ(make_verilator_transport(machine)->run(endless).outcome, Outcome::timeout);
}

TEST_F(SnitchTransport, VerilatorRefusesWhatIsNoProgram) {
  const auto file = folder / "text";
  std::ofstream(file) << "no program";
  const auto transport = make_verilator_transport(machine);
  EXPECT_THROW(transport->run({file}), Error);
  EXPECT_THROW(transport->run({folder / "missing"}), Error);
  EXPECT_THROW(transport->run({file, {"argument"}}), Error);
}

// Whatever the simulator would make of it.
TEST_F(SnitchTransport, SimulatorGetsNothingButPrograms) {
  machine.settings["simulator"] = script("exit 0\n").string();
  const auto transport = make_simulator_transport(machine);
  const auto good = program("ret\n"), pipe = folder / "pipe", cut = folder / "cut";
  EXPECT_EQ(transport->run({good}).outcome, Outcome::ok);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::copy_file(good, cut);
  std::filesystem::resize_file(cut, 100);
  Program limited{good};
  limited.memory_limit = 1 << 20;
  for (const Program& bad : {Program{pipe}, Program{folder}, Program{cut}, Program{"/bin/sh"},
                             Program{folder / "missing"}, limited}) {
    try {
      transport->run(bad);
      ADD_FAILURE() << bad.binary;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input) << error.what();
    }
  }
}

TEST_F(SnitchTransport, SimulatorSaysHowItEnded) {
  machine.settings["simulator"] = "/bin/false";
  const RunResult r = make_simulator_transport(machine)->run({program("ret\n")});
  EXPECT_EQ(r.outcome, Outcome::nonzero_exit);
  EXPECT_EQ(r.reason, "the simulator ended with exit code 1");
  EXPECT_NE(r.untimed.find("no cycles"), std::string::npos) << r.untimed;
}

TEST_F(SnitchTransport, SimulatorTakesTheCyclesThatTheProgramReports) {
  machine.settings["simulator"] = script("echo booting\necho RESULT 120 100 7\nexit 0\n").string();
  const RunResult r = make_simulator_transport(machine)->run({program("ret\n")});
  EXPECT_EQ(r.outcome, Outcome::ok);
  EXPECT_EQ(r.cycles, 100U);
  EXPECT_FALSE(r.instructions);
}

TEST_F(SnitchTransport, SimulatorMayBeThisOne) {
  machine.settings["simulator"] = QUERN_SNITCH_SIM;
  const auto file = program("mv s0, ra\nli a0, '!'\ncall print_char\nli a0, 7\nmv ra, s0\nret\n");
  const RunResult r = make_simulator_transport(machine)->run({file});
  EXPECT_EQ(r.outcome, Outcome::nonzero_exit);
  EXPECT_EQ(r.status, 7);
  EXPECT_EQ(r.output, "!");
  EXPECT_FALSE(r.cycles);  // the program reported none
}

TEST_F(SnitchTransport, SimulatorThatDiesIsNotTheProgramsFault) {
  machine.settings["simulator"] = script("kill -9 $$\n").string();
  const RunResult r = make_simulator_transport(machine)->run({program("ret\n")});
  EXPECT_EQ(r.outcome, Outcome::unavailable);
  EXPECT_EQ(r.reason, "the simulator died of signal 9");
}

TEST_F(SnitchTransport, VerilatorHandsOnWhatTheProgramPrints) {
  // Any byte, in its order; and no report of its own on stdout.
  const RunResult r = make_verilator_transport(machine)->run({program(
      "mv s0, ra\nli a0, 0xff\ncall print_char\nli a0, 'x'\ncall print_char\nli a0, 0\nmv ra, "
      "s0\nret\n")});
  EXPECT_EQ(r.outcome, Outcome::ok);
  EXPECT_EQ(r.output, "\xffx");
}

TEST_F(SnitchTransport, VerilatorKeepsWhatWasPrintedBeforeTheTimeLimit) {
  Program chatty{program("1: li a0, 'a'\ncall print_char\nli a0, '\\n'\ncall print_char\nj 1b\n")};
  chatty.time_limit = std::chrono::milliseconds(300);
  const RunResult r = make_verilator_transport(machine)->run(chatty);
  EXPECT_EQ(r.outcome, Outcome::timeout);
  EXPECT_TRUE(r.output.starts_with("a\na\n")) << r.output.substr(0, 20);
}

TEST_F(SnitchTransport, SaysThatOutputWasDropped) {
  machine.settings["simulator"] = script("head -c 70000000 /dev/zero\n").string();
  const RunResult r = make_simulator_transport(machine)->run({program("ret\n")});
  EXPECT_EQ(r.outcome, Outcome::ok);
  EXPECT_TRUE(r.output_cut);
  EXPECT_NE(r.errors.find("the rest was dropped"), std::string::npos) << r.errors;
}

TEST_F(SnitchTransport, SimulatorMustBeNamedAndExist) {
  unsetenv("QUERN_SNITCH_SIMULATOR");
  EXPECT_THROW(make_simulator_transport(machine), Error);
  machine.settings["simulator"] = (folder / "missing").string();
  try {
    make_simulator_transport(machine);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::unavailable);
  }
}

}  // namespace
}  // namespace quern::boards
