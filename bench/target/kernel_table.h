// The kernels that a bench program holds: the generated half of the program defines the table, the
// written half runs it. All kernels of a program are of one type, QUERN_DTYPE (a name of
// gemm/element.h), which the compiler is told.
#pragma once

#include <cstdint>

#include "gemm/micro_kernel.h"

#ifndef QUERN_DTYPE
#error "QUERN_DTYPE: one of the types of gemm/element.h"
#endif

namespace quern::bench {

using Types = gemm::QUERN_DTYPE;

// Which way a kernel's vectors run over C, and which way C lies in memory.
enum class Along { m, n };
enum class COrder { column_major, row_major };

struct KernelEntry {
  const char* id;  // kernel point
  int m_r, n_r;
  Along along;
  COrder c_order;
  int lanes;      // elements of a vector at `vlen`
  int vlen;       // bits of a vector register that the point was made for
  bool any_vlen;  // takes whatever the machine has
  gemm::MicroKernel<Types> kernel;
};

// The sizes that a kernel takes in the direction of its vectors, on a machine of `vlen` bits.
struct Extent {
  std::int64_t least, full, most;
};
constexpr Extent extent(const KernelEntry& entry, int vlen) {
  const std::int64_t tile = entry.along == Along::m ? entry.m_r : entry.n_r;
  const std::int64_t vectors = (tile + entry.lanes - 1) / entry.lanes;
  if (!entry.any_vlen) return {(vectors - 1) * entry.lanes + 1, tile, tile};
  const std::int64_t lanes = static_cast<std::int64_t>(entry.lanes) * vlen / entry.vlen;
  const std::int64_t most = vectors * lanes;
  return {most - lanes + 1, vlen == entry.vlen ? tile : most, most};
}

extern const KernelEntry kernel_table[];
extern const int kernel_count;

}  // namespace quern::bench
