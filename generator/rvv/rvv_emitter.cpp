#include "generator/rvv/rvv_emitter.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "base/error.h"
#include "generator/rvv/assembly.h"
#include "generator/rvv/choices.h"
#include "generator/rvv/intrinsics_c.h"
#include "generator/rvv/schedule.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {
namespace {

constexpr int vector_registers = 32;

// The extension that the type's multiply-accumulate needs.
constexpr const char* extension_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::f16f32:
      return "zvfh";
    case DType::bf16:
      return "zvfbfwma";
    default:
      return "v";
  }
}

using Violations = std::vector<Emitter::Violation>;

// What a kernel may use of the target.
Violations extensions(const KernelPoint& point, const Choices& choices, const Target& target) {
  const char* needed = extension_of(point.dtype);
  if (!target.extensions.contains(needed)) {
    return {{"extension", fmt::format("{} needs the extension {}, which the board lacks",
                                      info(point.dtype).name, needed)}};
  }
  if ((choices.c_prefetch == CPrefetch::zicbop || choices.panel_prefetch > 0) &&
      !target.extensions.contains("zicbop")) {
    return {
        {"extension", "prefetch instructions need the extension zicbop, which the board lacks"}};
  }
  return {};
}

// Vectors that a compiler wants room for beside those that the loop needs, since it loads early:
// where steps are unrolled, and where a vector meets so few scalars that it can be ahead of them.
// As found with clang 19 on every point of tests/kernel_space_test.cpp.
int spare_for_compiler(const Tile& tile, const Schedule& schedule) {
  const int unrolled = schedule.unroll > 1 ? 2 : 0;
  if (tile.scalars() <= 2) return unrolled + (tile.type.complex() ? 6 : 2);
  return unrolled + (tile.type.complex() ? 2 : 0);
}

// Combinations without a meaning, or without a way to write them.
Violations combinations(const Choices& choices, const Tile& tile, const Schedule& schedule) {
  if (tile.lmul.halves == 1 && !tile.type.widening()) {
    return {{"lmul",
             "LMUL 1/2 leaves half of each sum's register idle: it is for sums that are twice "
             "as wide"}};
  }
  if (tile.lmul.halves > 2 && tile.along <= tile.lanes / 2) {
    return {{"lmul", fmt::format("LMUL {} holds {} {}: {} fit into half of that", tile.lmul.text(),
                                 tile.lanes, tile.along_n ? "columns" : "rows", tile.along)}};
  }
  if (!choices.assembly && !schedule.plain()) {
    return {{"back end", "compilers undo a pipelined order and spill: it needs --emit asm"}};
  }
  const int used = tile.vector_registers(panel_groups(tile, schedule));
  const int spare = choices.assembly ? 0 : spare_for_compiler(tile, schedule);
  if (used <= vector_registers && used + spare * tile.lmul.registers() > vector_registers) {
    return {{"back end", fmt::format("a compiler would spill: {} of {} vector registers are taken, "
                                     "and it wants {} vectors to spare; --emit asm does not",
                                     used, vector_registers, spare)}};
  }
  if (choices.c_prefetch != CPrefetch::none && (!tile.unit_stride_c() || tile.any_vlen)) {
    return {{"prefetch", "C is asked for along its vectors, at a fixed VLEN"}};
  }
  if (schedule.operand != ScalarOperand::scalar && tile.type.dtype == DType::bf16 &&
      !choices.assembly) {
    return {{"operand", "C has no intrinsic that spreads a bfloat16: it needs --emit asm"}};
  }
  return {};
}

// What the tile and its schedule need of the machine's registers, whatever the target.
Violations resources(const Tile& tile, const Schedule& schedule) {
  const int groups = panel_groups(tile, schedule);
  if (tile.sum_lmul().halves > 16) {
    return {
        {"vector registers", fmt::format("sums of LMUL {} do not exist", tile.sum_lmul().text())}};
  }
  if (tile.vector_registers(groups) > vector_registers) {
    return {{"vector registers",
             fmt::format("{} accumulators of LMUL {} and {} {} vector{} of LMUL {} need {} of {} "
                         "registers",
                         tile.accumulators(), tile.sum_lmul().text(), groups,
                         tile.along_n ? 'B' : 'A', groups > 1 ? "s" : "", tile.lmul.text(),
                         tile.vector_registers(groups), vector_registers)}};
  }
  if (schedule.operand == ScalarOperand::scalar && tile.scalars() > scalar_registers_of(tile)) {
    return {{"scalar registers", fmt::format("a row of {} scalars needs as many of {} registers",
                                             tile.scalars(), scalar_registers_of(tile))}};
  }
  if (const auto reason = infeasible(tile, schedule)) {
    return {{reason->constraint, reason->reason}};
  }
  return {};
}

// An edge tile may be too small for the schedule of the full one: the nearest that it can have.
// Costs do not matter to whether a schedule by distance exists.
KernelPoint plainer(KernelPoint point) {
  static constexpr const char* look_aheads[] = {"16", "12", "8", "4", "0"};
  const std::string& asked = point.choices.at("pipeline");
  const int most = asked == "modulo" ? 8 : std::stoi(asked);
  for (const char* ahead : look_aheads) {
    if (std::stoi(ahead) > most) continue;
    point.choices["pipeline"] = ahead;
    if (std::string(ahead) == "0") {
      point.choices["buffers"] = "1";
      point.choices["loads"] = "spread";
    }
    if (resources(tile_of(point), schedule_of(point, {})).empty()) break;
  }
  return point;
}

}  // namespace

std::vector<Parameter> RvvEmitter::parameters(const Target& target) const {
  return choice_parameters(target);
}

std::vector<std::string> RvvEmitter::constraints() const {
  return {"tile size", "choices",  "extension",  "vlen",
          "lmul",      "back end", "prefetch",   "vector registers",
          "operand",   "rotation", "look-ahead", "scalar registers"};
}

std::string RvvEmitter::id(const KernelPoint& point) const {
  return fmt::format("rvv-{}-{}x{}-{}", info(point.dtype).name, point.m_r, point.n_r,
                     choices_id(point));
}

KernelPoint RvvEmitter::parse_id(const std::string& id) const {
  static const std::regex form(R"(rvv-(\w+)-(\d{1,3})x(\d{1,3})-(.+))");
  std::smatch part;
  KernelPoint point{"rvv", DType::f32, 0, 0, {}};
  if (!std::regex_match(id, part, form) || !parse_dtype(part[1].str()) ||
      !parse_choices_id(part[4], point)) {
    throw bad_input("\"{}\" is not a kernel point id: expected e.g. rvv-f32-16x15-m1-vf-v256", id);
  }
  point.dtype = *parse_dtype(part[1].str());
  point.m_r = std::stoi(part[2]);
  point.n_r = std::stoi(part[3]);
  return point;
}

Violations RvvEmitter::violations(const KernelPoint& point, const Target& target) const {
  if (point.m_r < 1 || point.n_r < 1 || point.m_r > 1024 || point.n_r > 1024) {
    return {{"tile size",
             fmt::format("m_r x n_r = {}x{}: both must be 1 or more", point.m_r, point.n_r)}};
  }
  if (const std::string unknown = unknown_choice(point); !unknown.empty())
    return {{"choices", unknown}};
  const Choices choices = choices_of(point);
  if (auto found = extensions(point, choices, target); !found.empty()) return found;
  if (choices.vlen != target.vlen) {
    return {{"vlen", fmt::format("made for VLEN {}, the board has {}", choices.vlen, target.vlen)}};
  }
  const Tile tile = tile_of(point);
  const Schedule schedule = schedule_of(point, target.costs);
  if (auto found = combinations(choices, tile, schedule); !found.empty()) return found;
  return resources(tile, schedule);
}

KernelForm RvvEmitter::form_of(const KernelPoint& point) const {
  const Tile tile = tile_of(point);
  return {tile.along_n ? KernelForm::Along::n : KernelForm::Along::m,
          tile.c_row_major ? KernelForm::COrder::row_major : KernelForm::COrder::column_major,
          tile.lanes, tile.any_vlen};
}

Emitter::Family RvvEmitter::family_of(const KernelPoint& point) const {
  const Tile tile = tile_of(point);
  Family family{tile.lanes, {}};
  for (int v = 1; v <= tile.vector_rows; ++v) {
    for (int across = 1; across <= tile.across; ++across) {
      const bool full = v == tile.vector_rows && across == tile.across;
      KernelPoint edge = point;
      (tile.along_n ? edge.n_r : edge.m_r) = std::min(v * tile.lanes, tile.along);
      (tile.along_n ? edge.m_r : edge.n_r) = across;
      family.points.push_back(full ? edge : plainer(edge));
    }
  }
  return family;
}

Kernel RvvEmitter::emit(const KernelPoint& point, const Target& target) const {
  const std::string name = id(point);
  if (const auto broken = violations(point, target); !broken.empty()) {
    throw bad_input("{}: {}", name, broken.front().reason);
  }
  std::string symbol = "quern_" + name;
  std::ranges::replace(symbol, '-', '_');
  const Tile tile = tile_of(point);
  if (point.choices.at("emit") == "asm") {
    return {name, symbol, assembly(point, tile, schedule_of(point, target.costs), name, symbol),
            ".S"};
  }
  return {name, symbol, intrinsics_c(point, tile, name, symbol), ".c"};
}

}  // namespace quern::generator::rvv
