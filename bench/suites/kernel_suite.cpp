// How many kernels a second are made: points to source texts, and texts to objects. A sweep of ten
// thousand points should spend its time on measuring.
//
//   benchmarks --benchmark_filter=Generate
//
// Figures are of this host (wall clock), and the compiler takes all its processors.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include "base/error.h"
#include "bench/kernel_batch.h"
#include "generator/core/space.h"

namespace quern {
namespace {

const std::filesystem::path root = QUERN_SOURCE_DIR;

// Points all over the space of a board, `count` of them.
std::vector<generator::KernelPoint> points(const boards::Board& board, generator::DType dtype,
                                           const std::string& back_end, std::size_t count) {
  const auto space = generator::enumerate_space(generator::emitter(board.kind), board.target(),
                                                dtype, {1, 24}, {1, 16}, {{"emit", back_end}});
  std::vector<generator::KernelPoint> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(space.points[space.points.size() * i / count]);
  return out;
}

std::vector<generator::Kernel> emit(const boards::Board& board,
                                    const std::vector<generator::KernelPoint>& from) {
  const auto& emitter = generator::emitter(board.kind);
  const auto target = board.target();
  std::vector<generator::Kernel> out;
  for (const auto& point : from) out.push_back(emitter.emit(point, target));
  return out;
}

void per_second(benchmark::State& state, std::size_t kernels) {
  state.counters["kernels/s"] = benchmark::Counter(static_cast<double>(kernels),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

void generate(benchmark::State& state, generator::DType dtype, const char* back_end) {
  const auto board = boards::load_board(root, "bpi-f3");
  const auto from = points(board, dtype, back_end, 500);
  for (auto _ : state) benchmark::DoNotOptimize(emit(board, from));
  per_second(state, from.size());
}

// In batches, or each by itself; nothing is in the object cache.
void compile(benchmark::State& state, const char* back_end, bool batches) {
  const auto board = boards::load_board(root, "bpi-f3");
  const auto real = boards::find_toolchain(boards::build_folder(root));
  setenv("QUERN_SYSROOT", real.sysroot.c_str(), 1);
  const auto kernels =
      emit(board, points(board, generator::DType::f32, back_end, batches ? 256 : 32));
  for (auto _ : state) {
    state.PauseTiming();
    std::string folder = (std::filesystem::temp_directory_path() / "quern-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw bad_input("{}: cannot make a folder", folder);
    const boards::Compiler compiler(board, root, folder);
    std::vector<boards::Unit> units;
    for (const auto& kernel : kernels)
      units.push_back({kernel.id + kernel.extension, kernel.source});
    state.ResumeTiming();
    const auto objects =
        batches ? bench::compile_kernels(compiler, kernels) : compiler.compile(units);
    state.PauseTiming();
    for (const auto& object : objects) {
      if (!object.good) throw bad_input("does not compile: {}", object.log);
    }
    std::filesystem::remove_all(folder);
    state.ResumeTiming();
  }
  per_second(state, kernels.size());
}

using generator::DType;

BENCHMARK_CAPTURE(generate, c_f32, DType::f32, "c")->Name("Generate/c/f32")->UseRealTime();
BENCHMARK_CAPTURE(generate, asm_f32, DType::f32, "asm")->Name("Generate/asm/f32")->UseRealTime();
BENCHMARK_CAPTURE(generate, asm_cf64, DType::cf64, "asm")->Name("Generate/asm/cf64")->UseRealTime();
BENCHMARK_CAPTURE(compile, c_single, "c", false)
    ->Name("Compile/c/one by one")
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK_CAPTURE(compile, c_batch, "c", true)
    ->Name("Compile/c/batches")
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK_CAPTURE(compile, asm_single, "asm", false)
    ->Name("Compile/asm/one by one")
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK_CAPTURE(compile, asm_batch, "asm", true)
    ->Name("Compile/asm/batches")
    ->Iterations(1)
    ->UseRealTime();

}  // namespace
}  // namespace quern
