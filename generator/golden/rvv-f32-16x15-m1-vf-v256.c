/*
 * rvv-f32-16x15-m1-vf-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 15 with 9 <= m <= 16
 *
 * Register map, 31 of 32 vector registers (LMUL 1) and 15 of 32 scalars:
 *
 *         b0     ... b14
 *   a0     c0_0   ... c0_14  rows 0..7
 *   a1     c1_0   ... c1_14  rows 8..m-1
 *
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f32 --mr 16 --nr 15 --lmul 1
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

void quern_rvv_f32_16x15_m1_vf_v256(int64_t m, int64_t k, const float* alpha_p, const float* a, const float* b,
                                    const float* beta_p, float* c, int64_t ldc) {
  const size_t vl = 8;
  const size_t last_vl = (size_t)m - 8;
  vfloat32m1_t c0_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_3 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_4 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_5 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_6 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_7 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_8 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_9 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_10 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_11 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_12 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_13 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_14 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_3 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_4 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_5 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_6 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_7 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_8 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_9 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_10 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_11 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_12 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_13 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_14 = __riscv_vfmv_v_f_f32m1(0, vl);

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
    const float b6 = b[6];
    const float b7 = b[7];
    const float b8 = b[8];
    const float b9 = b[9];
    const float b10 = b[10];
    const float b11 = b[11];
    const float b12 = b[12];
    const float b13 = b[13];
    const float b14 = b[14];
    const vfloat32m1_t a0 = __riscv_vle32_v_f32m1(a, vl);
    c0_0 = __riscv_vfmacc_vf_f32m1(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfmacc_vf_f32m1(c0_1, b1, a0, vl);
    c0_2 = __riscv_vfmacc_vf_f32m1(c0_2, b2, a0, vl);
    c0_3 = __riscv_vfmacc_vf_f32m1(c0_3, b3, a0, vl);
    c0_4 = __riscv_vfmacc_vf_f32m1(c0_4, b4, a0, vl);
    c0_5 = __riscv_vfmacc_vf_f32m1(c0_5, b5, a0, vl);
    c0_6 = __riscv_vfmacc_vf_f32m1(c0_6, b6, a0, vl);
    c0_7 = __riscv_vfmacc_vf_f32m1(c0_7, b7, a0, vl);
    c0_8 = __riscv_vfmacc_vf_f32m1(c0_8, b8, a0, vl);
    c0_9 = __riscv_vfmacc_vf_f32m1(c0_9, b9, a0, vl);
    c0_10 = __riscv_vfmacc_vf_f32m1(c0_10, b10, a0, vl);
    c0_11 = __riscv_vfmacc_vf_f32m1(c0_11, b11, a0, vl);
    c0_12 = __riscv_vfmacc_vf_f32m1(c0_12, b12, a0, vl);
    c0_13 = __riscv_vfmacc_vf_f32m1(c0_13, b13, a0, vl);
    c0_14 = __riscv_vfmacc_vf_f32m1(c0_14, b14, a0, vl);
    const vfloat32m1_t a1 = __riscv_vle32_v_f32m1(a + 8, vl);
    c1_0 = __riscv_vfmacc_vf_f32m1(c1_0, b0, a1, vl);
    c1_1 = __riscv_vfmacc_vf_f32m1(c1_1, b1, a1, vl);
    c1_2 = __riscv_vfmacc_vf_f32m1(c1_2, b2, a1, vl);
    c1_3 = __riscv_vfmacc_vf_f32m1(c1_3, b3, a1, vl);
    c1_4 = __riscv_vfmacc_vf_f32m1(c1_4, b4, a1, vl);
    c1_5 = __riscv_vfmacc_vf_f32m1(c1_5, b5, a1, vl);
    c1_6 = __riscv_vfmacc_vf_f32m1(c1_6, b6, a1, vl);
    c1_7 = __riscv_vfmacc_vf_f32m1(c1_7, b7, a1, vl);
    c1_8 = __riscv_vfmacc_vf_f32m1(c1_8, b8, a1, vl);
    c1_9 = __riscv_vfmacc_vf_f32m1(c1_9, b9, a1, vl);
    c1_10 = __riscv_vfmacc_vf_f32m1(c1_10, b10, a1, vl);
    c1_11 = __riscv_vfmacc_vf_f32m1(c1_11, b11, a1, vl);
    c1_12 = __riscv_vfmacc_vf_f32m1(c1_12, b12, a1, vl);
    c1_13 = __riscv_vfmacc_vf_f32m1(c1_13, b13, a1, vl);
    c1_14 = __riscv_vfmacc_vf_f32m1(c1_14, b14, a1, vl);
    a += m;
    b += 15;
  }
  if (whole >= 0 && whole < k) {
    const float b0 = b[0];
    const float b1 = b[1];
    const float b2 = b[2];
    const float b3 = b[3];
    const float b4 = b[4];
    const float b5 = b[5];
    const float b6 = b[6];
    const float b7 = b[7];
    const float b8 = b[8];
    const float b9 = b[9];
    const float b10 = b[10];
    const float b11 = b[11];
    const float b12 = b[12];
    const float b13 = b[13];
    const float b14 = b[14];
    const vfloat32m1_t a0 = __riscv_vle32_v_f32m1(a, vl);
    c0_0 = __riscv_vfmacc_vf_f32m1(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfmacc_vf_f32m1(c0_1, b1, a0, vl);
    c0_2 = __riscv_vfmacc_vf_f32m1(c0_2, b2, a0, vl);
    c0_3 = __riscv_vfmacc_vf_f32m1(c0_3, b3, a0, vl);
    c0_4 = __riscv_vfmacc_vf_f32m1(c0_4, b4, a0, vl);
    c0_5 = __riscv_vfmacc_vf_f32m1(c0_5, b5, a0, vl);
    c0_6 = __riscv_vfmacc_vf_f32m1(c0_6, b6, a0, vl);
    c0_7 = __riscv_vfmacc_vf_f32m1(c0_7, b7, a0, vl);
    c0_8 = __riscv_vfmacc_vf_f32m1(c0_8, b8, a0, vl);
    c0_9 = __riscv_vfmacc_vf_f32m1(c0_9, b9, a0, vl);
    c0_10 = __riscv_vfmacc_vf_f32m1(c0_10, b10, a0, vl);
    c0_11 = __riscv_vfmacc_vf_f32m1(c0_11, b11, a0, vl);
    c0_12 = __riscv_vfmacc_vf_f32m1(c0_12, b12, a0, vl);
    c0_13 = __riscv_vfmacc_vf_f32m1(c0_13, b13, a0, vl);
    c0_14 = __riscv_vfmacc_vf_f32m1(c0_14, b14, a0, vl);
    const vfloat32m1_t a1 = __riscv_vle32_v_f32m1(a + 8, last_vl);
    c1_0 = __riscv_vfmacc_vf_f32m1(c1_0, b0, a1, last_vl);
    c1_1 = __riscv_vfmacc_vf_f32m1(c1_1, b1, a1, last_vl);
    c1_2 = __riscv_vfmacc_vf_f32m1(c1_2, b2, a1, last_vl);
    c1_3 = __riscv_vfmacc_vf_f32m1(c1_3, b3, a1, last_vl);
    c1_4 = __riscv_vfmacc_vf_f32m1(c1_4, b4, a1, last_vl);
    c1_5 = __riscv_vfmacc_vf_f32m1(c1_5, b5, a1, last_vl);
    c1_6 = __riscv_vfmacc_vf_f32m1(c1_6, b6, a1, last_vl);
    c1_7 = __riscv_vfmacc_vf_f32m1(c1_7, b7, a1, last_vl);
    c1_8 = __riscv_vfmacc_vf_f32m1(c1_8, b8, a1, last_vl);
    c1_9 = __riscv_vfmacc_vf_f32m1(c1_9, b9, a1, last_vl);
    c1_10 = __riscv_vfmacc_vf_f32m1(c1_10, b10, a1, last_vl);
    c1_11 = __riscv_vfmacc_vf_f32m1(c1_11, b11, a1, last_vl);
    c1_12 = __riscv_vfmacc_vf_f32m1(c1_12, b12, a1, last_vl);
    c1_13 = __riscv_vfmacc_vf_f32m1(c1_13, b13, a1, last_vl);
    c1_14 = __riscv_vfmacc_vf_f32m1(c1_14, b14, a1, last_vl);
  }

  const float alpha = *alpha_p;
  const float beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0, alpha, vl);
    overwrite(c + 8, c1_0, alpha, last_vl);
    overwrite(c + ldc, c0_1, alpha, vl);
    overwrite(c + ldc + 8, c1_1, alpha, last_vl);
    overwrite(c + 2 * ldc, c0_2, alpha, vl);
    overwrite(c + 2 * ldc + 8, c1_2, alpha, last_vl);
    overwrite(c + 3 * ldc, c0_3, alpha, vl);
    overwrite(c + 3 * ldc + 8, c1_3, alpha, last_vl);
    overwrite(c + 4 * ldc, c0_4, alpha, vl);
    overwrite(c + 4 * ldc + 8, c1_4, alpha, last_vl);
    overwrite(c + 5 * ldc, c0_5, alpha, vl);
    overwrite(c + 5 * ldc + 8, c1_5, alpha, last_vl);
    overwrite(c + 6 * ldc, c0_6, alpha, vl);
    overwrite(c + 6 * ldc + 8, c1_6, alpha, last_vl);
    overwrite(c + 7 * ldc, c0_7, alpha, vl);
    overwrite(c + 7 * ldc + 8, c1_7, alpha, last_vl);
    overwrite(c + 8 * ldc, c0_8, alpha, vl);
    overwrite(c + 8 * ldc + 8, c1_8, alpha, last_vl);
    overwrite(c + 9 * ldc, c0_9, alpha, vl);
    overwrite(c + 9 * ldc + 8, c1_9, alpha, last_vl);
    overwrite(c + 10 * ldc, c0_10, alpha, vl);
    overwrite(c + 10 * ldc + 8, c1_10, alpha, last_vl);
    overwrite(c + 11 * ldc, c0_11, alpha, vl);
    overwrite(c + 11 * ldc + 8, c1_11, alpha, last_vl);
    overwrite(c + 12 * ldc, c0_12, alpha, vl);
    overwrite(c + 12 * ldc + 8, c1_12, alpha, last_vl);
    overwrite(c + 13 * ldc, c0_13, alpha, vl);
    overwrite(c + 13 * ldc + 8, c1_13, alpha, last_vl);
    overwrite(c + 14 * ldc, c0_14, alpha, vl);
    overwrite(c + 14 * ldc + 8, c1_14, alpha, last_vl);
  } else {
    accumulate(c, c0_0, alpha, beta, vl);
    accumulate(c + 8, c1_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, vl);
    accumulate(c + ldc + 8, c1_1, alpha, beta, last_vl);
    accumulate(c + 2 * ldc, c0_2, alpha, beta, vl);
    accumulate(c + 2 * ldc + 8, c1_2, alpha, beta, last_vl);
    accumulate(c + 3 * ldc, c0_3, alpha, beta, vl);
    accumulate(c + 3 * ldc + 8, c1_3, alpha, beta, last_vl);
    accumulate(c + 4 * ldc, c0_4, alpha, beta, vl);
    accumulate(c + 4 * ldc + 8, c1_4, alpha, beta, last_vl);
    accumulate(c + 5 * ldc, c0_5, alpha, beta, vl);
    accumulate(c + 5 * ldc + 8, c1_5, alpha, beta, last_vl);
    accumulate(c + 6 * ldc, c0_6, alpha, beta, vl);
    accumulate(c + 6 * ldc + 8, c1_6, alpha, beta, last_vl);
    accumulate(c + 7 * ldc, c0_7, alpha, beta, vl);
    accumulate(c + 7 * ldc + 8, c1_7, alpha, beta, last_vl);
    accumulate(c + 8 * ldc, c0_8, alpha, beta, vl);
    accumulate(c + 8 * ldc + 8, c1_8, alpha, beta, last_vl);
    accumulate(c + 9 * ldc, c0_9, alpha, beta, vl);
    accumulate(c + 9 * ldc + 8, c1_9, alpha, beta, last_vl);
    accumulate(c + 10 * ldc, c0_10, alpha, beta, vl);
    accumulate(c + 10 * ldc + 8, c1_10, alpha, beta, last_vl);
    accumulate(c + 11 * ldc, c0_11, alpha, beta, vl);
    accumulate(c + 11 * ldc + 8, c1_11, alpha, beta, last_vl);
    accumulate(c + 12 * ldc, c0_12, alpha, beta, vl);
    accumulate(c + 12 * ldc + 8, c1_12, alpha, beta, last_vl);
    accumulate(c + 13 * ldc, c0_13, alpha, beta, vl);
    accumulate(c + 13 * ldc + 8, c1_13, alpha, beta, last_vl);
    accumulate(c + 14 * ldc, c0_14, alpha, beta, vl);
    accumulate(c + 14 * ldc + 8, c1_14, alpha, beta, last_vl);
  }
}
