#include "generator/snitch/staging.h"

#include <fmt/format.h>

#include <algorithm>

namespace quern::generator::snitch {
namespace {

constexpr std::int64_t kOffset = 2047;  // of a load or store
constexpr std::size_t kRegisters = 15;  // elements in flight

}  // namespace

std::vector<std::int64_t> Staging::loads(std::int64_t unroll) const {
  std::vector<std::int64_t> result;
  for (std::int64_t e = 0; e < unroll; ++e) {
    for (const StagedCopy& copy : copies) result.push_back(copy.source + source_step * e);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::int64_t Staging::unroll() const {
  std::int64_t most = 1;
  for (std::int64_t u = 2; u <= std::min<std::int64_t>(count, 8); ++u) {
    if (target_step * u > kOffset / 2 || loads(u).size() > kRegisters) break;
    most = u;
  }
  return most;
}

double Staging::row_cycles() const {
  // In a long block, copies that walk over the same elements load each of them once.
  std::size_t loaded = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    bool again = false;
    for (std::size_t j = 0; j < i; ++j) {
      again |= (copies[i].source - copies[j].source) % source_step == 0;
    }
    if (!again) ++loaded;
  }
  constexpr double kBlocks = 0.9, kRow = 6;  // halo and loop of each element's share
  const double far = source_step > kOffset / 8 ? 1 : 0;
  return (static_cast<double>(loaded + copies.size()) + kBlocks + far) *
             static_cast<double>(count) +
         kRow;
}

std::string print(const Staging& s) {
  const auto at = [](std::int64_t offset) {
    return offset == 0 ? std::string() : fmt::format(" at {}", offset);
  };
  std::string text = fmt::format("{}x{} ({},{}) of a{}{}, {} bytes -> ({},{}){}", s.count, s.rows,
                                 s.source_step, s.row, s.argument, at(s.offset), s.element,
                                 s.target_step, s.target_row, at(s.target));
  const bool one = s.copies.size() == 1 && s.copies[0].source == 0 && s.copies[0].target == 0;
  for (std::size_t i = 0; i < s.copies.size() && !one; ++i) {
    const StagedCopy& c = s.copies[i];
    text += fmt::format("{} {} to {}{}", i == 0 ? ":" : ",", c.source, c.target,
                        c.bytes > s.element ? " and zeros" : "");
  }
  if (s.halo > 0) text += fmt::format("; at first {} row{} more", s.halo, s.halo == 1 ? "" : "s");
  if (s.alternating) text += "; two buffers";
  return text;
}

}  // namespace quern::generator::snitch
