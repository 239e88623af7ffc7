#include "generator/core/space.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/interrupt.h"

namespace quern::generator {
namespace {

// The values of a parameter that a space takes.
std::vector<std::string> values_of(const Parameter& parameter,
                                   const std::map<std::string, std::string>& asked) {
  const auto found = asked.find(parameter.name);
  if (found == asked.end()) {
    if (parameter.varied) return parameter.values;
    return {parameter.values.front()};
  }
  if (found->second == "all") return parameter.values;
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= found->second.size();) {
    const auto end = std::min(found->second.find(',', at), found->second.size());
    const std::string value = found->second.substr(at, end - at);
    if (std::ranges::find(parameter.values, value) == parameter.values.end()) {
      throw bad_input("--{}: \"{}\": expected all, or some of {}", parameter.name, found->second,
                      fmt::join(parameter.values, ", "));
    }
    if (std::ranges::find(out, value) == out.end()) out.push_back(value);
    at = end + 1;
  }
  return out;
}

struct Axis {
  std::string name;
  std::vector<std::string> values;
};

// Calls visit for every combination of the axes from `at` on.
void for_each_choice(const std::vector<Axis>& axes, std::size_t at, KernelPoint& point,
                     const auto& visit) {
  if (at == axes.size()) return visit(point);
  for (const std::string& value : axes[at].values) {
    point.choices[axes[at].name] = value;
    for_each_choice(axes, at + 1, point, visit);
  }
}

}  // namespace

Space enumerate_space(const Emitter& emitter, const Target& target, DType dtype, Range m_r,
                      Range n_r, const std::map<std::string, std::string>& asked) {
  Space space;
  for (const std::string& constraint : emitter.constraints()) space.rejected[constraint] = 0;
  std::vector<Axis> axes;
  for (const Parameter& parameter : emitter.parameters(target))
    axes.push_back({parameter.name, values_of(parameter, asked)});
  KernelPoint point;
  point.family = emitter.family();
  point.dtype = dtype;
  for (point.m_r = m_r.first; point.m_r <= m_r.last; ++point.m_r) {
    for (point.n_r = n_r.first; point.n_r <= n_r.last; ++point.n_r) {
      if (interrupted()) throw make_error(ExitCode::interrupted, "interrupted");
      for_each_choice(axes, 0, point, [&](const KernelPoint& candidate) {
        const auto violations = emitter.violations(candidate, target);
        if (violations.empty()) {
          space.points.push_back(candidate);
        } else {
          ++space.rejected[violations.front().constraint];
        }
      });
    }
  }
  return space;
}

}  // namespace quern::generator
