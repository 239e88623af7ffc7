// How runs end: the program's own code, and every fault with a message that says what and where.
#include "boards/snitch/harness/machine.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
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
  options.strict = true;
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
    {"LoadFromNothing",
     "li t0, 0x20000000\nlw t1, 0(t0)\n1: j 1b\n",
     RunEnd::access,
     {"load from 0x20000000"}},
    {"AtomicOutside",
     "la t0, main\namoadd.w t1, t0, (t0)\n1: j 1b\n",
     RunEnd::access,
     {"atomic access to 0x8", "expected the TCDM"}},
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

// Each body leaves a number in a0 that can be counted by hand.
struct Figure {
  const char* name;
  const char* body;
  int expected;
};

void PrintTo(const Figure& figure, std::ostream* out) { *out << figure.name; }

class Figures : public testing::TestWithParam<Figure> {};

TEST_P(Figures, AreThoseOfTheFacts) {
  const RunResult r = run(std::string(R"(
    .macro COUNTER n, metric   # hart 0
      li t0, 0x10021000
      li t1, \metric << 16
      sw t1, 0x80 + 8 * \n(t0)
      li t1, 1
      sw t1, 8 * \n(t0)
      fence
    .endm
    .macro READ n
      FPU_FENCE
      li t0, 0x10021000
      sw x0, 8 * \n(t0)
      fence
      lw a0, 0x100 + 8 * \n(t0)
    .endm
    .globl main
    main:
  )") + GetParam().body + "\nret\n");
  EXPECT_EQ(r.end, RunEnd::exited) << r.message;
  EXPECT_EQ(r.code, GetParam().expected);
}

// Cycles between, with the address of some DRAM in t1.
#define DRAM ".align 6\nla t1, main\nfence\ncsrr t3, mcycle\n"
#define CYCLES "csrr t4, mcycle\nsub a0, t4, t3\n"

const Figure figures[] = {
    // Two reads of mcycle, one barrier of two cycles between them.
    {"Barrier", "csrr t0, mcycle\ncsrr x0, 0x7c2\ncsrr t1, mcycle\nsub a0, t1, t0\n", 3},
    {"Mcycle", ".align 6\ncsrr t0, mcycle\n.rept 10\nnop\n.endr\ncsrr t1, mcycle\nsub a0, t1, t0\n",
     11},
    // Retired: the instruction itself between the two reads.
    {"Minstret", "csrr t0, minstret\nli t2, 1\nli t2, 2\ncsrr t1, minstret\nsub a0, t1, t0\n", 3},
    // 4 x 5 from the loop, one fence; the load is not the FPU's.
    {"IssueFpu",
     "COUNTER 0, 3\nli t0, 4\nli t2, 0x10000000\nfld ft6, 0(t2)\nFREP_O t0, 4\n"
     ".rept 4\nfadd.d ft3, ft4, ft5\n.endr\nREAD 0\n",
     21},
    // The same, a load and two CSR instructions more.
    {"IssueFpSubsystem",
     "COUNTER 15, 4\nli t2, 0x10000000\nSSR_ON\nSSR_OFF\nfld ft3, 0(t2)\nREAD 15\n", 4},
    // frep, four instructions, the fence.
    {"CoreToFpSubsystem",
     "COUNTER 1, 5\nli t0, 4\nFREP_O t0, 4\n.rept 4\nfadd.d ft3, ft4, ft5\n.endr\nREAD 1\n", 6},
    {"Loads", "li t2, 0x10000000\nCOUNTER 2, 7\n.rept 9\nlw t3, 0(t2)\n.endr\nREAD 2\n", 9},
    // Nine products and the fence.
    {"Answers", "COUNTER 3, 9\n.rept 9\nmul t3, t2, t2\n.endr\nREAD 3\n", 10},
    {"TcdmAccesses", "li t2, 0x10000000\nCOUNTER 4, 1\n.rept 9\nsw t3, 0(t2)\n.endr\nREAD 4\n", 9},
    // Two read streams of 8 words of the same bank: each pair takes two cycles, one waits each
    // time.
    {"TcdmConflicts",
     "COUNTER 5, 2\nli t0, 7\nSCFGWI t0, SSR_BOUND(0), 31\nli t0, 256\nSCFGWI t0, SSR_STRIDE(0), "
     "31\n"
     "li t0, 0x10000000\nSCFGWI t0, SSR_RPTR(0), 1\nSCFGWI t0, SSR_RPTR(0), 2\nSSR_ON\n"
     "li t0, 7\nFREP_O t0, 1\nfadd.d ft3, ft1, ft2\nSSR_OFF\nREAD 5\nsltiu a0, a0, 5\nxori a0, a0, "
     "1\n",
     1},
    // A counter that is written is zero, and other harts do not exist.
    {"CounterClears", "COUNTER 6, 0\nREAD 6\nsw x0, 0x130(t0)\nfence\nlw a0, 0x130(t0)\n", 0},
    {"OtherHart", "li t0, 0x10021000\nli t1, 3\nsw t1, 0x80(t0)\nli t1, 1\nsw t1, 0(t0)\nREAD 0\n",
     0},
    {"Scratch", "li t0, 0x10021000\nli t1, 99\nsw t1, 0x190(t0)\nfence\nlw a0, 0x190(t0)\n", 99},
    // Its own interrupt wakes a sleeping hart.
    {"Wakes",
     "li t0, 0x10021000\nli t1, 1\ncsrw mie, t1\nsw t1, 0x1a0(t0)\nwfi\nsw t1, 0x1a8(t0)\nli a0, "
     "5\n",
     5},
    // A store behind a load to the register whose number stands in bits 11:7 waits: t2 is x7, as
    // the
    // offset 7 of the byte store. 1 + 3 + 1 + 1 instead of 3.
    {"FalseDependence",
     "li t1, 0x10000000\nlw t2, 0(t1)\nmv t2, t2\ncsrr t3, mcycle\nlw t2, 0(t1)\nsb t0, 7(t1)\n"
     "csrr t4, mcycle\nsub a0, t4, t3\n",
     6},
    {"NoFalseDependence",
     "li t1, 0x10000000\nlw t2, 0(t1)\nmv t2, t2\ncsrr t3, mcycle\nlw t2, 0(t1)\nsb t0, 8(t1)\n"
     "csrr t4, mcycle\nsub a0, t4, t3\n",
     3},
    // vfcvt.h.x fa1 clears a1, in the core: one cycle, and the next instruction has the zero.
    {"LostMove",
     "li a1, 7\ncsrr t3, mcycle\nVFCVT_H_X fa1, ft3\naddi a1, a1, 30\ncsrr t4, mcycle\n"
     "sub a0, t4, t3\nadd a0, a0, a1\n",
     33},
    // DRAM: eight cycles outside the core complex for a load, and the csrr itself.
    {"LoadFromDram", DRAM "lw t2, 0(t1)\nmv t2, t2\n" CYCLES, 13},
    // Behind a store (one cycle) it asks when the store is answered, nine cycles after its request.
    {"LoadAfterStore", DRAM "sw t1, 0(t1)\nlw t2, 0(t1)\nmv t2, t2\n" CYCLES, 13 + 1 + 8},
    // Two under way at most: the third asks nine cycles after the first.
    {"ThirdLoad", DRAM "lw t2, 0(t1)\nlw t5, 0(t1)\nlw t6, 0(t1)\nmv t6, t6\n" CYCLES, 13 + 9},
    // A request three cycles behind a load keeps its answer back for a cycle.
    {"LoadThreeBehind", DRAM "lw t2, 0(t1)\nnop\nnop\nlw t5, 0(t1)\nmv t2, t2\n" CYCLES, 14},
    {"LoadFourBehind", DRAM "lw t2, 0(t1)\nnop\nnop\nnop\nlw t5, 0(t1)\nmv t2, t2\n" CYCLES, 13},
};
INSTANTIATE_TEST_SUITE_P(Machine, Figures, testing::ValuesIn(figures),
                         [](const auto& figure) { return std::string(figure.param.name); });

TEST(Machine, WarnsOfLoadsFromNothing) {
  const RunResult r = run(".globl main\nmain: li t0, 0x20000000\nlw a0, 0(t0)\nret\n");
  EXPECT_EQ(r.end, RunEnd::exited);
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.warning.find("load from 0x20000000"), std::string::npos) << r.warning;
}

// As in the original's test bench, where memory is everywhere.
TEST(Machine, KeepsWhatIsStoredInNothing) {
  const RunResult r = run(R"(
    .globl main
    main: li t0, 0x20000000
      li t1, 0x1234
      sw t1, 4(t0)
      sb t1, 7(t0)
      lw a0, 4(t0)
      lw a1, 0(t0)
      add a0, a0, a1
      li a1, 0x34001234
      sub a0, a0, a1
      ret)");
  EXPECT_EQ(r.end, RunEnd::exited) << r.message;
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.warning.find("store to 0x20000004"), std::string::npos) << r.warning;
}

TEST(Machine, LimitsWhatIsStoredInNothing) {
  const RunResult r = run(R"(
    .globl main
    main: li t0, 0x20000000
      li t1, 4096
    1: sw t1, 0(t0)
      add t0, t0, t1
      j 1b)");
  EXPECT_EQ(r.end, RunEnd::access);
  EXPECT_NE(r.message.find("more than 16 MiB outside of memory"), std::string::npos) << r.message;
  EXPECT_NE(r.message.find("0x21000000"), std::string::npos) << r.message;
}

TEST(Machine, RefusesProgramsThatCannotStart) {
  const ElfImage good = assemble_program(".globl main\nmain: ret\n");
  const auto refuses = [](const ElfImage& image, const std::string& says) {
    try {
      make_single_core()->run(image, {});
      ADD_FAILURE() << says;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  };
  ElfImage image = good;
  image.symbols.erase("tohost");
  refuses(image, "no symbol tohost");
  image = good;
  image.symbols["tohost"] = 0x1000'0000;
  refuses(image, "no symbol tohost in DRAM");
  image = good;
  image.entry = 0x1000'0000;
  refuses(image, "starts at 0x10000000");
  image = good;
  image.entry += 2;
  refuses(image, "expected a word address");
  image = good;
  image.segments.front().address = 0x2000'0000;
  refuses(image, "segment at 0x20000000");
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

struct Segment {
  std::uint32_t address, file_bytes, memory_bytes;
};

// An executable of nothing but its headers and 64 bytes.
std::filesystem::path write_elf(const std::vector<Segment>& segments) {
  Elf32_Ehdr header{};
  std::memcpy(header.e_ident,
              "\x7f"
              "ELF\x01\x01\x01",
              7);
  header.e_type = ET_EXEC;
  header.e_machine = EM_RISCV;
  header.e_entry = 0x8000'0000;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf32_Phdr);
  header.e_phnum = static_cast<Elf32_Half>(segments.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (const Segment& s : segments) {
    Elf32_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_paddr = segment.p_vaddr = s.address;
    segment.p_filesz = s.file_bytes;
    segment.p_memsz = s.memory_bytes;
    bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  }
  const auto file = std::filesystem::temp_directory_path() /
                    ("quern-snitch-segments-" + std::to_string(getpid()) + ".elf");
  std::ofstream(file, std::ios::binary) << bytes << std::string(64, '\0');
  return file;
}

TEST(ReadElf, TakesSegmentsOfBothMemories) {
  const auto file = write_elf({{0x8000'0000, 64, 128}, {0x1000'0000, 0, 128 << 10}});
  const ElfImage image = read_elf(file);
  ASSERT_EQ(image.segments.size(), 2U);
  EXPECT_EQ(image.segments[0].bytes.size(), 128U);
  std::filesystem::remove(file);
}

TEST(ReadElf, RefusesSegmentsThatDoNotFit) {
  struct {
    std::vector<Segment> segments;
    const char* says;
  } const cases[] = {
      {{}, "at least one segment"},
      {{{0x8000'0000, 64, 32}}, "truncated"},
      {{{0x8000'0000, 6400, 6400}}, "truncated"},
      {{{0x4000'0000, 64, 64}}, "inside DRAM"},
      {{{0x8000'0000, 64, 0xffff'ff00}}, "takes 4294967040 bytes"},
      {{{0x8fff'fff0, 0, 32}}, "inside DRAM"},
      {{{0x1001'fff0, 0, 32}}, "inside DRAM"},
      {{{0xffff'fff0, 0, 32}}, "inside DRAM"},
      {{{0x8000'0000, 64, 64}, {0x8000'0020, 64, 64}}, "overlaps"},
      {{{0x8000'0020, 64, 64}, {0x8000'0000, 0, 0x21}}, "overlaps"},
  };
  for (const auto& c : cases) {
    const auto file = write_elf(c.segments);
    try {
      read_elf(file);
      ADD_FAILURE() << c.says;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::bad_input);
      EXPECT_NE(std::string(e.what()).find(c.says), std::string::npos) << e.what();
    }
    std::filesystem::remove(file);
  }
  EXPECT_THROW(read_elf(std::filesystem::temp_directory_path()), Error);
}

}  // namespace
}  // namespace quern::snitch
