#include "bench/kernel_set.h"

#include "base/error.h"
#include "base/file.h"
#include "generator/core/space.h"

namespace quern::bench {
namespace {

// The tile for a board that nobody has tuned: of the valid ones the one that does the most
// multiplications per element loaded, m_r * n_r / (m_r + n_r), which is also what keeps most
// accumulators in registers.
generator::KernelPoint untuned_point(const boards::Board& board, generator::DType dtype) {
  const auto& emitter = generator::emitter(board.kind);
  std::map<std::string, std::string> fixed;
  for (const auto& parameter : emitter.parameters(board.target()))
    fixed[parameter.name] = parameter.values.front();
  auto space = generator::enumerate_space(emitter, board.target(), dtype, {}, {}, fixed);
  std::erase_if(space.points, [&](const auto& point) { return !emitter.form_of(point).blas(); });
  if (space.points.empty()) {
    throw make_error(ExitCode::nothing_valid, "no {} kernel is valid on {}",
                     generator::info(dtype).name, board.name);
  }
  const auto merit = [](const generator::KernelPoint& p) {
    return double(p.m_r) * p.n_r / (p.m_r + p.n_r);
  };
  const generator::KernelPoint* best = &space.points.front();
  for (const auto& point : space.points) {
    if (merit(point) > merit(*best)) best = &point;
  }
  return *best;
}

}  // namespace

std::string not_for_gemm(const generator::KernelForm& form) {
  using Form = generator::KernelForm;
  if (form.along != Form::Along::m) return "its vectors run along n, BLAS wants them along m";
  if (form.c_order != Form::COrder::column_major)
    return "its C is row-major, BLAS has it column-major";
  if (form.any_vlen) return "it is for any VLEN, so its tile has no fixed size to pack for";
  return {};
}

gemm::MemoryGeometry memory_geometry(const boards::Board& board) {
  gemm::MemoryGeometry memory;
  for (const auto& cache : board.caches) {
    gemm::CacheGeometry& target = cache.level == 1   ? memory.l1
                                  : cache.level == 2 ? memory.l2
                                                     : memory.l3;
    target = {cache.bytes, cache.ways, cache.line};
  }
  // A board file may leave its caches out; 32 KB, 4-way, 64 B lines is the smallest L1 of the
  // boards known.
  if (memory.l1.bytes == 0) memory.l1 = {32768, 4, 64};
  return memory;
}

KernelFamilySource make_family(const boards::Board& board, const generator::KernelPoint& point) {
  const auto& emitter = generator::emitter(board.kind);
  const auto family = emitter.family_of(point);
  KernelFamilySource out{point, family.lanes, {}, {}};
  out.blocking = gemm::analytical_blocking(
      memory_geometry(board), point.m_r, point.n_r,
      generator::info(point.dtype).panel_bits / 8 * generator::info(point.dtype).parts);
  for (const auto& edge : family.points) out.kernels.push_back(emitter.emit(edge, board.target()));
  return out;
}

KernelSet load_kernel_set(const std::filesystem::path& root, const boards::Board& board,
                          generator::DType dtype) {
  const auto folder = root / "kernels" / board.name;
  const auto file = folder / "tuned.json";
  if (!std::filesystem::exists(file)) {
    return {false, {make_family(board, untuned_point(board, dtype))}};
  }
  const Json document = read_json(file);
  validate_json(document, read_json(root / "kernels/tuned.schema.json"), file.string());
  const auto& emitter = generator::emitter(board.kind);
  KernelSet set{true, {}};
  for (std::size_t i = 0; i < document["families"].size(); ++i) {
    const Json& entry = document["families"][i];
    if (generator::parse_dtype(entry["dtype"].get<std::string>()) != dtype) continue;
    const auto point = emitter.parse_id(entry["id"]);
    if (const auto broken = emitter.violations(point, board.target()); !broken.empty()) {
      throw bad_input("{}: /families/{}/id: not valid on {}: {}", file.string(), i, board.name,
                      broken.front().reason);
    }
    if (const auto why = not_for_gemm(emitter.form_of(point)); !why.empty()) {
      throw bad_input("{}: /families/{}/id: {}: a GEMM cannot be built from it: {}", file.string(),
                      i, emitter.id(point), why);
    }
    KernelFamilySource family = make_family(board, point);
    family.blocking = {entry.value("m_c", family.blocking.m_c),
                       entry.value("n_c", family.blocking.n_c),
                       entry.value("k_c", family.blocking.k_c)};
    for (auto& kernel : family.kernels)
      kernel.source = read_file(folder / (kernel.id + kernel.extension));
    set.families.push_back(std::move(family));
  }
  if (set.families.empty()) return {false, {make_family(board, untuned_point(board, dtype))}};
  return set;
}

}  // namespace quern::bench
