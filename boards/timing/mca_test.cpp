// The static model against llvm-mca's model of the same core (SpacemiT X60, LLVM 22): an
// independent implementation of in-order issue with its own parameters.
//
//   kernel point --emitter, compiler--> object --predict--------------------> cycles an iteration
//                                         '----disassembled loop, llvm-mca--> cycles an iteration
//
// The two differ by one rule and a few numbers. llvm-mca writes every result in program order; the
// board file has that for floating-point and vector results only, because measured loops exclude it
// for integer ones (MeasuredLoops). With that rule and LLVM's numbers in our pipeline the two must
// agree closely: then they are the whole difference, and the table says how much is due to which.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/file.h"
#include "base/process.h"
#include "boards/board.h"
#include "boards/timing/predict.h"
#include "boards/toolchain/compiler.h"
#include "generator/core/emitter.h"

namespace quern::timing {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

bool tools_are_here() {
  return find_program("llvm-mca-22") && find_program("llvm-objdump-19") &&
         find_program("llvm-mc-19");
}

// Cycles an iteration, by llvm-mca-22, of assembly whose branches go nowhere.
double mca_cycles(const std::string& text, int lmul, int sew) {
  constexpr int iterations = 300;
  const auto file = std::filesystem::path(testing::TempDir()) / "region.s";
  write_file(file, fmt::format("# LLVM-MCA-RISCV-LMUL M{}\n# LLVM-MCA-RISCV-SEW E{}\n{}", lmul, sew,
                               text));
  const auto mca =
      run_process({"llvm-mca-22", "-mtriple=riscv64", "-mcpu=spacemit-x60",
                   fmt::format("-iterations={}", iterations), "-instruction-info=false",
                   "-resource-pressure=false", file.string()});
  const auto at = mca.output.find("Total Cycles:");
  if (!mca.good() || at == std::string::npos) {
    ADD_FAILURE() << mca.errors << mca.output << text;
    return 0;
  }
  return std::atof(mca.output.c_str() + at + 13) / iterations;
}

// The text of a loop, from the object.
std::string disassembled(const std::filesystem::path& object, const ElfFunction& function,
                         const Prediction& prediction) {
  const auto dump = run_process({"llvm-objdump-19", "-d", "--no-show-raw-insn", object.string()});
  EXPECT_TRUE(dump.good()) << dump.errors;
  std::istringstream lines(dump.output);
  std::string text;
  int left = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    const auto tab = line.find('\t');
    if (colon == std::string::npos || tab == std::string::npos || tab < colon) continue;
    const auto address = std::strtoull(line.c_str(), nullptr, 16);
    if (address == function.address + prediction.loop_offset) left = prediction.instructions;
    if (left == 0) continue;
    --left;
    std::string instruction = line.substr(tab + 1);
    // A target is an address in the object: any will do.
    if (const auto label = instruction.find('<'); label != std::string::npos) {
      const auto comma = instruction.rfind(',', label);
      instruction = instruction.substr(0, comma) + ", 8";
    }
    text += "  " + instruction + "\n";
  }
  return text;
}

void set_cost(Parameters& p, InstructionClass c, std::array<double, 4> latency,
              std::array<double, 4> occupancy) {
  ClassTiming& timing = p.classes[static_cast<std::size_t>(c)];
  for (std::size_t lmul = 0; lmul < 7; ++lmul)
    for (std::size_t sew = 0; sew < 4; ++sew) {
      const std::size_t i = lmul < 3 ? 0 : lmul - 3;
      timing.latency[lmul][sew] = to_ticks(latency[i]);
      timing.occupancy[lmul][sew] = to_ticks(occupancy[i]);
    }
}

// Our pipeline with llvm-mca's rule for all results.
Parameters with_write_order(Parameters p) {
  p.in_order_results = InOrder::all;
  return p;
}

// And with LLVM's other numbers, from RISCVSchedSpacemitX60.td (LLVM 22).
Parameters with_llvm_numbers(Parameters p) {
  using enum InstructionClass;
  p = with_write_order(std::move(p));
  p.taken_branch_ends_group = false;
  p.units[static_cast<std::size_t>(p.unit_named("load-store"))].count = 2;
  const std::array<double, 4> one{1, 1, 1, 1}, four{4, 4, 4, 4};
  for (const auto c : {load, fp_load, store, fp_store}) set_cost(p, c, four, one);
  set_cost(p, vector_configure, one, one);
  set_cost(p, branch, one, one);
  set_cost(p, vector_load, {3, 4, 8, 16}, {3, 4, 8, 16});
  set_cost(p, vector_store, {3, 4, 8, 19}, {3, 4, 8, 19});
  return p;
}

// Plain C kernels, C with a tail, and assembly with and without software pipelining.
constexpr const char* points[] = {
    "rvv-f32-16x15-m1-vf-v256",
    "rvv-f32-16x14-m1-vf-v256",
    "rvv-f32-16x8-m1-vf-v256",
    "rvv-f32-32x7-m1-vf-v256",
    "rvv-f32-32x6-m1-vf-v256",
    "rvv-f32-24x8-m1-vf-v256",
    "rvv-f32-8x8-m1-vf-v256",
    "rvv-f32-16x14-m2-vf-v256",
    "rvv-f32-16x8-m2-vf-v256",
    "rvv-f32-32x7-m2-vf-v256",
    "rvv-f32-32x7-m4-vf-v256",
    "rvv-f32-15x10-m1-vf-v256",
    "rvv-f32-20x6-m1-vf-v256",
    "rvv-f32-28x6-m2-vf-v256",
    "rvv-f32-16x15-m1-vf-asm-v256",
    "rvv-f32-16x14-m1-vf-p8-asm-v256",
    "rvv-f32-24x9-m1-vf-p4-asm-v256",
    "rvv-f32-16x12-m1-vf-a2-u2-p8-asm-v256",
    "rvv-f32-20x8-m1-vf-a2-u2-p8-asm-v256",
    "rvv-f32-16x14-m2-vf-u2-asm-v256",
    "rvv-f32-16x14-m2-vf-a2-u2-p8-asm-v256",
    "rvv-f32-16x12-m2-vf-a2-u2-p12-asm-v256",
    "rvv-f32-16x7-m2-vf-a2-u2-p8-asm-v256",
    "rvv-f32-32x7-m2-vf-a2-u2-p8-asm-v256",
    "rvv-f32-32x6-m2-vf-a2-u2-p4-asm-v256",
    "rvv-f32-28x6-m2-vf-a2-u2-p8-asm-v256",
    "rvv-f32-32x6-m4-vf-u2-asm-v256",
    "rvv-f32-32x6-m4-vf-a2-u2-p4-asm-v256",
    "rvv-f32-32x4-m4-vf-a2-u2-p4-asm-v256",
    "rvv-f32-30x5-m4-vf-a2-u2-p4-asm-v256",
};

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST(McaSlow, DiffersFromLlvmByNamedRulesOnGeneratedLoops) {
  if (!tools_are_here())
    GTEST_SKIP() << "llvm-mca-22 (package llvm-22), llvm-objdump-19 and llvm-mc-19 (llvm-19) are "
                    "needed";
  const boards::Board board = boards::load_board(root, "bpi-f3");
  const boards::Compiler compiler(board, root, boards::build_folder(root));
  const Parameters parameters = load_parameters(board.document, "bpi-f3");
  const Parameters ordered = with_write_order(parameters), llvm = with_llvm_numbers(parameters);
  const auto& emitter = generator::emitter("rvv");
  std::vector<double> difference, in_order, all_rules;
  std::printf(
      "| kernel | llvm-mca-22 | quern | difference | with its rule | and its numbers |\n"
      "|---|---|---|---|---|---|\n");
  for (const char* id : points) {
    const auto point = emitter.parse_id(id);
    const auto violations = emitter.violations(point, board.target());
    ASSERT_TRUE(violations.empty()) << id << ": " << violations[0].reason;
    const auto kernel = emitter.emit(point, board.target());
    const auto object = compiler.compile({"kernel" + kernel.extension, kernel.source});
    ASSERT_TRUE(object.good) << object.log;
    const ElfFile file = read_elf(object.file);
    const auto* function = file.find(kernel.symbol);
    ASSERT_NE(function, nullptr);
    const Prediction ours = predict(parameters, file, *function);
    ASSERT_TRUE(ours.has_loop) << id;
    const double theirs = mca_cycles(disassembled(object.file, *function, ours),
                                     std::stoi(point.choices.at("lmul")), 32);
    ASSERT_GT(theirs, 0) << id;
    const auto against = [&](double cycles) { return cycles / theirs - 1; };
    difference.push_back(against(ours.cycles));
    in_order.push_back(against(predict(ordered, file, *function).cycles));
    all_rules.push_back(against(predict(llvm, file, *function).cycles));
    std::printf("| %s | %.1f | %.1f | %+.1f %% | %+.1f %% | %+.1f %% |\n", id, theirs, ours.cycles,
                100 * difference.back(), 100 * in_order.back(), 100 * all_rules.back());
  }
  const auto report = [](const char* what, std::vector<double> values) {
    for (double& value : values) value = std::abs(value);
    const double median = middle_of(values),
                 worst = *std::max_element(values.begin(), values.end());
    std::printf("%s: median %.1f %%, largest %.1f %%\n", what, 100 * median, 100 * worst);
    return std::pair{median, worst};
  };
  std::printf("\n");
  const auto [median, worst] = report("difference", difference);
  report("with llvm-mca's rule for integer results", in_order);
  const auto [explained_median, explained_worst] = report("and with LLVM's numbers", all_rules);
  EXPECT_GE(difference.size(), 20u);
  EXPECT_LE(median, 0.10);
  EXPECT_LE(worst, 0.30);
  // Every one of them, not only those above 20 %.
  EXPECT_LE(explained_median, 0.01);
  EXPECT_LE(explained_worst, 0.01);
}

// Loops whose cycles on the board are published (camel-cdr rvv-bench-results, page spacemit_x60:
// memset and memcpy in L1; sbc-bench 8to7qX: ramlat). llvm-mca's order of integer results does not
// survive the first two: a store, an add and a branch take 2.0 cycles, not 4; with a load 3.0,
// not 8.
TEST(McaSlow, MeasuredLoopsDecideBetweenTheTwo) {
  if (!tools_are_here())
    GTEST_SKIP() << "llvm-mca-22 (package llvm-22) and llvm-mc-19 (llvm-19) are needed";
  const Parameters parameters = load_parameters(root / "boards" / "bpi-f3.json");
  const std::string fill = "vse8.v v8, (a0)\nadd a0, a0, a3\nbltu a0, a2, 8\n",
                    copy =
                        "vle8.v v8, (a1)\nadd a1, a1, a3\nvse8.v v8, (a0)\n"
                        "add a0, a0, a3\nbltu a0, a2, 8\n";
  const struct {
    const char* name;
    std::string text;
    int lmul;
    double measured, tolerance;
  } rows[] = {
      {"store a byte", "sb x0, 0(a0)\naddi a0, a0, 1\nbne a0, a2, 8\n", 1, 2.0, 0.02},
      {"copy a byte", "lb a3, 0(a1)\naddi a1, a1, 1\nsb a3, 0(a0)\naddi a0, a0, 1\nbne a0, a2, 8\n",
       1, 3.0, 0.02},
      {"pointer chase", "ld a0, 0(a0)\n", 1, 2.0, 0.02},
      {"load, add", "ld a0, 0(a0)\naddi a0, a0, 0\n", 1, 3.0, 0.02},
      {"fill m1", fill, 1, 2.70, 0.1},
      {"fill m2", fill, 2, 4.7, 0.1},
      {"fill m4", fill, 4, 9.4, 0.1},
      {"fill m8", fill, 8, 18.8, 0.1},
      {"copy m1", copy, 1, 6.0, 0.12},
      {"copy m2", copy, 2, 10.0, 0.1},
      {"copy m4", copy, 4, 17.0, 0.1},
      {"copy m8", copy, 8, 33.0, 0.1},
  };
  std::printf("| loop | measured | llvm-mca-22 | quern |\n|---|---|---|---|\n");
  for (const auto& row : rows) {
    const auto folder = std::filesystem::path(testing::TempDir());
    const auto source = folder / "measured.s", object = folder / "measured.o";
    write_file(source, ".globl kernel\n.type kernel, @function\nkernel:\n" + row.text +
                           ".size kernel, .-kernel\n");
    const auto assembled = run_process({"llvm-mc-19", "--triple=riscv64", "--mattr=+m,+a,+f,+d,+v",
                                        "--filetype=obj", "-o", object.string(), source.string()});
    ASSERT_TRUE(assembled.good()) << assembled.errors;
    const ElfFile file = read_elf(object);
    const auto instructions = decode_all(file.code(*file.find("kernel")));
    const int lmul_log2 = row.lmul == 1 ? 0 : row.lmul == 2 ? 1 : row.lmul == 4 ? 2 : 3;
    const auto ours =
        predict_loop(parameters, instructions, {static_cast<std::int8_t>(lmul_log2), 8}).cycles;
    std::printf("| %s | %.1f | %.1f | %.1f |\n", row.name, row.measured,
                mca_cycles(row.text, row.lmul, 8), ours);
    EXPECT_NEAR(ours, row.measured, row.tolerance * row.measured) << row.name;
  }
}

}  // namespace
}  // namespace quern::timing
