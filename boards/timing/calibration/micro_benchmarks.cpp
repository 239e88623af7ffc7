#include "boards/timing/calibration/micro_benchmarks.h"

#include <fmt/format.h>

#include "boards/timing/calibration/loop_shapes.h"

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
  const auto mixed = [&](const char* name, std::initializer_list<const char*> texts) {
    std::vector<std::string> mix;
    for (int i = 0; i < 32; ++i) mix.insert(mix.end(), texts.begin(), texts.end());
    list.push_back({name, integer, Quantity::issue_width, -1, scalar_setup, mix, 32});
  };
  mixed("issue-width",
        {"add t3, t1, t2", "fadd.s ft4, ft1, ft2", "ld t4, 0(%1)", "add t5, t1, t2"});
  // The same where results are written in order: these have theirs after one cycle, or none.
  mixed("issue-width short",
        {"add t3, t1, t2", "sd t1, 0(%1)", "add t5, t1, t2", "bne x0, x0, 1b"});
  std::vector<std::string> masked;
  for (int i = 0; i < throughput_length; ++i)
    masked.push_back(fmt::format("vfmacc.vf v{}, ft0, v4, v0.t", 8 + 4 * (i % 6)));
  list.push_back({"vector-fma m4 masked", vector_fma, Quantity::masked, 2,
                  vector_setup(4) + "\nvmset.m v0", masked, throughput_length});
}

// `first`, then a chain of adds that is long enough for the next round to find every unit free.
std::vector<std::string> then_adds(std::vector<std::string> first) {
  first.insert(first.end(), 64, "add t1, t1, t2");
  return first;
}

// A load's result is used by an arithmetic instruction, a vector result by a store: a unit that is
// free whatever the first instruction keeps busy.
void add_use_loops(std::vector<MicroBenchmark>& list) {
  const auto add = [&](const std::string& name, InstructionClass c, Quantity quantity, int lmul,
                       const std::string& reference, std::vector<std::string> body) {
    std::string setup = scalar_setup + "\nsd %1, 8(%1)\naddi t6, %1, 1024\nsd t6, 16(%1)";
    if (lmul >= 0) setup += "\n" + vector_setup(1 << lmul);
    const std::string group = lmul < 0 ? "" : fmt::format(" m{}", 1 << lmul);
    list.push_back(
        {name + group + " to use", c, quantity, lmul, setup, then_adds(std::move(body)), 1});
    if (reference.empty()) return;
    list.back().reference = reference + group + " to use";
    list.back().known = lmul < 0 ? "fp-add-double latency" : "load latency";
  };
  add("fp-add-double", fp_add_double, Quantity::reference, -1, "",
      {"fadd.d ft4, ft1, ft2", "fadd.d ft5, ft4, ft2"});
  add("fp-load", fp_load, Quantity::to_use, -1, "fp-add-double",
      {"fld ft4, 8(%1)", "fadd.d ft5, ft4, ft2"});
  for (int lmul = 0; lmul <= 3; ++lmul) {
    add("load to vadd", load, Quantity::reference, lmul, "",
        {"ld t3, 8(%1)", "vadd.vx v16, v8, t3"});
    add("vector-load", vector_load, Quantity::to_use, lmul, "load to vadd",
        {"vle32.v v8, (%1)", "vadd.vx v16, v8, t1"});
    add("load to vse", load, Quantity::reference, lmul, "", {"ld t3, 16(%1)", "vse32.v v8, (t3)"});
    for (const auto& text : vectors) {
      if (!*text.chain) continue;
      std::string first = fmt::format(fmt::runtime(text.independent), 8, 16);
      add(std::string(name_of(text.instruction_class)), text.instruction_class, Quantity::to_use,
          lmul, "load to vse", {first, "vse32.v v8, (t6)"});
    }
  }
}

void add_order_loops(std::vector<MicroBenchmark>& list) {
  const std::string setup = scalar_setup + "\n" + vector_setup(1);
  const char* slow = "fdiv.d ft4, ft1, ft2";
  const auto add = [&](const char* name, std::vector<std::string> body) {
    list.push_back(
        {name, fp_divide_double, Quantity::order, -1, setup, then_adds(std::move(body)), 1});
  };
  add("order adds", {});
  add("order fdiv", {slow});
  add("order fdiv fld", {slow, "fld ft5, 0(%1)"});
  add("order fdiv vadd", {slow, "vadd.vv v8, v16, v16"});
}

void add_branch_loops(std::vector<MicroBenchmark>& list) {
  const auto add = [&](const char* name, std::vector<const char*> texts) {
    std::vector<std::string> body;
    for (int i = 0; i < 16; ++i) {
      body.push_back("j 2f\n2:");
      body.insert(body.end(), texts.begin(), texts.end());
    }
    list.push_back({name, jump, Quantity::taken_branch, -1, scalar_setup, body, 16});
  };
  const char *one = "add t3, t1, t2", *store = "sd t1, 0(%1)";
  add("jump", {});
  add("jump 2", {one, store});
  add("jump 3", {one, store, one});
  add("jump 4", {one, store, one, one});
}

void add_store_loops(std::vector<MicroBenchmark>& list) {
  const char* slow = "fdiv.d ft4, ft1, ft2";
  list.push_back({"store-data", fp_store, Quantity::store_slack, -1, scalar_setup,
                  then_adds({slow, "fsd ft4, 0(%1)"}), 1});
  list.push_back({"store-data use", fp_add_double, Quantity::store_slack, -1, scalar_setup,
                  then_adds({slow, "fadd.d ft5, ft4, ft2"}), 1});
  // 8 bytes before a multiple of any line's size.
  std::vector<std::string> crossing;
  for (int i = 0; i < throughput_length; ++i)
    crossing.push_back(fmt::format("vle32.v v{}, (t6)", 1 + i % 31));
  list.push_back({"vector-load m1 crossing", vector_load, Quantity::line_cross, 0,
                  vector_setup(1) + "\naddi t6, %1, 2040", crossing, throughput_length});
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
    }
  }
  add_use_loops(list);
  add_unit_loops(list);
  add_order_loops(list);
  add_branch_loops(list);
  add_store_loops(list);
  return list;
}

// The branches of branch_loops.h at their distances, in a section of their own. All have the same
// instructions, so that their addresses differ by one bit.
std::string branch_sites() {
  const auto site = [](const std::string& name, long offset, const char* reg) {
    return fmt::format(
        "    \".org quern_branches + {}\\n.globl quern_site_{}\\nquern_site_{}:\\n\"\n"
        "    \"bne {}, x0, 2f\\nnop\\n2: jr t5\\n\"\n",
        offset, name, name, reg);
  };
  std::string text =
      "\nasm(\".pushsection .text.quern_branches, \\\"ax\\\", @progbits\\n\"\n"
      "    \".option push\\n.option norvc\\n.option norelax\\n.balign 131072\\n"
      "quern_branches:\\n\"\n";
  std::string declared, table = "quern_site_first";
  text += site("first", 16, "t1") + site("taken", 48, "t1");
  declared = "extern \"C\" const char quern_site_first[], quern_site_taken[]";
  for (int b = 1; b <= calibration::last_site; ++b) {
    if (b < calibration::first_site) {
      table += ", nullptr";
      continue;
    }
    const std::string name = std::to_string(b);
    text += site(name, 16 + (2L << b), "t2");
    declared += ", quern_site_" + name + "[]";
    table += ", quern_site_" + name;
  }
  return text + "    \".option pop\\n.popsection\\n\");\n" + declared +
         ";\nextern \"C\" const void* const quern_branch_sites[] = {" + table +
         "};\nextern \"C\" const void* const quern_taken_branch_site = quern_site_taken;\n";
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
  text += branch_sites();
  text += "\nstatic const quern::calibration::Loop loops[] = {\n" + table + "};\n\n" +
          "int main(int argc, char** argv) {\n  return quern::calibration::main_of(argc, argv, "
          "loops, sizeof loops / "
          "sizeof *loops);\n}\n";
  return text;
}

}  // namespace quern::timing
