// Every kernel point that is offered compiles, is right, and has a loop without spills and vsetvli
// if that is up to us.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bench/kernel_program.h"
#include "boards/session.h"
#include "boards/timing/code_quality.h"
#include "boards/timing/elf_file.h"
#include "generator/core/space.h"

namespace quern {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

struct Row {
  const char* board;
  generator::DType dtype;
  std::size_t stride;  // of all points, every which one: a prime, so that all choices come by
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.board << " " << generator::info(row.dtype).name;
}

class KernelSpace : public testing::TestWithParam<Row> {};

TEST_P(KernelSpace, EveryPointCompilesVerifiesAndKeepsItsLoopClean) {
  const auto board = boards::load_board(root, GetParam().board);
  const boards::Compiler compiler(board, root, boards::build_folder(root));
  boards::Session session(board, "");
  const auto& emitter = generator::emitter("rvv");
  // All plain kernels, and some of all others.
  std::map<std::string, std::string> plain;
  for (const auto& parameter : emitter.parameters(board.target()))
    plain[parameter.name] = parameter.values.front();
  const auto dtype = GetParam().dtype;
  auto space = generator::enumerate_space(emitter, board.target(), dtype, {}, {}, plain);
  const auto all = generator::enumerate_space(emitter, board.target(), dtype, {}, {});
  for (std::size_t i = 0; i < all.points.size(); i += GetParam().stride)
    space.points.push_back(all.points[i]);
  std::ranges::sort(space.points, {}, [&](const auto& point) { return emitter.id(point); });
  const auto twice = std::ranges::unique(space.points);
  space.points.erase(twice.begin(), twice.end());
  const auto parameters = timing::load_parameters(board.document, board.file.string());
  const auto program = bench::build_kernel_program(compiler, root, board, space.points);
  ASSERT_EQ(program.kernels.size(), space.points.size());
  int loops = 0;
  std::filesystem::path path;
  timing::ElfFile file;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    ASSERT_TRUE(program.kernels[i].good) << program.kernels[i].log;
    if (program.kernels[i].file != path) {  // kernels of a batch share theirs
      path = program.kernels[i].file;
      file = timing::read_elf(path);
    }
    const auto* function = file.find(program.sources[i].symbol);
    ASSERT_NE(function, nullptr) << program.sources[i].id;
    const auto quality =
        timing::code_quality(parameters, file, *function, bench::fmas_per_k(space.points[i]));
    loops += quality.k_per_iteration > 0;
    EXPECT_EQ(timing::poor_code(quality), "") << program.sources[i].id;
  }
  EXPECT_EQ(loops, static_cast<int>(space.points.size()))
      << "a kernel without its loop was not looked at";
  // k = 37 is prime, and longer than any unrolling.
  boards::Program what{program.program, {"--verify-only", "--k", "37"}};
  what.needs = program.needs;
  const auto run = session.transport().run(what);
  EXPECT_EQ(run.outcome, boards::Outcome::ok) << run.reason << run.errors;
  std::size_t correct = 0;
  for (std::size_t at = 0; (at = run.output.find("\"correct\":true", at)) != std::string::npos;
       ++at)
    ++correct;
  EXPECT_EQ(correct, space.points.size()) << run.output;
}

std::string test_name(const testing::TestParamInfo<Row>& row) {
  std::string name = std::string(row.param.board) + "_";
  name += generator::info(row.param.dtype).name;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<Row> rows() {
  std::vector<Row> out;
  for (const char* board : {"bpi-f3", "k230", "generic-256"}) {
    for (const auto& info : generator::dtypes) {
      const bool plain = info.dtype == generator::DType::f32;
      // bfloat16 is on the generic board alone; all else is covered by the others.
      if ((info.dtype == generator::DType::bf16) == (std::string(board) == "generic-256"))
        out.push_back({board, info.dtype, plain ? 97u : 499u});
    }
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Boards, KernelSpace, testing::ValuesIn(rows()), test_name);

}  // namespace
}  // namespace quern
