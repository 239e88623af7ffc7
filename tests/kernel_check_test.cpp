// The program that verifies kernels, tried on kernels made by hand: right ones of every type and
// form pass, and each way of breaking the contract is noticed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/kernel_program.h"
#include "boards/session.h"

namespace quern {
namespace {

using generator::DType;
using generator::KernelForm;

const std::filesystem::path root = QUERN_SOURCE_DIR;

constexpr const char* parameters_text =
    "std::int64_t along, std::int64_t k, const T::Sum* alpha, const T::Panel* a, const T::Panel* "
    "b, const T::Sum* beta, T::Sum* c, std::int64_t ldc";

// A kernel whose body is given, in C++.
bench::BenchKernel kernel(const std::string& symbol, const std::string& body, int m_r, int n_r,
                          KernelForm form) {
  return {{symbol, symbol,
           fmt::format("extern \"C\" void {}({}) {{\n  {}\n}}\n", symbol, parameters_text, body),
           ".cpp"},
          m_r,
          n_r,
          form};
}

// Puts the kernels into one unit, the first one's: it costs one start-up of the compiler.
std::vector<bench::BenchKernel> in_one_unit(DType dtype, std::vector<bench::BenchKernel> kernels) {
  std::string text = fmt::format(
      "#include <cmath>\n#include \"gemm/plain_kernel.h\"\nusing namespace quern::gemm;\n"
      "using T = {};\n",
      generator::info(dtype).name);
  for (auto& one : kernels) {
    text += one.source.source;
    one.source.source = "/* in the first unit */\n";
    one.source.extension = ".c";
  }
  kernels.front().source.source = text;
  kernels.front().source.extension = ".cpp";
  return kernels;
}

// The plain kernel of a form, for a tile of `across` elements across its vectors.
std::string plain(const KernelForm& form, int across) {
  const bool along_m = form.along == KernelForm::Along::m;
  const bool by_rows = form.c_order == KernelForm::COrder::row_major;
  return fmt::format("plain_tile<T>({}, {}, k, alpha, a, b, beta, c, {});",
                     along_m ? "along" : std::to_string(across),
                     along_m ? std::to_string(across) : "along", by_rows ? "ldc, 1" : "1, ldc");
}

struct Bench {
  boards::Board board = boards::load_board(root, "generic-256");
  boards::Compiler compiler{board, root, boards::build_folder(root)};

  bench::KernelProgram build(DType dtype, const std::vector<bench::BenchKernel>& kernels) const {
    auto out =
        bench::build_kernel_program(compiler, root, dtype, board.vlen, in_one_unit(dtype, kernels));
    for (const auto& one : out.kernels) EXPECT_TRUE(one.good) << one.log;
    return out;
  }
  boards::RunResult run(const bench::KernelProgram& program, std::vector<std::string> arguments,
                        int vlen = 256, bool half_avl = false) const {
    boards::Machine machine{board.name, board.extensions, vlen};
    machine.settings["half_avl"] = half_avl;
    boards::Program what{program.program, std::move(arguments)};
    what.needs = program.needs;
    return boards::transport_kind("qemu").make(machine)->run(what);
  }
};

TEST(KernelCheck, RightKernelsOfEveryTypeAndFormPass) {
  const Bench bench;
  for (const auto& info : generator::dtypes) {
    std::vector<bench::BenchKernel> kernels;
    for (const auto along : {KernelForm::Along::m, KernelForm::Along::n}) {
      for (const auto order : {KernelForm::COrder::column_major, KernelForm::COrder::row_major}) {
        for (const bool any_vlen : {false, true}) {
          const KernelForm form{along, order, 8, any_vlen};
          kernels.push_back(kernel(fmt::format("kernel_{}", kernels.size()), plain(form, 3),
                                   along == KernelForm::Along::m ? 13 : 3,
                                   along == KernelForm::Along::m ? 3 : 13, form));
        }
      }
    }
    const auto program = bench.build(info.dtype, kernels);
    const auto result = bench.run(program, {"--verify-only", "--k", "20"});
    EXPECT_EQ(result.outcome, boards::Outcome::ok)
        << info.name << ": " << result.reason << result.output << result.errors;
  }
}

TEST(KernelCheck, AnyVlenTilesGrowWithTheMachine) {
  const Bench bench;
  const KernelForm fixed{KernelForm::Along::m, KernelForm::COrder::column_major, 8, false};
  const KernelForm any{KernelForm::Along::n, KernelForm::COrder::row_major, 8, true};
  const auto program = bench.build(DType::f32, {kernel("fixed", plain(fixed, 3), 13, 3, fixed),
                                                kernel("any", plain(any, 3), 3, 13, any)});
  const struct {
    int vlen;
    const char* line;
  } table[] = {{128, "\"m\":3,\"n\":8,"}, {256, "\"m\":3,\"n\":13,"}, {1024, "\"m\":3,\"n\":64,"}};
  for (const auto& row : table) {
    const auto result = bench.run(program, {"--verify-only", "--k", "5"}, row.vlen);
    EXPECT_EQ(result.outcome, boards::Outcome::ok) << result.reason << result.output;
    EXPECT_NE(result.output.find("{\"id\":\"fixed\",\"m\":13,\"n\":3,"), std::string::npos);
    EXPECT_NE(result.output.find(row.line), std::string::npos) << row.vlen << result.output;
  }
}

TEST(KernelCheck, OneCaseCanBeAskedFor) {
  const Bench bench;
  const KernelForm form{KernelForm::Along::m, KernelForm::COrder::column_major, 8, false};
  // Wrong for alpha = 3 alone.
  const auto program = bench.build(
      DType::f32, {kernel("odd", plain(form, 3) + " if (*alpha == 3) c[0] += 1;", 8, 3, form)});
  EXPECT_EQ(bench.run(program, {"--verify-only"}).outcome, boards::Outcome::ok);
  const std::string wrong = "8,5,2,3,0,0,0,0,1,7";
  const auto result = bench.run(program, {"--verify-only", "--case", wrong});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_NE(result.output.find("\"wrong_row\":0,\"wrong_column\":0,\"wrong_case\":\"" + wrong),
            std::string::npos)
      << result.output;
  EXPECT_EQ(bench.run(program, {"--verify-only", "--case", "8,5,2,2,0,0,0,0,1,7"}).outcome,
            boards::Outcome::ok);
  EXPECT_EQ(bench.run(program, {"--case", "8,5"}).status, 2);
}

TEST(KernelCheck, EveryBreachIsNoticed) {
  const Bench bench;
  const KernelForm form{KernelForm::Along::m, KernelForm::COrder::column_major, 8, false};
  const std::string good = plain(form, 3);
  const auto touch = [](const std::string& place) {
    return "static_cast<void>(*reinterpret_cast<const volatile char*>(" + place + "));";
  };
  struct Breach {
    DType dtype;
    const char* name;
    std::string body;
    bool crash;
  };
  const std::vector<Breach> table = {
      {DType::f32, "a_behind", good + touch("a + along * k"), true},
      {DType::f32, "a_before", good + touch("a - 1"), true},
      {DType::f32, "b_behind", good + touch("b + 3 * k"), true},
      {DType::f32, "b_before", good + touch("b - 1"), true},
      {DType::f32, "alpha_behind", good + touch("alpha + 1"), true},
      {DType::f32, "alpha_before", good + touch("alpha - 1"), true},
      {DType::f32, "beta_behind", good + touch("beta + 1"), true},
      {DType::f32, "beta_before", good + touch("beta - 1"), true},
      {DType::f32, "c_behind", good + touch("c + 2 * ldc + along"), true},
      {DType::f32, "c_before", good + touch("c - 1"), true},
      {DType::f32, "b_of_empty_k", touch("b") + good, true},
      {DType::f32, "between_columns", good + "if (ldc > along) c[along] = 0;", false},
      {DType::f32, "c_read",
       "const float term = *beta * c[0]; " + good + " if (*beta == 0) c[0] += term;", false},
      {DType::f32, "flushes",
       good + "for (int j = 0; j < 3; ++j) for (int i = 0; i < along; ++i) "
              "if (std::fabs(c[j * ldc + i]) < 0x1p-126f) c[j * ldc + i] = 0;",
       false},
      {DType::f32, "hides_nan",
       good + "for (int j = 0; j < 3; ++j) for (int i = 0; i < along; ++i) "
              "if (std::isnan(c[j * ldc + i])) c[j * ldc + i] = 0;",
       false},
      {DType::f32, "hides_infinity",
       good + "for (int j = 0; j < 3; ++j) for (int i = 0; i < along; ++i) "
              "if (std::isinf(c[j * ldc + i])) c[j * ldc + i] = 0x1.fffffep127f;",
       false},
      {DType::f32, "forgets_the_last", "if (k > 7) --k; " + good, false},
      {DType::f32, "least_only", good + "if (along == 8) c[0] += 1;", false},
      {DType::f16, "forgets_the_last", "if (k > 100) --k; " + good, false},
      {DType::f64, "sums_in_float",
       good + "if (*beta == 0) for (int i = 0; i < along; ++i) c[i] = static_cast<float>(c[i]);",
       false},
      {DType::cf32, "forgets_alpha_i", "T::Sum real = alpha->real(); alpha = &real; " + good,
       false},
      {DType::cf32, "forgets_beta_i", "T::Sum real = beta->real(); beta = &real; " + good, false},
      {DType::cf32, "conjugates", good + "if (k == 1) c[0] = std::conj(c[0]);", false},
      {DType::i8, "saturates",
       "const auto term = std::int64_t{*beta} * c[0]; " + good +
           " if (term > 2147483647) c[0] = 2147483647;",
       false},
  };
  for (std::size_t first = 0; first < table.size();) {
    std::vector<bench::BenchKernel> kernels;
    std::size_t last = first;
    for (; last < table.size() && table[last].dtype == table[first].dtype; ++last)
      kernels.push_back(kernel(table[last].name, table[last].body, 9, 3,
                               {KernelForm::Along::m, KernelForm::COrder::column_major, 8, false}));
    // A kernel that also takes 8 rows, for the breach at the smallest size.
    for (auto& one : kernels) {
      if (one.source.id == "least_only") one.m_r = 16, one.form.lanes = 16;
    }
    const auto program = bench.build(table[first].dtype, kernels);
    for (; first < last; ++first) {
      const auto result =
          bench.run(program, {"--verify-only", "--k", "256", "--id", table[first].name});
      if (table[first].crash) {
        EXPECT_EQ(result.outcome, boards::Outcome::crash) << table[first].name << result.output;
      } else {
        EXPECT_EQ(result.status, 1) << table[first].name << result.output;
        EXPECT_NE(result.output.find("\"correct\":false"), std::string::npos)
            << table[first].name << result.output << result.reason;
      }
    }
  }
}

}  // namespace
}  // namespace quern
