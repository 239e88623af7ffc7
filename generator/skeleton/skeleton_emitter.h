// The smallest emitter there can be: what a new target starts from (docs/generator.md, "A new
// emitter"). It writes scalar C for any machine, one statement a multiply-accumulate:
//
//     const float a0 = a[0], a1 = a[1];
//     const float b0 = b[0];
//     c0_0 += a0 * b0;
//     c1_0 += a1 * b0;
//
// A row of C is a "vector" of one lane, so every m has a kernel of its own. It is built and tested,
// but not registered (generator/registry.cpp): no board is of its kind.
#pragma once

#include "generator/core/emitter.h"

namespace quern::generator::skeleton {

class SkeletonEmitter : public Emitter {
 public:
  std::string family() const override { return "skeleton"; }
  std::vector<Parameter> parameters(const Target& target) const override;
  std::vector<std::string> constraints() const override;
  std::string id(const KernelPoint& point) const override;
  KernelPoint parse_id(const std::string& id) const override;
  std::vector<Violation> violations(const KernelPoint& point, const Target& target) const override;
  KernelForm form_of(const KernelPoint& point) const override;
  Family family_of(const KernelPoint& point) const override;
  Kernel emit(const KernelPoint& point, const Target& target) const override;
};

}  // namespace quern::generator::skeleton
