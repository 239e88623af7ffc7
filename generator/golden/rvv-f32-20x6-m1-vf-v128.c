/*
 * rvv-f32-20x6-m1-vf-v128: a GEMM micro-kernel for VLEN 128.
 *
 *   C = alpha * A * B + beta * C,  C is m x 6 with 17 <= m <= 20
 *
 * Register map, 31 of 32 vector registers (LMUL 1) and 6 of 32 scalars:
 *
 *         b0     ... b5
 *   a0     c0_0   ... c0_5   rows 0..3
 *   a1     c1_0   ... c1_5   rows 4..7
 *   a2     c2_0   ... c2_5   rows 8..11
 *   a3     c3_0   ... c3_5   rows 12..15
 *   a4     c4_0   ... c4_5   rows 16..m-1
 *
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 128:
 *   quern generate --board B --dtype f32 --mr 20 --nr 6 --lmul 1
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

void quern_rvv_f32_20x6_m1_vf_v128(int64_t m, int64_t k, const float* alpha_p, const float* a, const float* b,
                                   const float* beta_p, float* c, int64_t ldc) {
  const size_t vl = 4;
  const size_t last_vl = (size_t)m - 16;
  vfloat32m1_t c0_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_3 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_4 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_5 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_3 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_4 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_5 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c2_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c2_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c2_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c2_3 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c2_4 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c2_5 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c3_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c3_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c3_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c3_3 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c3_4 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c3_5 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c4_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c4_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c4_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c4_3 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c4_4 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c4_5 = __riscv_vfmv_v_f_f32m1(0, vl);

  /* A short last vector is loaded at full length while the panel goes on behind it: the spare lanes hold
     values of the next k step and are never stored. Only the last step must cut it. */
  const int64_t whole = last_vl == vl ? k : k - 1;
  for (int64_t p = 0; p < whole; ++p) {
    const float b0 = b[0];
    const float b1 = b[1];
    const float b2 = b[2];
    const float b3 = b[3];
    const float b4 = b[4];
    const float b5 = b[5];
    const vfloat32m1_t a0 = __riscv_vle32_v_f32m1(a, vl);
    c0_0 = __riscv_vfmacc_vf_f32m1(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfmacc_vf_f32m1(c0_1, b1, a0, vl);
    c0_2 = __riscv_vfmacc_vf_f32m1(c0_2, b2, a0, vl);
    c0_3 = __riscv_vfmacc_vf_f32m1(c0_3, b3, a0, vl);
    c0_4 = __riscv_vfmacc_vf_f32m1(c0_4, b4, a0, vl);
    c0_5 = __riscv_vfmacc_vf_f32m1(c0_5, b5, a0, vl);
    const vfloat32m1_t a1 = __riscv_vle32_v_f32m1(a + 4, vl);
    c1_0 = __riscv_vfmacc_vf_f32m1(c1_0, b0, a1, vl);
    c1_1 = __riscv_vfmacc_vf_f32m1(c1_1, b1, a1, vl);
    c1_2 = __riscv_vfmacc_vf_f32m1(c1_2, b2, a1, vl);
    c1_3 = __riscv_vfmacc_vf_f32m1(c1_3, b3, a1, vl);
    c1_4 = __riscv_vfmacc_vf_f32m1(c1_4, b4, a1, vl);
    c1_5 = __riscv_vfmacc_vf_f32m1(c1_5, b5, a1, vl);
    const vfloat32m1_t a2 = __riscv_vle32_v_f32m1(a + 8, vl);
    c2_0 = __riscv_vfmacc_vf_f32m1(c2_0, b0, a2, vl);
    c2_1 = __riscv_vfmacc_vf_f32m1(c2_1, b1, a2, vl);
    c2_2 = __riscv_vfmacc_vf_f32m1(c2_2, b2, a2, vl);
    c2_3 = __riscv_vfmacc_vf_f32m1(c2_3, b3, a2, vl);
    c2_4 = __riscv_vfmacc_vf_f32m1(c2_4, b4, a2, vl);
    c2_5 = __riscv_vfmacc_vf_f32m1(c2_5, b5, a2, vl);
    const vfloat32m1_t a3 = __riscv_vle32_v_f32m1(a + 12, vl);
    c3_0 = __riscv_vfmacc_vf_f32m1(c3_0, b0, a3, vl);
    c3_1 = __riscv_vfmacc_vf_f32m1(c3_1, b1, a3, vl);
    c3_2 = __riscv_vfmacc_vf_f32m1(c3_2, b2, a3, vl);
    c3_3 = __riscv_vfmacc_vf_f32m1(c3_3, b3, a3, vl);
    c3_4 = __riscv_vfmacc_vf_f32m1(c3_4, b4, a3, vl);
    c3_5 = __riscv_vfmacc_vf_f32m1(c3_5, b5, a3, vl);
    const vfloat32m1_t a4 = __riscv_vle32_v_f32m1(a + 16, vl);
    c4_0 = __riscv_vfmacc_vf_f32m1(c4_0, b0, a4, vl);
    c4_1 = __riscv_vfmacc_vf_f32m1(c4_1, b1, a4, vl);
    c4_2 = __riscv_vfmacc_vf_f32m1(c4_2, b2, a4, vl);
    c4_3 = __riscv_vfmacc_vf_f32m1(c4_3, b3, a4, vl);
    c4_4 = __riscv_vfmacc_vf_f32m1(c4_4, b4, a4, vl);
    c4_5 = __riscv_vfmacc_vf_f32m1(c4_5, b5, a4, vl);
    a += m;
    b += 6;
  }
  if (whole >= 0 && whole < k) {
    const float b0 = b[0];
    const float b1 = b[1];
    const float b2 = b[2];
    const float b3 = b[3];
    const float b4 = b[4];
    const float b5 = b[5];
    const vfloat32m1_t a0 = __riscv_vle32_v_f32m1(a, vl);
    c0_0 = __riscv_vfmacc_vf_f32m1(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfmacc_vf_f32m1(c0_1, b1, a0, vl);
    c0_2 = __riscv_vfmacc_vf_f32m1(c0_2, b2, a0, vl);
    c0_3 = __riscv_vfmacc_vf_f32m1(c0_3, b3, a0, vl);
    c0_4 = __riscv_vfmacc_vf_f32m1(c0_4, b4, a0, vl);
    c0_5 = __riscv_vfmacc_vf_f32m1(c0_5, b5, a0, vl);
    const vfloat32m1_t a1 = __riscv_vle32_v_f32m1(a + 4, vl);
    c1_0 = __riscv_vfmacc_vf_f32m1(c1_0, b0, a1, vl);
    c1_1 = __riscv_vfmacc_vf_f32m1(c1_1, b1, a1, vl);
    c1_2 = __riscv_vfmacc_vf_f32m1(c1_2, b2, a1, vl);
    c1_3 = __riscv_vfmacc_vf_f32m1(c1_3, b3, a1, vl);
    c1_4 = __riscv_vfmacc_vf_f32m1(c1_4, b4, a1, vl);
    c1_5 = __riscv_vfmacc_vf_f32m1(c1_5, b5, a1, vl);
    const vfloat32m1_t a2 = __riscv_vle32_v_f32m1(a + 8, vl);
    c2_0 = __riscv_vfmacc_vf_f32m1(c2_0, b0, a2, vl);
    c2_1 = __riscv_vfmacc_vf_f32m1(c2_1, b1, a2, vl);
    c2_2 = __riscv_vfmacc_vf_f32m1(c2_2, b2, a2, vl);
    c2_3 = __riscv_vfmacc_vf_f32m1(c2_3, b3, a2, vl);
    c2_4 = __riscv_vfmacc_vf_f32m1(c2_4, b4, a2, vl);
    c2_5 = __riscv_vfmacc_vf_f32m1(c2_5, b5, a2, vl);
    const vfloat32m1_t a3 = __riscv_vle32_v_f32m1(a + 12, vl);
    c3_0 = __riscv_vfmacc_vf_f32m1(c3_0, b0, a3, vl);
    c3_1 = __riscv_vfmacc_vf_f32m1(c3_1, b1, a3, vl);
    c3_2 = __riscv_vfmacc_vf_f32m1(c3_2, b2, a3, vl);
    c3_3 = __riscv_vfmacc_vf_f32m1(c3_3, b3, a3, vl);
    c3_4 = __riscv_vfmacc_vf_f32m1(c3_4, b4, a3, vl);
    c3_5 = __riscv_vfmacc_vf_f32m1(c3_5, b5, a3, vl);
    const vfloat32m1_t a4 = __riscv_vle32_v_f32m1(a + 16, last_vl);
    c4_0 = __riscv_vfmacc_vf_f32m1(c4_0, b0, a4, last_vl);
    c4_1 = __riscv_vfmacc_vf_f32m1(c4_1, b1, a4, last_vl);
    c4_2 = __riscv_vfmacc_vf_f32m1(c4_2, b2, a4, last_vl);
    c4_3 = __riscv_vfmacc_vf_f32m1(c4_3, b3, a4, last_vl);
    c4_4 = __riscv_vfmacc_vf_f32m1(c4_4, b4, a4, last_vl);
    c4_5 = __riscv_vfmacc_vf_f32m1(c4_5, b5, a4, last_vl);
  }

  const float alpha = *alpha_p;
  const float beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0, alpha, vl);
    overwrite(c + 4, c1_0, alpha, vl);
    overwrite(c + 8, c2_0, alpha, vl);
    overwrite(c + 12, c3_0, alpha, vl);
    overwrite(c + 16, c4_0, alpha, last_vl);
    overwrite(c + ldc, c0_1, alpha, vl);
    overwrite(c + ldc + 4, c1_1, alpha, vl);
    overwrite(c + ldc + 8, c2_1, alpha, vl);
    overwrite(c + ldc + 12, c3_1, alpha, vl);
    overwrite(c + ldc + 16, c4_1, alpha, last_vl);
    overwrite(c + 2 * ldc, c0_2, alpha, vl);
    overwrite(c + 2 * ldc + 4, c1_2, alpha, vl);
    overwrite(c + 2 * ldc + 8, c2_2, alpha, vl);
    overwrite(c + 2 * ldc + 12, c3_2, alpha, vl);
    overwrite(c + 2 * ldc + 16, c4_2, alpha, last_vl);
    overwrite(c + 3 * ldc, c0_3, alpha, vl);
    overwrite(c + 3 * ldc + 4, c1_3, alpha, vl);
    overwrite(c + 3 * ldc + 8, c2_3, alpha, vl);
    overwrite(c + 3 * ldc + 12, c3_3, alpha, vl);
    overwrite(c + 3 * ldc + 16, c4_3, alpha, last_vl);
    overwrite(c + 4 * ldc, c0_4, alpha, vl);
    overwrite(c + 4 * ldc + 4, c1_4, alpha, vl);
    overwrite(c + 4 * ldc + 8, c2_4, alpha, vl);
    overwrite(c + 4 * ldc + 12, c3_4, alpha, vl);
    overwrite(c + 4 * ldc + 16, c4_4, alpha, last_vl);
    overwrite(c + 5 * ldc, c0_5, alpha, vl);
    overwrite(c + 5 * ldc + 4, c1_5, alpha, vl);
    overwrite(c + 5 * ldc + 8, c2_5, alpha, vl);
    overwrite(c + 5 * ldc + 12, c3_5, alpha, vl);
    overwrite(c + 5 * ldc + 16, c4_5, alpha, last_vl);
  } else {
    accumulate(c, c0_0, alpha, beta, vl);
    accumulate(c + 4, c1_0, alpha, beta, vl);
    accumulate(c + 8, c2_0, alpha, beta, vl);
    accumulate(c + 12, c3_0, alpha, beta, vl);
    accumulate(c + 16, c4_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, vl);
    accumulate(c + ldc + 4, c1_1, alpha, beta, vl);
    accumulate(c + ldc + 8, c2_1, alpha, beta, vl);
    accumulate(c + ldc + 12, c3_1, alpha, beta, vl);
    accumulate(c + ldc + 16, c4_1, alpha, beta, last_vl);
    accumulate(c + 2 * ldc, c0_2, alpha, beta, vl);
    accumulate(c + 2 * ldc + 4, c1_2, alpha, beta, vl);
    accumulate(c + 2 * ldc + 8, c2_2, alpha, beta, vl);
    accumulate(c + 2 * ldc + 12, c3_2, alpha, beta, vl);
    accumulate(c + 2 * ldc + 16, c4_2, alpha, beta, last_vl);
    accumulate(c + 3 * ldc, c0_3, alpha, beta, vl);
    accumulate(c + 3 * ldc + 4, c1_3, alpha, beta, vl);
    accumulate(c + 3 * ldc + 8, c2_3, alpha, beta, vl);
    accumulate(c + 3 * ldc + 12, c3_3, alpha, beta, vl);
    accumulate(c + 3 * ldc + 16, c4_3, alpha, beta, last_vl);
    accumulate(c + 4 * ldc, c0_4, alpha, beta, vl);
    accumulate(c + 4 * ldc + 4, c1_4, alpha, beta, vl);
    accumulate(c + 4 * ldc + 8, c2_4, alpha, beta, vl);
    accumulate(c + 4 * ldc + 12, c3_4, alpha, beta, vl);
    accumulate(c + 4 * ldc + 16, c4_4, alpha, beta, last_vl);
    accumulate(c + 5 * ldc, c0_5, alpha, beta, vl);
    accumulate(c + 5 * ldc + 4, c1_5, alpha, beta, vl);
    accumulate(c + 5 * ldc + 8, c2_5, alpha, beta, vl);
    accumulate(c + 5 * ldc + 12, c3_5, alpha, beta, vl);
    accumulate(c + 5 * ldc + 16, c4_5, alpha, beta, last_vl);
  }
}
