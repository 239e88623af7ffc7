#include "boards/timing/code_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace quern::timing {
namespace {

constexpr std::uint64_t most = 4096;  // a page: no address is known better

// The lowest set bit: the largest power of two that divides the number.
std::uint64_t divisor(std::uint64_t number) { return number == 0 ? most : number & (~number + 1); }

// Counted from the last place before it whose alignment is kept whatever the linker removes.
int alignment_of(const ElfFile& file, const ElfFunction& function, std::uint64_t address) {
  const ElfSection& section = file.sections[function.section];
  std::uint64_t place = section.address, alignment = std::max<std::uint64_t>(section.alignment, 1);
  if (!file.relocatable) place = 0, alignment = most;  // nothing moves any more
  for (const ElfAlignment& one : file.alignments) {
    if (one.section == function.section && one.address <= address && one.address >= place)
      place = one.address, alignment = one.alignment;
  }
  return static_cast<int>(std::min({alignment, divisor(address - place), most}));
}

}  // namespace

CodeQuality code_quality(const Parameters& parameters, const ElfFile& file,
                         const ElfFunction& function, int fmas_per_k) {
  CodeQuality out;
  out.prediction = predict(parameters, file, function);
  if (!out.prediction.has_loop) return out;
  const Prediction& loop = out.prediction;
  out.loop_alignment = alignment_of(file, function, function.address + loop.loop_offset);
  out.instructions_per_fma = static_cast<double>(loop.instructions) / loop.vector_fmas;
  out.k_per_iteration = k_per_iteration(loop, fmas_per_k);
  if (out.k_per_iteration == 0) return out;
  out.vsetvl_per_k = static_cast<double>(loop.vector_configures) / out.k_per_iteration;
  out.instructions_per_k = static_cast<double>(loop.instructions) / out.k_per_iteration;
  out.cycles_per_k = loop.cycles / out.k_per_iteration;
  return out;
}

std::string poor_code(const CodeQuality& quality) {
  const Prediction& loop = quality.prediction;
  std::string out;
  const auto add = [&](const std::string& what) { out += (out.empty() ? "" : ", ") + what; };
  if (loop.spills.total() > 0) {
    add(fmt::format("{} stack accesses ({} vector, {} scalar)", loop.spills.total(),
                    loop.spills.vector_loads + loop.spills.vector_stores,
                    loop.spills.scalar_loads + loop.spills.scalar_stores));
  }
  if (loop.vector_configures > 0) add(fmt::format("{} vsetvli", loop.vector_configures));
  if (out.empty()) return out;
  return fmt::format("the inner loop ({} multiply-accumulates) has {}", loop.vector_fmas, out);
}

}  // namespace quern::timing
