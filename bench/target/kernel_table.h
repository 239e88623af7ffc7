// The kernels that a bench program holds: the generated half of the program defines the table, the
// written half runs it.
#pragma once

#include "gemm/micro_kernel.h"

namespace quern::bench {

struct KernelEntry {
  const char* id;  // kernel point
  int m_r, n_r;
  int m_least;  // the fewest rows that the kernel takes
  gemm::MicroKernel<float> kernel;
};

extern const KernelEntry kernel_table[];
extern const int kernel_count;

}  // namespace quern::bench
