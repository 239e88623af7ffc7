#include "generator/core/space.h"

namespace quern::generator {
namespace {

// Calls visit for every combination of the parameters from `at` on.
void for_each_choice(const std::vector<Parameter>& parameters, std::size_t at,
                     const std::map<std::string, std::string>& fixed, KernelPoint& point,
                     const auto& visit) {
  if (at == parameters.size()) return visit(point);
  const Parameter& parameter = parameters[at];
  if (const auto pinned = fixed.find(parameter.name); pinned != fixed.end()) {
    point.choices[parameter.name] = pinned->second;
    return for_each_choice(parameters, at + 1, fixed, point, visit);
  }
  for (const std::string& value : parameter.values) {
    point.choices[parameter.name] = value;
    for_each_choice(parameters, at + 1, fixed, point, visit);
  }
}

}  // namespace

Space enumerate_space(const Emitter& emitter, const Target& target, DType dtype, Range m_r,
                      Range n_r, const std::map<std::string, std::string>& fixed) {
  Space space;
  for (const std::string& constraint : emitter.constraints()) space.rejected[constraint] = 0;
  const auto parameters = emitter.parameters(target);
  KernelPoint point;
  point.family = emitter.family();
  point.dtype = dtype;
  for (point.m_r = m_r.first; point.m_r <= m_r.last; ++point.m_r) {
    for (point.n_r = n_r.first; point.n_r <= n_r.last; ++point.n_r) {
      for_each_choice(parameters, 0, fixed, point, [&](const KernelPoint& candidate) {
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
