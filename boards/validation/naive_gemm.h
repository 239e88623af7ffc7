// Target side of `quern validate-model`: the published configuration, written again from its
// description, so that model and paper speak of the same thing. Not part of the product's own GEMM.
//
//   kernel    c[i][j] += a[i] * b[j]: all A vectors loaded, then columns outermost, each with its
//   scalar load GEMM      GotoBLAS loops with k_c 64, m_c 1024, n_c 14336 for every tile; scalar
//   packing; one thread
//
// VALIDATION_M_R, VALIDATION_N_R and VALIDATION_VLEN are set by the host.
//   validation isolated K | naive M N K | openblas M N K
// prints {"what": ..., "seconds": ..., "gflops": ..., "timing": ...}.
#pragma once

#include <riscv_vector.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/target/modelled_clock.h"

extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*,
                            int, float, float*, int);

namespace quern::validation {

inline constexpr int lanes = VALIDATION_VLEN / 32;
inline constexpr int m_r = VALIDATION_M_R, n_r = VALIDATION_N_R;
inline constexpr int k_c = 64, m_c = 1024, n_c = 14336;
typedef vfloat32m1_t Vector __attribute__((riscv_rvv_vector_bits(VALIDATION_VLEN)));

using Kernel = void (*)(int64_t k, const float* a, const float* b, float* c, int64_t ldc,
                        size_t last, bool add);

// MV vectors of rows (the last with `last` rows) by N columns; panels of m_r rows and n_r columns.
template <int MV, int N>
void kernel(int64_t k, const float* a, const float* b, float* c, int64_t ldc, size_t last,
            bool add) {
  Vector sum[MV][N];
#pragma clang loop unroll(full)
  for (int j = 0; j < N; ++j)
#pragma clang loop unroll(full)
    for (int i = 0; i < MV; ++i)
      sum[i][j] = add ? __riscv_vle32_v_f32m1(c + j * ldc + i * lanes, i + 1 < MV ? lanes : last)
                      : __riscv_vfmv_v_f_f32m1(0, lanes);
#pragma clang loop unroll(disable)
  for (int64_t p = 0; p < k; ++p) {
    Vector column[MV];
#pragma clang loop unroll(full)
    for (int i = 0; i < MV; ++i) column[i] = __riscv_vle32_v_f32m1(a + i * lanes, lanes);
#pragma clang loop unroll(full)
    for (int j = 0; j < N; ++j)
#pragma clang loop unroll(full)
      for (int i = 0; i < MV; ++i)
        sum[i][j] = __riscv_vfmacc_vf_f32m1(sum[i][j], b[j], column[i], lanes);
    a += m_r;
    b += n_r;
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < N; ++j)
#pragma clang loop unroll(full)
    for (int i = 0; i < MV; ++i)
      __riscv_vse32_v_f32m1(c + j * ldc + i * lanes, sum[i][j], i + 1 < MV ? lanes : last);
}

template <int MV, int... N>
void fill_row(Kernel* row, std::integer_sequence<int, N...>) {
  ((row[N] = kernel<MV, N + 1>), ...);
}

inline constexpr int vectors = (m_r + lanes - 1) / lanes;

struct Kernels {
  Kernel of[vectors][n_r];
  Kernels() { fill(std::make_integer_sequence<int, vectors>()); }
  template <int... MV>
  void fill(std::integer_sequence<int, MV...>) {
    (fill_row<MV + 1>(of[MV], std::make_integer_sequence<int, n_r>()), ...);
  }
};

inline void gemm(const Kernels& kernels, int64_t m, int64_t n, int64_t k, const float* a,
                 const float* b, float* c, std::vector<float>& packed_a,
                 std::vector<float>& packed_b) {
  for (int64_t jc = 0; jc < n; jc += n_c)
    for (int64_t pc = 0; pc < k; pc += k_c) {
      const int64_t nb = std::min<int64_t>(n_c, n - jc), kb = std::min<int64_t>(k_c, k - pc);
      float* to = packed_b.data();
      for (int64_t j = 0; j < nb; j += n_r, to += n_r * kb)
        for (int64_t p = 0; p < kb; ++p)
          for (int64_t q = 0; q < std::min<int64_t>(n_r, nb - j); ++q)
            to[p * n_r + q] = b[(jc + j + q) * k + pc + p];
      for (int64_t ic = 0; ic < m; ic += m_c) {
        const int64_t mb = std::min<int64_t>(m_c, m - ic);
        to = packed_a.data();
        for (int64_t i = 0; i < mb; i += m_r, to += m_r * kb)
          for (int64_t p = 0; p < kb; ++p)
            for (int64_t q = 0; q < std::min<int64_t>(m_r, mb - i); ++q)
              to[p * m_r + q] = a[(pc + p) * m + ic + i + q];
        for (int64_t j = 0; j < nb; j += n_r)
          for (int64_t i = 0; i < mb; i += m_r) {
            const int64_t rows = std::min<int64_t>(m_r, mb - i),
                          columns = std::min<int64_t>(n_r, nb - j);
            const int64_t mv = (rows + lanes - 1) / lanes;
            kernels.of[mv - 1][columns - 1](kb, packed_a.data() + i * kb, packed_b.data() + j * kb,
                                            c + (jc + j) * m + ic + i, m,
                                            static_cast<size_t>(rows - (mv - 1) * lanes), pc > 0);
          }
      }
    }
}

inline int main_of(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return i < argc ? std::strtoll(argv[i], nullptr, 10) : 0; };
  TargetClock clock;
  const Kernels kernels;
  double seconds = 0, flops = 0;
  std::vector<float> a, b, c;
  const auto fill = [](std::vector<float>& v, size_t size) {
    v.resize(size);
    uint32_t x = 1;
    for (float& f : v)
      f = static_cast<float>((x = x * 1664525 + 1013904223) >> 8) / 16777216.0f - 0.5f;
  };
  if (what == "isolated") {
    const int64_t k = number(2);
    fill(a, static_cast<size_t>(m_r * k + 64));
    fill(b, static_cast<size_t>(n_r * k));
    c.assign(m_r * n_r, 0);
    const Kernel tile = kernels.of[vectors - 1][n_r - 1];
    const size_t last = m_r - (vectors - 1) * lanes;
    for (int i = 0; i < 3; ++i) tile(k, a.data(), b.data(), c.data(), m_r, last, false);
    const double start = clock.seconds();
    for (int i = 0; i < 20; ++i) tile(k, a.data(), b.data(), c.data(), m_r, last, false);
    seconds = (clock.seconds() - start) / 20;
    flops = 2.0 * m_r * n_r * static_cast<double>(k);
  } else {
    const int64_t m = number(2), n = number(3), k = number(4);
    fill(a, static_cast<size_t>(m * k + 64));
    fill(b, static_cast<size_t>(k * n));
    c.assign(static_cast<size_t>(m * n + 64), 0);
    std::vector<float> packed_a(m_c * k_c + 64 * m_r),
        packed_b(static_cast<size_t>((std::min<int64_t>(n, n_c) + n_r) * k_c));
    flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const auto once = [&] {
      if (what == "naive")
        gemm(kernels, m, n, k, a.data(), b.data(), c.data(), packed_a, packed_b);
      else
        // As the paper's driver calls it: columns, B given by rows and transposed.
        cblas_sgemm(102, 111, 112, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1,
                    a.data(), static_cast<int>(m), b.data(), static_cast<int>(n), 0, c.data(),
                    static_cast<int>(m));
    };
    // The paper repeats each call for seconds; for small ones the first call is another thing.
    if (flops < 5e8) once();
    const double start = clock.seconds();
    once();
    seconds = clock.seconds() - start;
    // A few elements against the definition: what is wrong is not timed.
    for (int64_t s = 0; s < 20; ++s) {
      const int64_t i = s * 7919 % m, j = s * 104729 % n;
      double exact = 0;
      for (int64_t p = 0; p < k; ++p)
        exact += static_cast<double>(a[static_cast<size_t>(p * m + i)]) *
                 static_cast<double>(
                     b[static_cast<size_t>(what == "naive" ? j * k + p : p * n + j)]);
      const double error = exact - static_cast<double>(c[static_cast<size_t>(j * m + i)]);
      if (!(error * error < 1e-4 * static_cast<double>(k) / 1000)) {
        std::printf("{\"wrong\": [%ld, %ld]}\n", static_cast<long>(i), static_cast<long>(j));
        return 1;
      }
    }
  }
  std::printf("{\"what\": \"%s\", \"seconds\": %.9g, \"gflops\": %.6g, \"timing\": \"%s\"}\n",
              what.c_str(), seconds, flops / seconds / 1e9, clock.timing_word());
  return 0;
}

}  // namespace quern::validation
