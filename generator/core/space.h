// The space of an emitter on a target: every combination of m_r, n_r and the emitter's choices,
// each either valid or rejected by the first constraint that it breaks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generator/core/emitter.h"

namespace quern::generator {

struct Range {
  int first = 1;
  int last = 32;
};

struct Space {
  std::vector<KernelPoint> points;  // the valid ones, m_r outermost
  std::map<std::string, int>
      rejected;  // constraint -> points that it removed (0 for idle constraints)
};

// `asked` says which values of a choice to take: one, several with commas between, or "all". A
// choice that it does not name takes all its values if it is a varied one, else its default. Throws
// bad_input for an unknown value.
Space enumerate_space(const Emitter& emitter, const Target& target, DType dtype, Range m_r,
                      Range n_r, const std::map<std::string, std::string>& asked = {});

}  // namespace quern::generator
