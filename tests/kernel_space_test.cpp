// Every kernel point that is offered compiles, is right, and keeps its values in registers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "bench/kernel_program.h"
#include "boards/session.h"
#include "boards/timing/elf_file.h"
#include "boards/timing/predict.h"
#include "generator/core/space.h"

namespace quern {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

class KernelSpace : public testing::TestWithParam<const char*> {};

TEST_P(KernelSpace, EveryPointCompilesVerifiesAndDoesNotSpill) {
  const auto board = boards::load_board(root, GetParam());
  const boards::Compiler compiler(board, root, boards::build_folder(root));
  boards::Session session(board, "");
  const auto& emitter = generator::emitter("rvv");
  // All plain kernels, and of all others every 97th: a prime, so that all choices come by.
  std::map<std::string, std::string> plain;
  for (const auto& parameter : emitter.parameters(board.target()))
    plain[parameter.name] = parameter.values.front();
  auto space =
      generator::enumerate_space(emitter, board.target(), generator::DType::f32, {}, {}, plain);
  const auto all =
      generator::enumerate_space(emitter, board.target(), generator::DType::f32, {}, {});
  for (std::size_t i = 0; i < all.points.size(); i += 97) space.points.push_back(all.points[i]);
  std::ranges::sort(space.points, {}, [&](const auto& point) { return emitter.id(point); });
  const auto twice = std::ranges::unique(space.points);
  space.points.erase(twice.begin(), twice.end());
  const auto parameters = timing::load_parameters(board.document, board.file.string());
  const auto program = bench::build_kernel_program(compiler, root, board, space.points);
  ASSERT_EQ(program.kernels.size(), space.points.size());
  int loops = 0;
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    ASSERT_TRUE(program.kernels[i].good) << program.kernels[i].log;
    const auto file = timing::read_elf(program.kernels[i].file);
    const auto* function = file.find(program.sources[i].symbol);
    ASSERT_NE(function, nullptr) << program.sources[i].id;
    const auto prediction = timing::predict(parameters, file, *function);
    loops += prediction.has_loop;
    EXPECT_EQ(prediction.spills.total(), 0) << program.sources[i].id;
  }
  EXPECT_EQ(loops, static_cast<int>(space.points.size()))
      << "a kernel without its loop was not looked at";
  // k = 37 is prime, and longer than any unrolling.
  const auto run = session.transport().run({program.program, {"--verify-only", "--k", "37"}});
  EXPECT_EQ(run.outcome, boards::Outcome::ok) << run.reason << run.errors;
  std::size_t correct = 0;
  for (std::size_t at = 0; (at = run.output.find("\"correct\":true", at)) != std::string::npos;
       ++at)
    ++correct;
  EXPECT_EQ(correct, space.points.size()) << run.output;
}

std::string test_name(const testing::TestParamInfo<const char*>& board) {
  std::string name = board.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Boards, KernelSpace, testing::Values("bpi-f3", "k230"), test_name);

}  // namespace
}  // namespace quern
