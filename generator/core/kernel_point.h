// A kernel point: one choice of every generator parameter.
//
//     rvv-f32-16x15-m1-vf-v256
//     |   |   |  |   `------- the emitter's own choices, in the order in which it declares them
//     |   |   `--`----------- m_r x n_r
//     |   `------------------ element type
//     `---------------------- emitter family
//
// Points are plain values. What the choices mean, which values they take and which combinations are
// valid is the emitter's business (emitter.h).
#pragma once

#include <map>
#include <string>

#include "generator/core/dtype.h"

namespace quern::generator {

struct KernelPoint {
  std::string family;  // "rvv"
  DType dtype = DType::f32;
  int m_r = 0;                                 // rows of the micro-tile, in elements
  int n_r = 0;                                 // columns of the micro-tile, in elements
  std::map<std::string, std::string> choices;  // emitter parameter -> value, e.g. {"lmul", "1"}

  friend bool operator==(const KernelPoint&, const KernelPoint&) = default;
};

}  // namespace quern::generator
