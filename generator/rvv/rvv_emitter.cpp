#include "generator/rvv/rvv_emitter.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "base/error.h"
#include "generator/rvv/assembly.h"
#include "generator/rvv/intrinsics_c.h"
#include "generator/rvv/loop_body.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {
namespace {

constexpr int vector_registers = 32;
// The vector ISA and element types need these extensions.
constexpr const char* extension_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "v";
    default:
      return "of a type that the emitter does not know yet";
  }
}

}  // namespace

std::vector<Parameter> RvvEmitter::parameters(const Target& target) const {
  return {
      {"lmul", {"1", "2", "4"}, "registers in one vector value (LMUL)"},
      {"b", {"vf"}, "how a B element meets the A vector: vf = vfmacc.vf with a scalar register"},
      {"buffers", {"1", "2"}, "register groups through which the A vectors rotate"},
      {"unroll", {"1", "2", "4"}, "k steps in an iteration of the loop"},
      {"pipeline",
       {"0", "4", "8", "12", "16"},
       "FMAs by which loads of B run ahead of their use (A: 4 more)"},
      {"emit", {"c", "asm"}, "C with intrinsics, or assembly, which keeps its schedule"},
      {"vlen",
       {std::to_string(target.vlen)},
       "bits of a vector register that the kernel is made for",
       true},
  };
}

std::vector<std::string> RvvEmitter::constraints() const {
  return {"tile size",        "choices",  "extension", "vlen",       "lmul",
          "vector registers", "back end", "rotation",  "look-ahead", "scalar registers"};
}

std::string RvvEmitter::id(const KernelPoint& point) const {
  // Plain choices are not spelt out.
  const auto unless = [&](const char* name, const char* plain, const char* letter) {
    const std::string& value = point.choices.at(name);
    return value == plain ? "" : fmt::format("-{}{}", letter, value);
  };
  return fmt::format("rvv-{}-{}x{}-m{}-{}{}{}{}{}-v{}", info(point.dtype).name, point.m_r,
                     point.n_r, point.choices.at("lmul"), point.choices.at("b"),
                     unless("buffers", "1", "a"), unless("unroll", "1", "u"),
                     unless("pipeline", "0", "p"), unless("emit", "c", ""),
                     point.choices.at("vlen"));
}

KernelPoint RvvEmitter::parse_id(const std::string& id) const {
  static const std::regex form(
      R"(rvv-(\w+)-(\d{1,3})x(\d{1,3})-m(\d)-(\w+?)(-a(\d))?(-u(\d))?(-p(\d{1,2}))?(-asm)?-v(\d{2,4}))");
  std::smatch part;
  if (!std::regex_match(id, part, form) || !parse_dtype(part[1].str())) {
    throw bad_input("\"{}\" is not a kernel point id: expected e.g. rvv-f32-16x15-m1-vf-v256", id);
  }
  const auto given = [&](std::size_t group, const char* plain) {
    return part[group].matched ? part[group].str() : plain;
  };
  return {"rvv",
          *parse_dtype(part[1].str()),
          std::stoi(part[2]),
          std::stoi(part[3]),
          {{"lmul", part[4]},
           {"b", part[5]},
           {"buffers", given(7, "1")},
           {"unroll", given(9, "1")},
           {"pipeline", given(11, "0")},
           {"emit", part[12].matched ? "asm" : "c"},
           {"vlen", part[13]}}};
}

std::vector<Emitter::Violation> RvvEmitter::violations(const KernelPoint& point,
                                                       const Target& target) const {
  if (point.m_r < 1 || point.n_r < 1 || point.m_r > 1024 || point.n_r > 1024) {
    return {{"tile size",
             fmt::format("m_r x n_r = {}x{}: both must be 1 or more", point.m_r, point.n_r)}};
  }
  static const std::vector<Parameter> known = parameters({});
  for (const Parameter& parameter : known) {
    const std::string& value = point.choices.at(parameter.name);
    if (!parameter.fixed_by_target &&
        std::ranges::find(parameter.values, value) == parameter.values.end()) {
      return {{"choices", fmt::format("{} = {}: expected one of {}", parameter.name, value,
                                      fmt::join(parameter.values, ", "))}};
    }
  }
  if (!target.extensions.contains(extension_of(point.dtype))) {
    return {{"extension", fmt::format("{} needs the extension {}, which the board lacks",
                                      info(point.dtype).name, extension_of(point.dtype))}};
  }
  if (point.choices.at("vlen") != std::to_string(target.vlen)) {
    return {{"vlen", fmt::format("made for VLEN {}, the board has {}", point.choices.at("vlen"),
                                 target.vlen)}};
  }
  return resources(point);
}

// What the tile and its schedule need of the machine's registers, whatever the target.
std::vector<Emitter::Violation> RvvEmitter::resources(const KernelPoint& point) {
  const Tile tile = tile_of(point);
  const Schedule schedule = schedule_of(point);
  if (tile.lmul > 1 && tile.m_r <= tile.lanes / 2) {
    return {{"lmul", fmt::format("LMUL {} holds {} rows: {} fit into half of that", tile.lmul,
                                 tile.lanes, tile.m_r)}};
  }
  if (tile.vector_registers(schedule.a_groups) > vector_registers) {
    return {{"vector registers",
             fmt::format("{} accumulators and {} A vector{} of LMUL {} need {} of {} registers",
                         tile.accumulators(), schedule.a_groups, schedule.a_groups > 1 ? "s" : "",
                         tile.lmul, tile.vector_registers(schedule.a_groups), vector_registers)}};
  }
  if (point.choices.at("emit") == "c" && !schedule.plain()) {
    return {{"back end",
             "compilers undo an unrolled or pipelined order and spill: it needs --emit asm"}};
  }
  if (const auto reason = infeasible(tile, schedule)) {
    return {{reason->constraint, reason->reason}};
  }
  return {};
}

// An edge tile may be too small for the schedule of the full one: the nearest that it can have.
KernelPoint RvvEmitter::plainer(KernelPoint point) {
  static constexpr const char* look_aheads[] = {"16", "12", "8", "4", "0"};
  for (const char* ahead : look_aheads) {
    if (std::stoi(ahead) > std::stoi(point.choices.at("pipeline"))) continue;
    point.choices["pipeline"] = ahead;
    if (std::string(ahead) == "0") point.choices["buffers"] = "1";
    if (resources(point).empty()) break;
  }
  return point;
}

KernelForm RvvEmitter::form_of(const KernelPoint& point) const {
  return {.lanes = tile_of(point).lanes};
}

Emitter::Family RvvEmitter::family_of(const KernelPoint& point) const {
  const Tile tile = tile_of(point);
  Family family{tile.lanes, {}};
  for (int v = 1; v <= tile.vector_rows; ++v) {
    for (int n = 1; n <= tile.n_r; ++n) {
      KernelPoint edge = point;
      edge.m_r = std::min(v * tile.lanes, tile.m_r);
      edge.n_r = n;
      family.points.push_back(plainer(edge));
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
    return {name, symbol, assembly(point, tile, schedule_of(point), name, symbol), ".S"};
  }
  return {name, symbol, intrinsics_c(point, tile, name, symbol), ".c"};
}

}  // namespace quern::generator::rvv
