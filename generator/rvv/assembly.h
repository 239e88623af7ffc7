// Writes a micro-kernel as RISC-V assembly, in exactly the order that its loop body prescribes:
// compilers undo such schedules, and spill when they do.
//
//     entry | clear C | before -> loop -> last | remaining k steps | last step of a tail | update C
#pragma once

#include <string>

#include "generator/core/kernel_point.h"
#include "generator/rvv/loop_body.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {

// The whole file. `id` is the point's id, `symbol` the function's name. The function is what
// gemm/micro_kernel.h calls a MicroKernel.
std::string assembly(const KernelPoint& point, const Tile& tile, const Schedule& schedule,
                     const std::string& id, const std::string& symbol);

}  // namespace quern::generator::rvv
