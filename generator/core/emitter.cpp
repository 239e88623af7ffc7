#include "generator/core/emitter.h"

namespace quern::generator {

KernelPoint Emitter::complete(KernelPoint point, const Target& target) const {
  point.family = family();
  for (const Parameter& parameter : parameters(target)) {
    point.choices.try_emplace(parameter.name, parameter.values.front());
  }
  return point;
}

}  // namespace quern::generator
