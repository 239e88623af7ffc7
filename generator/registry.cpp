// The emitters: one line each.
#include <algorithm>

#include "base/error.h"
#include "generator/core/emitter.h"
#include "generator/rvv/rvv_emitter.h"

namespace quern::generator {

std::span<const Emitter* const> emitters() {
  static const rvv::RvvEmitter rvv;
  static const Emitter* const all[] = {&rvv};
  return all;
}

const Emitter& emitter(const std::string& family) {
  for (const Emitter* candidate : emitters()) {
    if (candidate->family() == family) return *candidate;
  }
  throw bad_input(
      "boards of kind \"{}\" have no m_r x n_r kernel points; see quern generate --help", family);
}

}  // namespace quern::generator
