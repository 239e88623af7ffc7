#include "bench/gemm_program.h"

#include <algorithm>

#include "base/error.h"
#include "base/file.h"

namespace quern::bench {

std::string family_table_source(const KernelSet& set) {
  std::string out = "#include \"bench/target/gemm_table.h\"\n\nextern \"C\" {\n";
  for (const auto& family : set.families) {
    for (const auto& kernel : family.kernels) {
      out += fmt::format(
          "void {}(std::int64_t m, std::int64_t k, const float* alpha, const float* a, const "
          "float* b,\n"
          "    const float* beta, float* c, std::int64_t ldc);\n",
          kernel.symbol);
    }
  }
  out += "}\n\nnamespace quern::bench {\n";
  for (std::size_t i = 0; i < set.families.size(); ++i) {
    out += fmt::format("\nstatic constexpr gemm::MicroKernel<gemm::f32> kernels_{}[] = {{\n", i);
    for (const auto& kernel : set.families[i].kernels)
      out += fmt::format("    &{},\n", kernel.symbol);
    out += "};\n";
  }
  out += "\nconst FamilyEntry family_table[] = {\n";
  for (std::size_t i = 0; i < set.families.size(); ++i) {
    const auto& family = set.families[i];
    out += fmt::format(
        "    {{gemm::make_family<gemm::f32, {}, {}>(\"{}\", {}, kernels_{}), {{{}, {}, {}}}}},\n",
        family.point.m_r, family.point.n_r, family.kernels.back().id, family.lanes, i,
        family.blocking.m_c, family.blocking.n_c, family.blocking.k_c);
  }
  out += fmt::format("}};\nconst int family_count = {};\n\n}}  // namespace quern::bench\n",
                     set.families.size());
  return out;
}

std::filesystem::path build_gemm_program(const boards::Compiler& compiler,
                                         const std::filesystem::path& root, const KernelSet& set,
                                         const std::vector<std::string>& peers) {
  const auto own = [&](const char* name) {
    return boards::Unit{name, read_file(root / "bench/target" / name), {}};
  };
  std::vector<boards::Unit> units = {
      own("gemm_bench.cpp"), own("peers.cpp"),
      boards::Unit{"family_table.cpp", family_table_source(set), {}}};
  if (std::find(peers.begin(), peers.end(), "eigen") != peers.end()) {
    units[1].flags = {"-DQUERN_WITH_EIGEN"};
    units.push_back(own("peer_eigen.cpp"));
    units.back().flags = {"-isystem",
                          (compiler.toolchain().sysroot / "usr/include/eigen3").string()};
  }
  for (const auto& family : set.families) {
    for (const auto& kernel : family.kernels)
      units.push_back({kernel.id + kernel.extension, kernel.source, {}});
  }
  std::vector<std::filesystem::path> objects;
  for (const auto& object : compiler.compile(units)) {
    if (!object.good)
      throw make_error(ExitCode::tool_missing, "cannot compile the GEMM bench program:\n{}",
                       object.log);
    objects.push_back(object.file);
  }
  const auto linked = compiler.link("gemm_bench", objects);
  if (!linked.good)
    throw make_error(ExitCode::tool_missing, "cannot link the GEMM bench program:\n{}", linked.log);
  return linked.file;
}

}  // namespace quern::bench
