/*
 * rvv-f32-4x5-m1-vf-v128: a GEMM micro-kernel for VLEN 128.
 *
 *   C = alpha * A * B + beta * C,  C is m x 5 with 1 <= m <= 4
 *
 * Register map, 6 of 32 vector registers (LMUL 1) and 5 of 32 scalars:
 *
 *         b0     ... b4
 *   a0     c0_0   ... c0_4   rows 0..m-1
 *
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 128:
 *   quern generate --board B --dtype f32 --mr 4 --nr 5 --lmul 1
 */
#include <riscv_vector.h>
#include <stdint.h>

static inline void overwrite(float* c, vfloat32m1_t sum, float alpha, size_t vl) {
  __riscv_vse32_v_f32m1(c, __riscv_vfmul_vf_f32m1(sum, alpha, vl), vl);
}

static inline void accumulate(float* c, vfloat32m1_t sum, float alpha, float beta, size_t vl) {
  const vfloat32m1_t old = __riscv_vfmul_vf_f32m1(__riscv_vle32_v_f32m1(c, vl), beta, vl);
  __riscv_vse32_v_f32m1(c, __riscv_vfmacc_vf_f32m1(old, alpha, sum, vl), vl);
}

void quern_rvv_f32_4x5_m1_vf_v128(int64_t m, int64_t k, const float* alpha_p, const float* a, const float* b,
                                  const float* beta_p, float* c, int64_t ldc) {
  const size_t last_vl = (size_t)m;
  vfloat32m1_t c0_0 = __riscv_vfmv_v_f_f32m1(0, last_vl);
  vfloat32m1_t c0_1 = __riscv_vfmv_v_f_f32m1(0, last_vl);
  vfloat32m1_t c0_2 = __riscv_vfmv_v_f_f32m1(0, last_vl);
  vfloat32m1_t c0_3 = __riscv_vfmv_v_f_f32m1(0, last_vl);
  vfloat32m1_t c0_4 = __riscv_vfmv_v_f_f32m1(0, last_vl);

  for (int64_t p = 0; p < k; ++p) {
    const float b0 = b[0];
    const float b1 = b[1];
    const float b2 = b[2];
    const float b3 = b[3];
    const float b4 = b[4];
    const vfloat32m1_t a0 = __riscv_vle32_v_f32m1(a, last_vl);
    c0_0 = __riscv_vfmacc_vf_f32m1(c0_0, b0, a0, last_vl);
    c0_1 = __riscv_vfmacc_vf_f32m1(c0_1, b1, a0, last_vl);
    c0_2 = __riscv_vfmacc_vf_f32m1(c0_2, b2, a0, last_vl);
    c0_3 = __riscv_vfmacc_vf_f32m1(c0_3, b3, a0, last_vl);
    c0_4 = __riscv_vfmacc_vf_f32m1(c0_4, b4, a0, last_vl);
    a += m;
    b += 5;
  }

  const float alpha = *alpha_p;
  const float beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0, alpha, last_vl);
    overwrite(c + ldc, c0_1, alpha, last_vl);
    overwrite(c + 2 * ldc, c0_2, alpha, last_vl);
    overwrite(c + 3 * ldc, c0_3, alpha, last_vl);
    overwrite(c + 4 * ldc, c0_4, alpha, last_vl);
  } else {
    accumulate(c, c0_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, last_vl);
    accumulate(c + 2 * ldc, c0_2, alpha, beta, last_vl);
    accumulate(c + 3 * ldc, c0_3, alpha, beta, last_vl);
    accumulate(c + 4 * ldc, c0_4, alpha, beta, last_vl);
  }
}
