/*
 * rvv-f64-8x2-m2-vf-b1-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 2 with 1 <= m <= 8
 *
 * Register map, 6 of 32 vector registers (LMUL 2) and 2 of 32 scalars:
 *
 *         b0     ... b1
 *   a0     c0_0   ... c0_1   rows 0..m-1
 *
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f64 --mr 8 --nr 2 --lmul 2 --beta one
 */
#include <riscv_vector.h>
#include <stdint.h>

static inline void overwrite(double* c, vfloat64m2_t sum, double alpha, size_t vl) {
  __riscv_vse64_v_f64m2(c, __riscv_vfmul_vf_f64m2(sum, alpha, vl), vl);
}

static inline void accumulate(double* c, vfloat64m2_t sum, double alpha, double beta, size_t vl) {
  const vfloat64m2_t old = __riscv_vfmul_vf_f64m2(__riscv_vle64_v_f64m2(c, vl), beta, vl);
  __riscv_vse64_v_f64m2(c, __riscv_vfmacc_vf_f64m2(old, alpha, sum, vl), vl);
}

static inline void add(double* c, vfloat64m2_t sum, double alpha, size_t vl) {
  __riscv_vse64_v_f64m2(c, __riscv_vfmacc_vf_f64m2(__riscv_vle64_v_f64m2(c, vl), alpha, sum, vl), vl);
}

void quern_rvv_f64_8x2_m2_vf_b1_v256(int64_t m, int64_t k, const double* alpha_p, const double* a, const double* b,
                                     const double* beta_p, double* c, int64_t ldc) {
  const size_t last_vl = (size_t)m;
  vfloat64m2_t c0_0 = __riscv_vfmv_v_f_f64m2(0, last_vl);
  vfloat64m2_t c0_1 = __riscv_vfmv_v_f_f64m2(0, last_vl);

  for (int64_t p = 0; p < k; ++p) {
    const double b0 = b[0];
    const double b1 = b[1];
    const vfloat64m2_t a0 = __riscv_vle64_v_f64m2(a, last_vl);
    c0_0 = __riscv_vfmacc_vf_f64m2(c0_0, b0, a0, last_vl);
    c0_1 = __riscv_vfmacc_vf_f64m2(c0_1, b1, a0, last_vl);
    a += m;
    b += 2;
  }

  const double alpha = *alpha_p;
  const double beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0, alpha, last_vl);
    overwrite(c + ldc, c0_1, alpha, last_vl);
  } else if (beta == 1) {
    add(c, c0_0, alpha, last_vl);
    add(c + ldc, c0_1, alpha, last_vl);
  } else {
    accumulate(c, c0_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, last_vl);
  }
}
