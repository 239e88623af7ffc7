#include "boards/timing/calibration/micro_benchmarks.h"

#include <fmt/format.h>

namespace quern::timing {
namespace {

using enum InstructionClass;

struct ScalarText {
  InstructionClass instruction_class;
  const char* chain;        // on its own result
  const char* independent;  // {} is the destination's number; empty: no throughput loop
};

// Long enough that the loop's own two instructions do not show.
constexpr int throughput_length = 256;

// t1 and t2 (ft1, ft2) hold small numbers.
const std::string scalar_setup =
    "sd %1, 0(%1)\nli t1, 7\nli t2, 3\nfcvt.d.w ft1, t1\nfcvt.d.w ft2, t2\nfcvt.d.w ft3, t2";

std::string vector_setup(int lmul) {
  return fmt::format(
      "vsetvli t0, x0, e32, m{}, ta, ma\nfmv.w.x ft0, x0\nvmv.v.i v0, 0\nvmv.v.i v8, 0\n"
      "vmv.v.i v16, 0\nvmv.v.i v24, 0",
      lmul);
}

constexpr ScalarText scalars[] = {
    {integer_slow, "sh1add t1, t1, t2", ""},
    {multiply, "mul t1, t1, t2", "mul t{}, t1, t2"},
    {multiply_word, "mulw t1, t1, t2", ""},
    {multiply_high, "mulh t1, t1, t2", ""},
    {divide, "div t1, t1, t2", "div t{}, t1, t2"},
    {divide_word, "divw t1, t1, t2", ""},
    {load, "ld %1, 0(%1)", "ld t{}, 0(%1)"},
    {fp_load, "", "fld ft{}, 0(%1)"},
    {fp_store, "", "fsd ft{}, 0(%1)"},
    {fp_add_single, "fadd.s ft1, ft1, ft2", ""},
    {fp_add_double, "fadd.d ft1, ft1, ft2", ""},
    {fp_multiply_single, "fmul.s ft1, ft1, ft2", ""},
    {fp_multiply_double, "fmul.d ft1, ft1, ft2", ""},
    {fp_fma_single, "fmadd.s ft1, ft1, ft2, ft3", ""},
    {fp_fma_double, "fmadd.d ft1, ft1, ft2, ft3", ""},
    {fp_divide_single, "fdiv.s ft1, ft1, ft2", "fdiv.s ft{}, ft1, ft2"},
    {fp_divide_double, "fdiv.d ft1, ft1, ft2", "fdiv.d ft{}, ft1, ft2"},
};

struct VectorText {
  InstructionClass instruction_class;
  const char* chain;        // {0} destination and source group, {1} another group
  const char* independent;  // {0} destination group, {1} source group
};

constexpr VectorText vectors[] = {
    {vector_fma, "vfmacc.vf v{0}, ft0, v{1}", "vfmacc.vf v{0}, ft0, v{1}"},
    {vector_fp_add, "vfadd.vv v{0}, v{0}, v{1}", "vfadd.vv v{0}, v{1}, v{1}"},
    {vector_add, "vadd.vv v{0}, v{0}, v{1}", "vadd.vv v{0}, v{1}, v{1}"},
    {vector_multiply, "vmul.vv v{0}, v{0}, v{1}", "vmul.vv v{0}, v{1}, v{1}"},
    {vector_gather_scalar, "vrgather.vi v{1}, v{0}, 1\nvrgather.vi v{0}, v{1}, 1",
     "vrgather.vi v{0}, v{1}, 1"},
    {vector_load, "", "vle32.v v{0}, (%1)"},
    {vector_store, "", "vse32.v v{0}, (%1)"},
};

// How many units of a kind there are, how many instructions issue in a cycle, what a mask costs.
void add_unit_loops(std::vector<MicroBenchmark>& list) {
  const struct {
    InstructionClass instruction_class;
    const char* text;  // {} is the number of the copy, from 0
    int first, step;   // registers: first + step * copy
    int lmul_log2;
  } slow[] = {
      {divide, "div t{}, t1, t2", 3, 1, -1},
      {fp_divide_double, "fdiv.d ft{}, ft1, ft2", 4, 1, -1},
      {vector_load, "vle32.v v{}, (%1)", 4, 4, 2},
      {vector_add, "vadd.vv v{}, v0, v0", 4, 4, 2},
      {vector_fma, "vfmacc.vf v{}, ft0, v0", 4, 4, 2},
  };
  for (const auto& text : slow)
    for (int copies = 0; copies <= most_copies; ++copies) {
      std::vector<std::string> body;
      for (int i = 0; i < copies; ++i)
        body.push_back(fmt::format(fmt::runtime(text.text), text.first + text.step * i));
      for (int i = 0; i < 40; ++i) body.push_back("add t1, t1, t2");
      // Small numbers again, so that divisions take the same time.
      body.push_back("li t1, 7");
      MicroBenchmark loop{fmt::format("{} units {}", name_of(text.instruction_class), copies),
                          text.instruction_class,
                          Quantity::unit_count,
                          text.lmul_log2,
                          scalar_setup,
                          body,
                          1,
                          copies};
      if (text.lmul_log2 >= 0) loop.setup += "\n" + vector_setup(1 << text.lmul_log2);
      list.push_back(loop);
    }
  std::vector<std::string> mix;
  for (int i = 0; i < 32; ++i)
    for (const char* text :
         {"add t3, t1, t2", "fadd.s ft4, ft1, ft2", "ld t4, 0(%1)", "add t5, t1, t2"})
      mix.push_back(text);
  list.push_back({"issue-width", integer, Quantity::issue_width, -1, scalar_setup, mix, 32});
  std::vector<std::string> masked;
  for (int i = 0; i < throughput_length; ++i)
    masked.push_back(fmt::format("vfmacc.vf v{}, ft0, v4, v0.t", 8 + 4 * (i % 6)));
  list.push_back({"vector-fma m4 masked", vector_fma, Quantity::masked, 2,
                  vector_setup(4) + "\nvmset.m v0", masked, throughput_length});
}

std::vector<MicroBenchmark> make() {
  std::vector<MicroBenchmark> list;
  for (const auto& text : scalars) {
    const std::string name(name_of(text.instruction_class));
    if (*text.chain)
      list.push_back({name + " latency", text.instruction_class, Quantity::latency, -1,
                      scalar_setup, std::vector<std::string>(16, text.chain), 16});
    if (*text.independent) {
      std::vector<std::string> body;
      for (int i = 0; i < throughput_length; ++i)
        body.push_back(fmt::format(fmt::runtime(text.independent), 3 + i % 4));
      list.push_back({name + " occupancy", text.instruction_class, Quantity::occupancy, -1,
                      scalar_setup, body, throughput_length});
    }
  }
  for (const auto& text : vectors) {
    const std::string name(name_of(text.instruction_class));
    for (int lmul = 0; lmul <= 3; ++lmul) {
      const int group = 1 << lmul, groups = 32 / group;
      const std::string setup = vector_setup(group);
      if (*text.chain) {
        const std::string chain = fmt::format(fmt::runtime(text.chain), 8, 16);
        const int instructions = chain.find('\n') == std::string::npos ? 1 : 2;
        list.push_back({fmt::format("{} m{} latency", name, group), text.instruction_class,
                        Quantity::latency, lmul, setup, std::vector<std::string>(16, chain),
                        16 * instructions});
      }
      // Destinations rotate over all groups but the first, which is the source.
      std::vector<std::string> body;
      const int rounds = (throughput_length + groups - 2) / (groups - 1);
      for (int i = 0; i < rounds * (groups - 1); ++i)
        body.push_back(
            fmt::format(fmt::runtime(text.independent), group * (1 + i % (groups - 1)), 0));
      list.push_back({fmt::format("{} m{} occupancy", name, group), text.instruction_class,
                      Quantity::occupancy, lmul, setup, body, static_cast<int>(body.size())});
      if (text.instruction_class == vector_load) {
        // Few enough accumulators to fit, enough to hide their own latency at m1 and m2.
        std::vector<std::string> pairs;
        for (int i = 0; i < 64; ++i) {
          pairs.push_back("vle32.v v0, (%1)");
          pairs.push_back(fmt::format("vfmacc.vf v{}, ft0, v0", group * (1 + i % (groups - 1))));
        }
        list.push_back({fmt::format("{} m{} to use", name, group), vector_load, Quantity::latency,
                        lmul, setup, pairs, 64});
      }
    }
  }
  // The scalar load that feeds a multiply-accumulate, likewise.
  std::vector<std::string> pairs;
  for (int i = 0; i < 64; ++i) {
    pairs.push_back("flw ft0, 0(%1)");
    pairs.push_back(fmt::format("vfmacc.vf v{}, ft0, v0", 1 + i % 31));
  }
  list.push_back({"fp-load to use", fp_load, Quantity::latency, -1,
                  "vsetvli t0, x0, e32, m1, ta, ma\nsd x0, 0(%1)\nvmv.v.i v0, 0", pairs, 64});
  add_unit_loops(list);
  return list;
}

}  // namespace

const std::vector<MicroBenchmark>& micro_benchmarks() {
  static const std::vector<MicroBenchmark> list = make();
  return list;
}

std::string calibration_program() {
  std::string text =
      "// Written by quern calibrate.\n#include "
      "\"boards/timing/calibration/calibration_driver.h\"\n\n"
      "#define CLOBBERS \"t0\", \"t1\", \"t2\", \"t3\", \"t4\", \"t5\", \"t6\", \"ft0\", \"ft1\", "
      "\"ft2\", \"ft3\", "
      "\"ft4\", \"ft5\", \"ft6\", \"ft7\"";
  for (int v = 0; v < 32; ++v) text += fmt::format(", \"v{}\"", v);
  text += ", \"memory\"\n\n";
  std::string table;
  const auto quoted = [](const std::string& line) {
    std::string out = "      \"";
    for (const char c : line) out += c == '\n' ? std::string("\\n") : std::string(1, c);
    return out + "\\n\"\n";
  };
  int number = 0;
  for (const MicroBenchmark& benchmark : micro_benchmarks()) {
    text += fmt::format("// {}\nstatic void loop{}(long n, void* area) {{\n  asm volatile(\n",
                        benchmark.name, number);
    text += quoted(benchmark.setup) + quoted("1:");
    for (const auto& line : benchmark.body) text += quoted(line);
    text += quoted("addi %0, %0, -1") + quoted("bnez %0, 1b");
    text += "      : \"+r\"(n), \"+r\"(area)::CLOBBERS);\n}\n";
    table +=
        fmt::format("    {{\"{}\", loop{}, {}}},\n", benchmark.name, number, benchmark.divisor);
    ++number;
  }
  text += "\nstatic const quern::calibration::Loop loops[] = {\n" + table + "};\n\n" +
          "int main(int argc, char** argv) {\n  return quern::calibration::main_of(argc, argv, "
          "loops, sizeof loops / "
          "sizeof *loops);\n}\n";
  return text;
}

}  // namespace quern::timing
