// The timing model as a program meets it: through QEMU and the plugin.
//
//   C++ text --compiler--> riscv64 program --Session--> qemu-riscv64 + plugin --> lines, report
//
// Loops whose cycles on the bpi-f3 can be counted by hand; conflicts, traps and shared caches; and
// that a program has one figure, wherever it lies and whatever its environment.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "boards/session.h"
#include "boards/toolchain/compiler.h"

namespace quern::boards {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

std::filesystem::path program(const std::string& text, const std::vector<std::string>& flags = {}) {
  const Board board = load_board(root, "bpi-f3");
  const Compiler compiler(board, root, build_folder(root));
  const auto object = compiler.compile(Unit{"guest.cpp", text});
  if (!object.good) throw make_error(ExitCode::check_failed, "{}", object.log);
  const auto linked = compiler.link("guest", {object.file}, flags);
  if (!linked.good) throw make_error(ExitCode::check_failed, "{}", linked.log);
  return linked.file;
}

TimedRun run(const std::filesystem::path& binary, std::vector<std::string> arguments = {},
             Session::Detail detail = {}, std::map<std::string, std::string> environment = {}) {
  Session session(load_board(root, "bpi-f3"), "qemu");
  Program guest;
  guest.binary = binary;
  guest.arguments = std::move(arguments);
  guest.environment = std::move(environment);
  TimedRun result = session.run(guest, detail);
  EXPECT_EQ(result.result.outcome, Outcome::ok) << result.result.errors;
  return result;
}

struct Loop {
  const char* name;
  const char* setup;  // %1: 64 KB, a pointer chase through all lines at its start
  const char* body;
  double cycles;  // an iteration, counted by hand
  double tolerance;
};

// Issue 2 a cycle, nothing beside a taken branch; add 1, ld 2, flw 4, vfmacc 5 busy LMUL; one
// load/store unit.
constexpr Loop loops[] = {
    {"add beside the counter", "", "addi t1, t1, 1", 2, 0},
    {"four adds in a chain", "", "add t1, t1, t2; add t1, t1, t2; add t1, t1, t2; add t1, t1, t2",
     5, 0},
    // The second division waits for the first; the next iteration's first goes to the other unit
    // behind the branch in 21.
    {"division", "li t1, 7; li t2, 3", "div t3, t1, t2; div t3, t3, t2", 22, 0},
    // A vfmacc in each of eight cycles, the counter beside the last, the branch behind it.
    {"eight vfmacc m1", "vsetvli x0, x0, e32, m1, ta, ma",
     "vfmacc.vf v8, fa0, v1; vfmacc.vf v9, fa0, v1; vfmacc.vf v10, fa0, v1; vfmacc.vf v11, fa0, v1;"
     "vfmacc.vf v12, fa0, v1; vfmacc.vf v13, fa0, v1; vfmacc.vf v14, fa0, v1; vfmacc.vf v15, fa0, "
     "v1",
     9, 0},
    {"one accumulator", "vsetvli x0, x0, e32, m1, ta, ma",
     "vfmacc.vf v8, fa0, v1; vfmacc.vf v8, fa0, v1", 10, 0},
    {"eight vfmacc m4, two by two", "vsetvli t1, x0, e32, m4, ta, ma",
     "vfmacc.vf v8, fa0, v4; vfmacc.vf v12, fa0, v4; vfmacc.vf v16, fa0, v4; vfmacc.vf v20, fa0, "
     "v4",
     16, 0},
    // flw 0, vfmacc and counter 4, branch 5.
    {"flw and its vfmacc", "vsetvli x0, x0, e32, m1, ta, ma",
     "flw ft0, 0(%1); vfmacc.vf v8, ft0, v1", 6, 0},
    // The vfmacc under a mask is busy twice as long.
    {"masked", "vsetvli t1, x0, e32, m4, ta, ma",
     "vfmacc.vf v8, fa0, v4, v0.t; vfmacc.vf v12, fa0, v4, v0.t", 16, 0},
    {"four vle m2", "vsetvli t1, x0, e32, m2, ta, ma",
     "vle32.v v8, (%1); vle32.v v10, (%1); vle32.v v12, (%1); vle32.v v14, (%1)", 4 * 4.35, 0.04},
    // A result after 5, the counter beside the second, the branch in 6.
    {"two vsetvli in a chain", "",
     "vsetvli t1, x0, e32, m1, ta, ma; vsetvli t2, t1, e32, m1, ta, ma", 7, 0},
    {"chase in L1", "", "ld t1, 0(t0); ld t1, 0(t0)", 3, 0},
    // 64 KB of lines are in L2 and not in L1.
    {"chase in L2", "mv t3, %1", "ld t3, 0(t3)", 40, 0.5},
};

std::string loops_program() {
  std::string text =
      "#include <cstdio>\n#include \"bench/target/modelled_clock.h\"\n"
      "alignas(4096) static char area[65536];\n"
      "struct Loop { const char* name; void (*run)(long, void*); };\n";
  std::string table;
  int number = 0;
  for (const Loop& loop : loops) {
    std::string setup = loop.setup, body = loop.body;
    text += fmt::format(
        "static void loop{}(long n, void* a) {{ asm volatile(\"mv t0, %1; vsetvli t1, x0, e32, m8, "
        "ta, ma; vmv.v.i v0, 0; vmv.v.i v8, 0; vmv.v.i v16, 0; fmv.w.x fa0, x0; li t1, 1; li t2, "
        "1; "
        "{}; .balign 8; 1: {}; addi %0, %0, -1; bnez %0, 1b\" : \"+r\"(n) : \"r\"(a) : \"t0\", "
        "\"t1\", \"t2\", \"t3\", \"ft0\", \"fa0\", \"memory\"); }}\n",
        number, setup.empty() ? "nop" : setup, body);
    table += fmt::format("{{\"{}\", loop{}}}, ", loop.name, number++);
  }
  return text + "static const Loop loops[] = {" + table +
         "};\n"
         "int main() {\n"
         "  for (int i = 0; i < 1024; ++i)\n"
         "    *(char**)(area + 64 * i) = area + 64 * ((i + 389) % 1024);\n"
         "  quern::TargetClock clock;\n"
         "  for (const Loop& loop : loops) {\n"
         "    loop.run(3000, area);\n"
         "    const auto a = clock.cycles(); loop.run(2000, area);\n"
         "    const auto b = clock.cycles(); loop.run(6000, area);\n"
         "    const auto c = clock.cycles();\n"
         "    printf(\"%s: %.4f\\n\", loop.name, ((double)(c - b) - (double)(b - a)) / 4000);\n"
         "  }\n}\n";
}

TEST(QemuPlugin, CountsLoopsByHand) {
  const TimedRun result = run(program(loops_program()));
  EXPECT_EQ(result.unknown_instructions, 0u);
  for (const Loop& loop : loops) {
    const auto at = result.result.output.find(std::string(loop.name) + ": ");
    ASSERT_NE(at, std::string::npos) << loop.name << "\n" << result.result.output;
    const double cycles =
        std::atof(result.result.output.c_str() + at + std::string(loop.name).size() + 2);
    // The last branch of a run may be foreseen or not: some tens of cycles in 4000
    // iterations.
    EXPECT_NEAR(cycles, loop.cycles, loop.tolerance + 0.02) << loop.name;
  }
}

// Down the columns of n x n doubles in rows of `leading` doubles, a few times.
const char* const columns = R"guest(
#include <cstdio>
#include <cstdlib>
#include "bench/target/modelled_clock.h"
int main(int, char** argv) {
  const long n = 256, leading = atol(argv[1]);
  double* a = (double*)aligned_alloc(4096, (n * leading * 8 + 4095) / 4096 * 4096);
  for (long i = 0; i < n * leading; ++i) a[i] = 1;
  quern::TargetClock clock;
  double sum = 0;
  const auto begin = clock.cycles();
  for (int round = 0; round < 2; ++round)
    for (long j = 0; j < n; ++j)
      for (long i = 0; i < n; ++i) sum += a[i * leading + j];
  printf("%.1f %.0f\n", (double)(clock.cycles() - begin) / (2 * n * n), sum);
})guest";

TEST(QemuPlugin, ShowsConflictsOfPowersOfTwo) {
  const auto binary = program(columns);
  const auto cycles = [&](const char* leading) {
    return std::atof(run(binary, {leading}).result.output.c_str());
  };
  const double at_255 = cycles("255"), at_256 = cycles("256"), at_257 = cycles("257");
  EXPECT_GT(at_256, 1.5 * at_255) << at_255;
  EXPECT_GT(at_256, 1.5 * at_257) << at_257;
}

TEST(QemuPlugin, ReportsTrapsAndFunctions) {
  const auto binary = program(R"guest(
#include <cstdlib>
static char area[4096] __attribute__((aligned(64)));
extern "C" __attribute__((noinline)) void load_at(char* p) {
  asm volatile("vsetvli t0, x0, e32, m1, ta, ma; vle32.v v8, (%0)" ::"r"(p)
                              : "t0", "memory");
}
extern "C" __attribute__((noinline)) void divide() {
  for (int i = 0; i < 1000; ++i) asm volatile("li t1, 9; div t1, t1, t1; div t1, t1, t1" ::: "t1");
}
int main(int, char** argv) {
  for (int i = 0; i < 10; ++i) load_at(area + atoi(argv[1]));
  divide();
})guest");
  const auto aligned = run(binary, {"4"}), off = run(binary, {"2"}, {.functions = true});
  EXPECT_EQ(aligned.report["misaligned_vector_accesses"], 0);
  EXPECT_EQ(off.report["misaligned_vector_accesses"], 10);
  EXPECT_GE(off.report["stalls"]["trap"].get<int>(), 10 * 1000);
  EXPECT_FALSE(aligned.report["stalls"].contains("trap"));
  bool seen = false;
  for (const Json& function : off.report["functions"]) {
    if (function["name"] != "divide") continue;
    seen = true;
    EXPECT_GE(function["cycles"].get<int>(), 39900);
    EXPECT_LE(function["cycles"].get<int>(), 43000);
    EXPECT_GE(function["stalls"]["integer-result"].get<int>(), 30000);
  }
  EXPECT_TRUE(seen);
}

TEST(QemuPlugin, NamesFunctionsAsTheirAuthorsDo) {
  const auto binary = program(R"guest(
namespace mill {
template <class T>
struct Stone {
  __attribute__((noinline)) T grind(T grain, const char*) { asm volatile("" : "+r"(grain)); return grain; }
};
}
extern "C" __attribute__((noinline)) void _Zebra() { asm volatile(""); }
extern "C" __attribute__((noinline)) void i() { asm volatile(""); }
int main() { _Zebra(); i(); return (int)mill::Stone<long>().grind(0, ""); })guest");
  std::map<std::string, Json> symbols;
  const auto told = run(binary, {}, {.functions = true});
  for (const Json& function : told.report["functions"])
    symbols[function["name"]] = function["symbol"];
  EXPECT_EQ(symbols["mill::Stone<long>::grind(long, char const*)"], "_ZN4mill5StoneIlE5grindElPKc");
  EXPECT_EQ(symbols["main"], "main");
  EXPECT_EQ(symbols["_Zebra"], "_Zebra");  // looks mangled, and is not
  EXPECT_EQ(symbols["i"], "i");            // alone, the mangled name of int
}

TEST(QemuPlugin, SharesL2OnRequest) {
  // Two threads go round 384 KB each: both fit into an L2 of 512 KB alone, not together. No round
  // starts before the other thread has ended its own, however the host schedules them.
  const auto binary = program(R"guest(
#include <barrier>
#include <cstdlib>
#include <thread>
static std::barrier<> both(2);
static void sweep() {
  volatile char* p = (char*)aligned_alloc(4096, 384 << 10);
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 384 << 10; i += 64) p[i] = p[i] + 1;
    both.arrive_and_wait();
  }
}
int main() { std::thread a(sweep), b(sweep); a.join(); b.join(); })guest",
                              {"-pthread"});
  const auto reads = [&](bool shared) {
    return run(binary, {}, {.shared_l2 = shared}).report["memory"]["dram_reads"].get<int>();
  };
  const int own = reads(false), shared = reads(true);
  EXPECT_GE(own, 2 * 6144);
  EXPECT_GT(shared, own + own / 2);
}

TEST(QemuPlugin, GivesOneFigureForOneProgram) {
  const auto binary = program(R"guest(
#include <cstdio>
#include <cstdlib>
int main(int argc, char** argv) {
  double x[300], *y = (double*)malloc(40000), s = 0;
  for (int i = 0; i < 300; ++i) x[i] = i;
  for (int i = 0; i < 5000; ++i) y[i] = argc;
  for (int i = 0; i < 50000; ++i) s += y[i % 5000] * x[i % 300];
  printf("%g %s\n", s, argv[0]);
})guest");
  const auto folder = std::filesystem::path(testing::TempDir()) / "one-figure";
  const auto near = folder / "guest",
             far = folder / "a-folder-with-a-rather-long-name-to-move-the-stack" / "guest";
  std::filesystem::create_directories(far.parent_path());
  for (const auto& to : {near, far})
    std::filesystem::copy_file(binary, to, std::filesystem::copy_options::overwrite_existing);
  const TimedRun first = run(near);
  EXPECT_NE(first.result.output.find(" guest\n"), std::string::npos) << first.result.output;
  EXPECT_EQ(run(near).cycles, first.cycles);
  EXPECT_EQ(run(far).cycles, first.cycles);
  setenv("QUERN_TEST_OF_THE_ENVIRONMENT", std::string(3000, 'x').c_str(), 1);
  EXPECT_EQ(run(far).cycles, first.cycles);
  unsetenv("QUERN_TEST_OF_THE_ENVIRONMENT");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  EXPECT_EQ(run("guest").cycles, first.cycles);
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace quern::boards
