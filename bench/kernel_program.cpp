#include "bench/kernel_program.h"

#include "base/error.h"
#include "base/file.h"

namespace quern::bench {

std::string kernel_table_source(const std::vector<generator::Kernel>& kernels,
                                const std::vector<generator::KernelPoint>& points) {
  std::string out = "#include \"bench/target/kernel_table.h\"\n\nextern \"C\" {\n";
  for (const auto& kernel : kernels) {
    out += fmt::format(
        "void {}(std::int64_t m, std::int64_t k, const float* alpha, const float* a, const float* "
        "b,\n"
        "    const float* beta, float* c, std::int64_t ldc);\n",
        kernel.symbol);
  }
  out += "}\n\nnamespace quern::bench {\n\nconst KernelEntry kernel_table[] = {\n";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const int lanes = generator::emitter(points[i].family).family_of(points[i]).lanes;
    out += fmt::format("    {{\"{}\", {}, {}, {}, &{}}},\n", kernels[i].id, points[i].m_r,
                       points[i].n_r, (points[i].m_r - 1) / lanes * lanes + 1, kernels[i].symbol);
  }
  out += fmt::format("}};\nconst int kernel_count = {};\n\n}}  // namespace quern::bench\n",
                     kernels.size());
  return out;
}

KernelProgram build_kernel_program(const boards::Compiler& compiler,
                                   const std::filesystem::path& root, const boards::Board& board,
                                   const std::vector<generator::KernelPoint>& points) {
  KernelProgram out;
  const auto& emitter = generator::emitter(board.kind);
  std::vector<boards::Unit> units;
  for (const auto& point : points) {
    out.sources.push_back(emitter.emit(point, board.target()));
    units.push_back(
        {out.sources.back().id + out.sources.back().extension, out.sources.back().source, {}});
  }
  out.kernels = compiler.compile(units);

  std::vector<std::filesystem::path> objects;
  std::vector<generator::Kernel> good;
  std::vector<generator::KernelPoint> good_points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!out.kernels[i].good) continue;
    objects.push_back(out.kernels[i].file);
    good.push_back(out.sources[i]);
    good_points.push_back(points[i]);
  }
  if (good.empty()) return out;
  for (const auto& part : compiler.compile(
           {boards::Unit{"kernel_table.cpp", kernel_table_source(good, good_points), {}},
            boards::Unit{
                "kernel_bench.cpp", read_file(root / "bench/target/kernel_bench.cpp"), {}}})) {
    // These two are ours and do not depend on the point: if they fail, the toolchain is at fault.
    if (!part.good)
      throw make_error(ExitCode::tool_missing, "cannot compile the bench program:\n{}", part.log);
    objects.push_back(part.file);
  }
  const auto linked = compiler.link("kernel_bench", objects);
  if (!linked.good)
    throw make_error(ExitCode::tool_missing, "cannot link the bench program:\n{}", linked.log);
  out.program = linked.file;
  return out;
}

}  // namespace quern::bench
