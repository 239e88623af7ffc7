// A micro-kernel family in plain C++: the contract of micro_kernel.h in its simplest form. It lets
// the GEMM around the kernels be tested on any machine.
#pragma once

#include <array>
#include <utility>

#include "gemm/kernel_family.h"

namespace quern::gemm {

template <class T, int NR>
void plain_kernel(std::int64_t m, std::int64_t k, const T* alpha, const T* a, const T* b,
                  const T* beta, T* c, std::int64_t ldc) {
  for (int j = 0; j < NR; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      T sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum += a[p * m + i] * b[p * NR + j];
      T& place = c[j * ldc + i];
      place = *beta == T(0) ? *alpha * sum : *alpha * sum + *beta * place;
    }
  }
}

template <class T, int MR, int NR>
KernelFamily<T> plain_family() {
  static constexpr auto kernels = []<int... N>(std::integer_sequence<int, N...>) {
    return std::array<MicroKernel<T>, NR>{&plain_kernel<T, N + 1>...};
  }
  (std::make_integer_sequence<int, NR>());
  return make_family<T, MR, NR>("plain", MR, kernels.data());
}

}  // namespace quern::gemm
