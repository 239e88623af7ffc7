#include "generator/rvv/rvv_emitter.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "base/error.h"
#include "generator/rvv/intrinsics_c.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {
namespace {

constexpr int vector_registers = 32;
// The vector ISA and element types need these extensions.
constexpr const char* extension_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return "v";
  }
  return "";
}

}  // namespace

std::vector<Parameter> RvvEmitter::parameters(const Target& target) const {
  return {
      {"lmul", {"1"}, "registers in one vector value (LMUL)"},
      {"b", {"vf"}, "how a B element meets the A vector: vf = vfmacc.vf with a scalar register"},
      {"vlen",
       {std::to_string(target.vlen)},
       "bits of a vector register that the kernel is made for",
       true},
  };
}

std::vector<std::string> RvvEmitter::constraints() const {
  return {"tile size", "choices", "extension", "vlen", "vector registers"};
}

std::string RvvEmitter::id(const KernelPoint& point) const {
  return fmt::format("rvv-{}-{}x{}-m{}-{}-v{}", info(point.dtype).name, point.m_r, point.n_r,
                     point.choices.at("lmul"), point.choices.at("b"), point.choices.at("vlen"));
}

KernelPoint RvvEmitter::parse_id(const std::string& id) const {
  static const std::regex form(R"(rvv-(\w+)-(\d{1,3})x(\d{1,3})-m(\d)-(\w+)-v(\d{2,4}))");
  std::smatch part;
  if (!std::regex_match(id, part, form) || !parse_dtype(part[1].str())) {
    throw bad_input("\"{}\" is not a kernel point id: expected e.g. rvv-f32-16x15-m1-vf-v256", id);
  }
  return {"rvv",
          *parse_dtype(part[1].str()),
          std::stoi(part[2]),
          std::stoi(part[3]),
          {{"lmul", part[4]}, {"b", part[5]}, {"vlen", part[6]}}};
}

std::vector<Emitter::Violation> RvvEmitter::violations(const KernelPoint& point,
                                                       const Target& target) const {
  if (point.m_r < 1 || point.n_r < 1 || point.m_r > 1024 || point.n_r > 1024) {
    return {{"tile size",
             fmt::format("m_r x n_r = {}x{}: both must be 1 or more", point.m_r, point.n_r)}};
  }
  for (const Parameter& parameter : parameters(target)) {
    const std::string& value = point.choices.at(parameter.name);
    if (parameter.name != "vlen" &&
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
  const Tile tile = tile_of(point);
  if (tile.vector_registers() > vector_registers) {
    return {
        {"vector registers",
         fmt::format("{} accumulators and 1 A vector of LMUL {} need {} of {} registers",
                     tile.accumulators(), tile.lmul, tile.vector_registers(), vector_registers)}};
  }
  return {};
}

Emitter::Family RvvEmitter::family_of(const KernelPoint& point) const {
  const Tile tile = tile_of(point);
  Family family{tile.lanes, {}};
  for (int v = 1; v <= tile.vector_rows; ++v) {
    for (int n = 1; n <= tile.n_r; ++n) {
      KernelPoint edge = point;
      edge.m_r = std::min(v * tile.lanes, tile.m_r);
      edge.n_r = n;
      family.points.push_back(edge);
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
  return {name, symbol, intrinsics_c(point, tile_of(point), name, symbol), ".c"};
}

}  // namespace quern::generator::rvv
