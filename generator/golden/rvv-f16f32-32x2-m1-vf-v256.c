/*
 * rvv-f16f32-32x2-m1-vf-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 2 with 17 <= m <= 32
 *
 * Register map, 10 of 32 vector registers (LMUL 1) and 2 of 32 scalars:
 *
 *         b0     ... b1
 *   a0     c0_0   ... c0_1   rows 0..15
 *   a1     c1_0   ... c1_1   rows 16..m-1
 *
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f16f32 --mr 32 --nr 2 --lmul 1
 */
#include <riscv_vector.h>
#include <stdint.h>

static inline void overwrite(float* c, vfloat32m2_t sum, float alpha, size_t vl) {
  __riscv_vse32_v_f32m2(c, __riscv_vfmul_vf_f32m2(sum, alpha, vl), vl);
}

static inline void accumulate(float* c, vfloat32m2_t sum, float alpha, float beta, size_t vl) {
  const vfloat32m2_t old = __riscv_vfmul_vf_f32m2(__riscv_vle32_v_f32m2(c, vl), beta, vl);
  __riscv_vse32_v_f32m2(c, __riscv_vfmacc_vf_f32m2(old, alpha, sum, vl), vl);
}

void quern_rvv_f16f32_32x2_m1_vf_v256(int64_t m, int64_t k, const float* alpha_p, const _Float16* a, const _Float16* b,
                                      const float* beta_p, float* c, int64_t ldc) {
  const size_t vl = 16;
  const size_t last_vl = (size_t)m - 16;
  vfloat32m2_t c0_0 = __riscv_vfwcvt_f_f_v_f32m2(__riscv_vfmv_v_f_f16m1(0, vl), vl);
  vfloat32m2_t c0_1 = __riscv_vfwcvt_f_f_v_f32m2(__riscv_vfmv_v_f_f16m1(0, vl), vl);
  vfloat32m2_t c1_0 = __riscv_vfwcvt_f_f_v_f32m2(__riscv_vfmv_v_f_f16m1(0, vl), vl);
  vfloat32m2_t c1_1 = __riscv_vfwcvt_f_f_v_f32m2(__riscv_vfmv_v_f_f16m1(0, vl), vl);

  /* A short last vector is loaded at full length while the panel goes on behind it: the spare lanes hold
     values of the next k step and are never stored. Only the last step must cut it. */
  const int64_t whole = last_vl == vl ? k : k - 1;
  for (int64_t p = 0; p < whole; ++p) {
    const _Float16 b0 = b[0];
    const _Float16 b1 = b[1];
    const vfloat16m1_t a0 = __riscv_vle16_v_f16m1(a, vl);
    c0_0 = __riscv_vfwmacc_vf_f32m2(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfwmacc_vf_f32m2(c0_1, b1, a0, vl);
    const vfloat16m1_t a1 = __riscv_vle16_v_f16m1(a + 16, vl);
    c1_0 = __riscv_vfwmacc_vf_f32m2(c1_0, b0, a1, vl);
    c1_1 = __riscv_vfwmacc_vf_f32m2(c1_1, b1, a1, vl);
    a += m;
    b += 2;
  }
  if (whole >= 0 && whole < k) {
    const _Float16 b0 = b[0];
    const _Float16 b1 = b[1];
    const vfloat16m1_t a0 = __riscv_vle16_v_f16m1(a, vl);
    c0_0 = __riscv_vfwmacc_vf_f32m2(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfwmacc_vf_f32m2(c0_1, b1, a0, vl);
    const vfloat16m1_t a1 = __riscv_vle16_v_f16m1(a + 16, last_vl);
    c1_0 = __riscv_vfwmacc_vf_f32m2(c1_0, b0, a1, last_vl);
    c1_1 = __riscv_vfwmacc_vf_f32m2(c1_1, b1, a1, last_vl);
  }

  const float alpha = *alpha_p;
  const float beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0, alpha, vl);
    overwrite(c + 16, c1_0, alpha, last_vl);
    overwrite(c + ldc, c0_1, alpha, vl);
    overwrite(c + ldc + 16, c1_1, alpha, last_vl);
  } else {
    accumulate(c, c0_0, alpha, beta, vl);
    accumulate(c + 16, c1_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, vl);
    accumulate(c + ldc + 16, c1_1, alpha, beta, last_vl);
  }
}
