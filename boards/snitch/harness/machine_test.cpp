// How runs end: the program's own code, and every fault with a message that says what and where.
#include "boards/snitch/harness/machine.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "boards/snitch/harness/test_program.h"

namespace quern::snitch {
namespace {

RunResult run(const std::string& text, RunOptions options = {}) {
  return make_single_core()->run(assemble_program("#include \"snitch.h\"\n" + text), options);
}

TEST(Machine, EndsWithTheCodeOfMain) {
  const RunResult r = run(".globl main\nmain: li a0, 42\n ret\n");
  EXPECT_EQ(r.end, RunEnd::exited);
  EXPECT_EQ(r.code, 42);
  EXPECT_EQ(exit_code(r.end, r.code), 42);
}

TEST(Machine, PrintsOnTheConsole) {
  const RunResult r = run(R"(
    .globl main
    main: mv s0, ra
      li a0, 'n'
      call print_char
      li a0, -1
      call print_u32
      li a0, 0
      jr s0
  )");
  EXPECT_EQ(r.console, "n4294967295");
}

TEST(Machine, LoadsInitialisedDataIntoTheTcdm) {
  const RunResult r = run(R"(
    .globl main
    main: la t0, value
      lw a0, 4(t0)
      ret
    .section .tcdm,"aw"
    .align 3
    value: .word 1, 77
  )");
  EXPECT_EQ(r.code, 77);
}

struct Fault {
  const char* name;
  const char* body;  // of main
  RunEnd end;
  std::vector<std::string> says;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, EndTheRunWithAMessage) {
  RunOptions options;
  options.max_cycles = 30'000;
  options.deadlock_cycles = 2'000;
  const RunResult r = run(std::string(".globl main\nmain:\n") + GetParam().body, options);
  EXPECT_EQ(r.end, GetParam().end) << r.message;
  for (const auto& text : GetParam().says)
    EXPECT_NE(r.message.find(text), std::string::npos) << r.message << "\nexpected: " << text;
}

const Fault faults[] = {
    {"Illegal",
     ".word 0xffffffff\n",
     RunEnd::illegal,
     {"illegal instruction 0xffffffff", "pc 0x8"}},
    {"Division", "fdiv.d ft3, ft4, ft5\n", RunEnd::illegal, {"illegal instruction"}},
    {"WideningScalar", "FMULEX_S_H ft3, ft4, ft5\n", RunEnd::illegal, {"illegal instruction"}},
    {"InnerFrep", ".insn i 0x0b, 0, x0, t0, 3\n", RunEnd::illegal, {"illegal instruction"}},
    {"MisalignedLoad",
     "li t0, 0x10000002\nlw t1, 0(t0)\n",
     RunEnd::misaligned,
     {"misaligned load", "pc 0x8"}},
    {"MisalignedStore",
     "li t0, 0x10000001\nsh t1, 0(t0)\n",
     RunEnd::misaligned,
     {"misaligned store"}},
    {"MisalignedFpLoad",
     "li t0, 0x10000004\nfld ft3, 0(t0)\n",
     RunEnd::misaligned,
     {"misaligned load"}},
    {"MisalignedJump", "la t0, main+2\njr t0\n", RunEnd::misaligned, {"misaligned jump"}},
    {"StoreToNothing",
     "li t0, 0x20000000\nsw t1, 0(t0)\n1: j 1b\n",
     RunEnd::access,
     {"store to 0x20000000"}},
    {"Break", "ebreak\n", RunEnd::trapped, {"ebreak"}},
    {"Endless", "1: j 1b\n", RunEnd::time_out, {"no end within 30000 cycles", "pc 0x8"}},
    {"Asleep", "1: wfi\nj 1b\n", RunEnd::deadlock, {"every hart sleeps"}},
    {"StarvingStream",
     // Three elements, four uses.
     "li t0, 2\nSCFGWI t0, SSR_BOUND(0), 1\nli t0, 8\nSCFGWI t0, SSR_STRIDE(0), 1\n"
     "li t0, 0x10000000\nSCFGWI t0, SSR_RPTR(0), 1\nSSR_ON\n"
     "fmv.d ft3, ft1\nfmv.d ft3, ft1\nfmv.d ft3, ft1\nfmv.d ft3, ft1\nfmv.x.w t0, ft3\nmv t0, t0\n",
     RunEnd::deadlock,
     {"SSR1 read stream has ended", "3 were delivered of 3"}},
    {"NeverStartedStream",
     "SSR_ON\nfmv.d ft3, ft0\nfmv.x.w t0, ft3\nmv t0, t0\n",
     RunEnd::deadlock,
     {"SSR0 read stream has ended", "0 were delivered"}},
    {"FullStream",
     // No write job: the FIFO takes four results, the fifth waits.
     "SSR_ON\nfmv.d ft2, ft3\nfmv.d ft2, ft3\nfmv.d ft2, ft3\nfmv.d ft2, ft3\nfmv.d ft2, ft3\n"
     "fmv.x.w t0, ft3\nmv t0, t0\n",
     RunEnd::deadlock,
     {"SSR2 write stream is full", "4 elements were taken"}},
};
INSTANTIATE_TEST_SUITE_P(Machine, Faults, testing::ValuesIn(faults),
                         [](const auto& fault) { return std::string(fault.param.name); });

TEST(Machine, TakesATrapHandler) {
  const RunResult r = run(R"(
    .globl main
    main: la t0, handler
      csrw mtvec, t0
      .word 0xffffffff
    1: j 1b
    .align 2
    handler: csrr a0, mcause
      csrr t1, mepc
      lw t1, 0(t1)
      addi t1, t1, 1
      bnez t1, 2f
      addi a0, a0, 10
    2: j exit
  )");
  EXPECT_EQ(r.end, RunEnd::exited) << r.message;
  EXPECT_EQ(r.code, 12);  // cause 2, and mepc stands at the instruction
}

TEST(Machine, TracesInstructions) {
  RunOptions options;
  std::string trace;
  options.trace = [&](const std::string& line) { trace += line + "\n"; };
  run(".globl main\nmain: li a0, 0\n fadd.d ft3, ft4, ft5\n ret\n", options);
  EXPECT_NE(trace.find("core 0x80000000 f14022f3"), std::string::npos);  // csrr t0, mhartid
  EXPECT_NE(trace.find("fpss"), std::string::npos);
}

TEST(ReadElf, SaysWhatIsWrongWithAFile) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = folder / "quern-snitch-no.elf";
  struct {
    std::string bytes, says;
  } cases[] = {
      {"hello", "not an ELF file"},
      {"\x7f"
       "ELF\x02\x01\x01" +
           std::string(60, '\0'),
       "not a 32-bit"},
      {"\x7f"
       "ELF\x01\x01\x01" +
           std::string(9, '\0') + "\x02",
       "truncated"},
      {"\x7f"
       "ELF\x01\x01\x01" +
           std::string(9, '\0') + std::string("\x02\x00\x03\x00", 4) + std::string(60, '\0'),
       "expected RISC-V"},
  };
  for (const auto& c : cases) {
    std::ofstream(file, std::ios::binary) << c.bytes;
    try {
      read_elf(file);
      ADD_FAILURE() << c.says;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(e.what()).find(c.says), std::string::npos) << e.what();
    }
  }
  std::filesystem::remove(file);
  EXPECT_THROW(read_elf(folder / "quern-no-such-file"), Error);
}

}  // namespace
}  // namespace quern::snitch
