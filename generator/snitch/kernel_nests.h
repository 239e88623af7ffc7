// The kernels as loop nests (level 1).
#pragma once

#include <vector>

#include "generator/snitch/loop_nest.h"
#include "generator/snitch/point.h"

namespace quern::generator::snitch {

// One nest, or two when the output is filled first (reductions without the pass fuse_fill).
std::vector<LoopNest> loop_nests(const Point& point);

// Bytes of each pointer argument that the kernel touches, in the order a0, a1, ...
struct Buffer {
  std::string name;
  ScalarType type;
  std::int64_t elements;
  bool output;
  std::int64_t bytes() const { return elements * size_of(type); }
};
std::vector<Buffer> buffers(const Point& point);

}  // namespace quern::generator::snitch
