/*
 * rvv-f32-16x3-m1-ga-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 3 with 9 <= m <= 16
 *
 * Register map, 11 of 32 vector registers (LMUL 1) and 0 of 32 scalars:
 *
 *         b0     ... b2
 *   a0     c0_0   ... c0_2   rows 0..7
 *   a1     c1_0   ... c1_2   rows 8..m-1
 *
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f32 --mr 16 --nr 3 --lmul 1 --operand gather
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

void quern_rvv_f32_16x3_m1_ga_v256(int64_t m, int64_t k, const float* alpha_p, const float* a, const float* b,
                                   const float* beta_p, float* c, int64_t ldc) {
  const size_t vl = 8;
  const size_t last_vl = (size_t)m - 8;
  vfloat32m1_t c0_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_2 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_0 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_1 = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_2 = __riscv_vfmv_v_f_f32m1(0, vl);

  /* A short last vector is loaded at full length while the panel goes on behind it: the spare lanes hold
     values of the next k step and are never stored. Only the last steps must cut it. */
  /* So is the row that is gathered from. */
  const int64_t row_cuts = (int64_t)(vl - 1) / 3;
  const int64_t vector_cuts = last_vl < vl;
  const int64_t cuts = row_cuts > vector_cuts ? row_cuts : vector_cuts;
  const int64_t whole = k > cuts ? k - cuts : 0;
  for (int64_t p = 0; p < whole; ++p) {
    const vfloat32m1_t row = __riscv_vle32_v_f32m1(b, vl);
    const vfloat32m1_t a0 = __riscv_vle32_v_f32m1(a, vl);
    const vfloat32m1_t a1 = __riscv_vle32_v_f32m1(a + 8, vl);
    const vfloat32m1_t b0_v = __riscv_vrgather_vx_f32m1(row, 0, vl);
    const vfloat32m1_t b1_v = __riscv_vrgather_vx_f32m1(row, 1, vl);
    c0_0 = __riscv_vfmacc_vv_f32m1(c0_0, b0_v, a0, vl);
    c1_0 = __riscv_vfmacc_vv_f32m1(c1_0, b0_v, a1, vl);
    const vfloat32m1_t b2_v = __riscv_vrgather_vx_f32m1(row, 2, vl);
    c0_1 = __riscv_vfmacc_vv_f32m1(c0_1, b1_v, a0, vl);
    c1_1 = __riscv_vfmacc_vv_f32m1(c1_1, b1_v, a1, vl);
    c0_2 = __riscv_vfmacc_vv_f32m1(c0_2, b2_v, a0, vl);
    c1_2 = __riscv_vfmacc_vv_f32m1(c1_2, b2_v, a1, vl);
    a += m;
    b += 3;
  }
  for (int64_t last = whole; last < k; ++last) {
    const vfloat32m1_t row = __riscv_vle32_v_f32m1(b, 3);
    const vfloat32m1_t a0 = __riscv_vle32_v_f32m1(a, vl);
    const vfloat32m1_t a1 = __riscv_vle32_v_f32m1(a + 8, last_vl);
    const vfloat32m1_t b0_v = __riscv_vrgather_vx_f32m1(row, 0, vl);
    const vfloat32m1_t b1_v = __riscv_vrgather_vx_f32m1(row, 1, vl);
    c0_0 = __riscv_vfmacc_vv_f32m1(c0_0, b0_v, a0, vl);
    c1_0 = __riscv_vfmacc_vv_f32m1(c1_0, b0_v, a1, vl);
    const vfloat32m1_t b2_v = __riscv_vrgather_vx_f32m1(row, 2, vl);
    c0_1 = __riscv_vfmacc_vv_f32m1(c0_1, b1_v, a0, vl);
    c1_1 = __riscv_vfmacc_vv_f32m1(c1_1, b1_v, a1, vl);
    c0_2 = __riscv_vfmacc_vv_f32m1(c0_2, b2_v, a0, vl);
    c1_2 = __riscv_vfmacc_vv_f32m1(c1_2, b2_v, a1, vl);
    a += m;
    b += 3;
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
  } else {
    accumulate(c, c0_0, alpha, beta, vl);
    accumulate(c + 8, c1_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, vl);
    accumulate(c + ldc + 8, c1_1, alpha, beta, last_vl);
    accumulate(c + 2 * ldc, c0_2, alpha, beta, vl);
    accumulate(c + 2 * ldc + 8, c1_2, alpha, beta, last_vl);
  }
}
