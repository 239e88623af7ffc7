/*
 * rvv-f32-3x16-m1-vf-vn-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is 3 x n with 9 <= n <= 16
 *
 * Register map, 7 of 32 vector registers (LMUL 1) and 3 of 32 scalars:
 *
 *         a0     ... a2
 *   b0     c0_0   ... c0_2   columns 0..7
 *   b1     c1_0   ... c1_2   columns 8..n-1
 *
 * The vectors b0, b1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f32 --mr 3 --nr 16 --lmul 1 --vector n
 */
#include <riscv_vector.h>
#include <stddef.h>
#include <stdint.h>

static inline void overwrite(float* c, ptrdiff_t stride, vfloat32m1_t sum, float alpha, size_t vl) {
  __riscv_vsse32_v_f32m1(c, stride, __riscv_vfmul_vf_f32m1(sum, alpha, vl), vl);
}

static inline void accumulate(float* c, ptrdiff_t stride, vfloat32m1_t sum, float alpha, float beta, size_t vl) {
  const vfloat32m1_t old = __riscv_vfmul_vf_f32m1(__riscv_vlse32_v_f32m1(c, stride, vl), beta, vl);
  __riscv_vsse32_v_f32m1(c, stride, __riscv_vfmacc_vf_f32m1(old, alpha, sum, vl), vl);
}

void quern_rvv_f32_3x16_m1_vf_vn_v256(int64_t n, int64_t k, const float* alpha_p, const float* a, const float* b,
                                      const float* beta_p, float* c, int64_t ldc) {
  const size_t vl = 8;
  const size_t last_vl = (size_t)n - 8;
  vfloat32m1_t c0_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_2 = __riscv_vfmv_v_f_f32m1(0, vl);

  /* A short last vector is loaded at full length while the panel goes on behind it: the spare lanes hold
     values of the next k step and are never stored. Only the last step must cut it. */
  const int64_t whole = last_vl == vl ? k : k - 1;
  for (int64_t p = 0; p < whole; ++p) {
    const float a0 = a[0];
    const float a1 = a[1];
    const float a2 = a[2];
    const vfloat32m1_t b0 = __riscv_vle32_v_f32m1(b, vl);
    c0_0 = __riscv_vfmacc_vf_f32m1(c0_0, a0, b0, vl);
    c0_1 = __riscv_vfmacc_vf_f32m1(c0_1, a1, b0, vl);
    c0_2 = __riscv_vfmacc_vf_f32m1(c0_2, a2, b0, vl);
    const vfloat32m1_t b1 = __riscv_vle32_v_f32m1(b + 8, vl);
    c1_0 = __riscv_vfmacc_vf_f32m1(c1_0, a0, b1, vl);
    c1_1 = __riscv_vfmacc_vf_f32m1(c1_1, a1, b1, vl);
    c1_2 = __riscv_vfmacc_vf_f32m1(c1_2, a2, b1, vl);
    b += n;
    a += 3;
  }
  if (whole >= 0 && whole < k) {
    const float a0 = a[0];
    const float a1 = a[1];
    const float a2 = a[2];
    const vfloat32m1_t b0 = __riscv_vle32_v_f32m1(b, vl);
    c0_0 = __riscv_vfmacc_vf_f32m1(c0_0, a0, b0, vl);
    c0_1 = __riscv_vfmacc_vf_f32m1(c0_1, a1, b0, vl);
    c0_2 = __riscv_vfmacc_vf_f32m1(c0_2, a2, b0, vl);
    const vfloat32m1_t b1 = __riscv_vle32_v_f32m1(b + 8, last_vl);
    c1_0 = __riscv_vfmacc_vf_f32m1(c1_0, a0, b1, last_vl);
    c1_1 = __riscv_vfmacc_vf_f32m1(c1_1, a1, b1, last_vl);
    c1_2 = __riscv_vfmacc_vf_f32m1(c1_2, a2, b1, last_vl);
  }

  /* C runs across the vectors. */
  const ptrdiff_t stride = ldc * 4;
  const float alpha = *alpha_p;
  const float beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, stride, c0_0, alpha, vl);
    overwrite(c + 8 * ldc, stride, c1_0, alpha, last_vl);
    overwrite(c + 1, stride, c0_1, alpha, vl);
    overwrite(c + 1 + 8 * ldc, stride, c1_1, alpha, last_vl);
    overwrite(c + 2, stride, c0_2, alpha, vl);
    overwrite(c + 2 + 8 * ldc, stride, c1_2, alpha, last_vl);
  } else {
    accumulate(c, stride, c0_0, alpha, beta, vl);
    accumulate(c + 8 * ldc, stride, c1_0, alpha, beta, last_vl);
    accumulate(c + 1, stride, c0_1, alpha, beta, vl);
    accumulate(c + 1 + 8 * ldc, stride, c1_1, alpha, beta, last_vl);
    accumulate(c + 2, stride, c0_2, alpha, beta, vl);
    accumulate(c + 2 + 8 * ldc, stride, c1_2, alpha, beta, last_vl);
  }
}
