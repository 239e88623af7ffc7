// The RVV 1.0 family: vectors along m, `vfmacc.vf` with a scalar from the B panel, fixed VLEN.
//
//     point -> tile (tile.h), schedule (loop_body.h) -> C (intrinsics_c.h) or assembly (assembly.h)
#pragma once

#include "generator/core/emitter.h"

namespace quern::generator::rvv {

class RvvEmitter : public Emitter {
 public:
  std::string family() const override { return "rvv"; }
  std::vector<Parameter> parameters(const Target& target) const override;
  std::vector<std::string> constraints() const override;
  std::string id(const KernelPoint& point) const override;
  KernelPoint parse_id(const std::string& id) const override;
  std::vector<Violation> violations(const KernelPoint& point, const Target& target) const override;
  KernelForm form_of(const KernelPoint& point) const override;
  Family family_of(const KernelPoint& point) const override;
  Kernel emit(const KernelPoint& point, const Target& target) const override;

 private:
  static std::vector<Violation> resources(const KernelPoint& point);
  static KernelPoint plainer(KernelPoint point);
};

}  // namespace quern::generator::rvv
