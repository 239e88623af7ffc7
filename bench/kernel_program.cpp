#include "bench/kernel_program.h"

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "base/file.h"
#include "bench/kernel_batch.h"

namespace quern::bench {

using generator::KernelForm;

std::set<std::string> extensions_of(generator::DType dtype) {
  switch (dtype) {
    case generator::DType::f16:
    case generator::DType::f16f32:
      return {"zvfh"};
    case generator::DType::bf16:
      return {"zvfbfwma"};
    default:
      return {};
  }
}

int fmas_per_k(const generator::KernelPoint& point) {
  const auto form = generator::emitter(point.family).form_of(point);
  if (form.lanes <= 0) return 0;
  const bool along_m = form.along == KernelForm::Along::m;
  const int along = along_m ? point.m_r : point.n_r, across = along_m ? point.n_r : point.m_r;
  const int parts = generator::info(point.dtype).parts;
  return (along + form.lanes - 1) / form.lanes * across * parts * parts;
}

std::string kernel_table_source(const std::vector<BenchKernel>& kernels, int vlen) {
  std::string out =
      "#include \"bench/target/kernel_table.h\"\n\n"
      "using Sum = quern::bench::Types::Sum;\nusing Panel = quern::bench::Types::Panel;\n\n"
      "extern \"C\" {\n";
  for (const BenchKernel& kernel : kernels) {
    out += fmt::format(
        "void {}(std::int64_t along, std::int64_t k, const Sum* alpha, const Panel* a,\n"
        "    const Panel* b, const Sum* beta, Sum* c, std::int64_t ldc);\n",
        kernel.source.symbol);
  }
  out += "}\n\nnamespace quern::bench {\n\nconst KernelEntry kernel_table[] = {\n";
  for (const BenchKernel& kernel : kernels) {
    const bool by_rows = kernel.form.c_order == KernelForm::COrder::row_major;
    out += fmt::format("    {{\"{}\", {}, {}, Along::{}, COrder::{}, {}, {}, {}, &{}}},\n",
                       kernel.source.id, kernel.m_r, kernel.n_r,
                       kernel.form.along == KernelForm::Along::m ? "m" : "n",
                       by_rows ? "row_major" : "column_major", kernel.form.lanes, vlen,
                       kernel.form.any_vlen, kernel.source.symbol);
  }
  out += fmt::format("}};\nconst int kernel_count = {};\n\n}}  // namespace quern::bench\n",
                     kernels.size());
  return out;
}

KernelProgram build_kernel_program(const boards::Compiler& compiler,
                                   const std::filesystem::path& root, generator::DType dtype,
                                   int vlen, const std::vector<BenchKernel>& kernels) {
  KernelProgram out;
  out.needs = extensions_of(dtype);
  for (const BenchKernel& kernel : kernels) out.sources.push_back(kernel.source);
  out.kernels = compile_kernels(compiler, out.sources);

  std::vector<std::filesystem::path> objects;  // each once, in the order of the kernels
  std::vector<BenchKernel> good;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!out.kernels[i].good) continue;
    if (std::ranges::find(objects, out.kernels[i].file) == objects.end())
      objects.push_back(out.kernels[i].file);
    good.push_back(kernels[i]);
  }
  if (good.empty()) return out;
  const std::string type = fmt::format("-DQUERN_DTYPE={}", generator::info(dtype).name);
  // The checks are not vectorised: QEMU 7.2 stops with an assertion when a block's first rounding
  // vector instruction is a conversion to integers (fixed upstream in 8.1). No time is taken of
  // them.
  const std::vector<std::string> checks = {type, "-fno-vectorize", "-fno-slp-vectorize"};
  for (const auto& part : compiler.compile(
           {boards::Unit{"kernel_table.cpp", kernel_table_source(good, vlen), {type}},
            boards::Unit{"kernel_bench.cpp", read_file(root / "bench/target/kernel_bench.cpp"),
                         checks}})) {
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

KernelProgram build_kernel_program(const boards::Compiler& compiler,
                                   const std::filesystem::path& root, const boards::Board& board,
                                   const std::vector<generator::KernelPoint>& points) {
  if (points.empty()) return {};
  const auto& emitter = generator::emitter(board.kind);
  std::vector<BenchKernel> kernels;
  for (const auto& point : points) {
    if (point.dtype != points.front().dtype)
      throw std::logic_error("a kernel program holds kernels of one type");
    kernels.push_back(
        {emitter.emit(point, board.target()), point.m_r, point.n_r, emitter.form_of(point)});
  }
  return build_kernel_program(compiler, root, points.front().dtype, board.vlen, kernels);
}

}  // namespace quern::bench
