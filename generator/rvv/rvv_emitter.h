// The RVV 1.0 family: a GEMM micro-kernel whose C tile stays in vector registers for the whole of
// k.
//
//     point -> choices (choices.h) -> tile (tile.h) and schedule (schedule.h) -> loop (loop_body.h)
//           -> C (intrinsics_c.h) or assembly (assembly.h)
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
};

}  // namespace quern::generator::rvv
