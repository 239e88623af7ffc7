// Writes a micro-kernel as C with RVV 1.0 intrinsics, to be read as well as compiled.
#pragma once

#include <string>

#include "generator/core/kernel_point.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {

// The whole file. `id` is the point's id, `symbol` the function's name. The function is what
// gemm/micro_kernel.h calls a MicroKernel.
std::string intrinsics_c(const KernelPoint& point, const Tile& tile, const std::string& id,
                         const std::string& symbol);

}  // namespace quern::generator::rvv
