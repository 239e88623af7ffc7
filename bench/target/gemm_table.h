// The kernel families that a GEMM bench program holds; defined by the generated half of the
// program.
#pragma once

#include "gemm/blocking.h"
#include "gemm/kernel_family.h"

namespace quern::bench {

struct FamilyEntry {
  gemm::KernelFamily<gemm::f32> family;
  gemm::Blocking blocking;
};

extern const FamilyEntry family_table[];
extern const int family_count;

}  // namespace quern::bench
