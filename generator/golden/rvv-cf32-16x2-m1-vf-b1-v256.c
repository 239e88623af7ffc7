/*
 * rvv-cf32-16x2-m1-vf-b1-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 2 with 9 <= m <= 16
 *
 * Register map, 9 of 32 vector registers (LMUL 1) and 4 of 32 scalars:
 *
 *         b0     ... b1
 *   a0     c0_0   ... c0_1   rows 0..7
 *   a1     c1_0   ... c1_1   rows 8..m-1
 *
 * Each of them is a pair, _re and _im: c_re += re*re - im*im, c_im += re*im + im*re.
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype cf32 --mr 16 --nr 2 --lmul 1 --beta one
 */
#include <riscv_vector.h>
#include <stdint.h>

static inline void overwrite(float* c, vfloat32m1_t re, vfloat32m1_t im, const float* alpha, size_t vl) {
  vfloat32m1_t c_re = __riscv_vfnmsac_vf_f32m1(__riscv_vfmul_vf_f32m1(re, alpha[0], vl), alpha[1], im, vl);
  vfloat32m1_t c_im = __riscv_vfmacc_vf_f32m1(__riscv_vfmul_vf_f32m1(im, alpha[0], vl), alpha[1], re, vl);
  __riscv_vsseg2e32_v_f32m1x2(c, __riscv_vcreate_v_f32m1x2(c_re, c_im), vl);
}

static inline void accumulate(float* c, vfloat32m1_t re, vfloat32m1_t im, const float* alpha, const float* beta, size_t vl) {
  vfloat32m1_t c_re = __riscv_vfnmsac_vf_f32m1(__riscv_vfmul_vf_f32m1(re, alpha[0], vl), alpha[1], im, vl);
  vfloat32m1_t c_im = __riscv_vfmacc_vf_f32m1(__riscv_vfmul_vf_f32m1(im, alpha[0], vl), alpha[1], re, vl);
  const vfloat32m1_t old_re = __riscv_vlse32_v_f32m1(c, 8, vl);
  const vfloat32m1_t old_im = __riscv_vlse32_v_f32m1(c + 1, 8, vl);
  c_re = __riscv_vfnmsac_vf_f32m1(__riscv_vfmacc_vf_f32m1(c_re, beta[0], old_re, vl), beta[1], old_im, vl);
  c_im = __riscv_vfmacc_vf_f32m1(__riscv_vfmacc_vf_f32m1(c_im, beta[0], old_im, vl), beta[1], old_re, vl);
  __riscv_vsseg2e32_v_f32m1x2(c, __riscv_vcreate_v_f32m1x2(c_re, c_im), vl);
}

static inline void add(float* c, vfloat32m1_t re, vfloat32m1_t im, const float* alpha, size_t vl) {
  vfloat32m1_t c_re = __riscv_vfnmsac_vf_f32m1(__riscv_vfmul_vf_f32m1(re, alpha[0], vl), alpha[1], im, vl);
  vfloat32m1_t c_im = __riscv_vfmacc_vf_f32m1(__riscv_vfmul_vf_f32m1(im, alpha[0], vl), alpha[1], re, vl);
  const vfloat32m1_t old_re = __riscv_vlse32_v_f32m1(c, 8, vl);
  const vfloat32m1_t old_im = __riscv_vlse32_v_f32m1(c + 1, 8, vl);
  c_re = __riscv_vfadd_vv_f32m1(c_re, old_re, vl);
  c_im = __riscv_vfadd_vv_f32m1(c_im, old_im, vl);
  __riscv_vsseg2e32_v_f32m1x2(c, __riscv_vcreate_v_f32m1x2(c_re, c_im), vl);
}

void quern_rvv_cf32_16x2_m1_vf_b1_v256(int64_t m, int64_t k, const float* alpha_p, const float* a, const float* b,
                                       const float* beta_p, float* c, int64_t ldc) {
  const size_t vl = 8;
  const size_t last_vl = (size_t)m - 8;
  vfloat32m1_t c0_0_re = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_0_im = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_1_re = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c0_1_im = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_0_re = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_0_im = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_1_re = __riscv_vfmv_v_f_f32m1(0, vl);
  vfloat32m1_t c1_1_im = __riscv_vfmv_v_f_f32m1(0, vl);

  /* A short last vector is loaded at full length while the panel goes on behind it: the spare lanes hold
     values of the next k step and are never stored. Only the last step must cut it. */
  const int64_t whole = last_vl == vl ? k : k - 1;
  for (int64_t p = 0; p < whole; ++p) {
    const float b0_re = b[0];
    const float b1_re = b[1];
    const float b0_im = b[2];
    const float b1_im = b[3];
    const vfloat32m1_t a0_re = __riscv_vle32_v_f32m1(a, vl);
    c0_0_re = __riscv_vfmacc_vf_f32m1(c0_0_re, b0_re, a0_re, vl);
    c0_1_re = __riscv_vfmacc_vf_f32m1(c0_1_re, b1_re, a0_re, vl);
    c0_0_im = __riscv_vfmacc_vf_f32m1(c0_0_im, b0_im, a0_re, vl);
    c0_1_im = __riscv_vfmacc_vf_f32m1(c0_1_im, b1_im, a0_re, vl);
    const vfloat32m1_t a1_re = __riscv_vle32_v_f32m1(a + 8, vl);
    c1_0_re = __riscv_vfmacc_vf_f32m1(c1_0_re, b0_re, a1_re, vl);
    c1_1_re = __riscv_vfmacc_vf_f32m1(c1_1_re, b1_re, a1_re, vl);
    c1_0_im = __riscv_vfmacc_vf_f32m1(c1_0_im, b0_im, a1_re, vl);
    c1_1_im = __riscv_vfmacc_vf_f32m1(c1_1_im, b1_im, a1_re, vl);
    const vfloat32m1_t a0_im = __riscv_vle32_v_f32m1(a + m, vl);
    c0_0_im = __riscv_vfmacc_vf_f32m1(c0_0_im, b0_re, a0_im, vl);
    c0_1_im = __riscv_vfmacc_vf_f32m1(c0_1_im, b1_re, a0_im, vl);
    c0_0_re = __riscv_vfnmsac_vf_f32m1(c0_0_re, b0_im, a0_im, vl);
    c0_1_re = __riscv_vfnmsac_vf_f32m1(c0_1_re, b1_im, a0_im, vl);
    const vfloat32m1_t a1_im = __riscv_vle32_v_f32m1(a + m + 8, vl);
    c1_0_im = __riscv_vfmacc_vf_f32m1(c1_0_im, b0_re, a1_im, vl);
    c1_1_im = __riscv_vfmacc_vf_f32m1(c1_1_im, b1_re, a1_im, vl);
    c1_0_re = __riscv_vfnmsac_vf_f32m1(c1_0_re, b0_im, a1_im, vl);
    c1_1_re = __riscv_vfnmsac_vf_f32m1(c1_1_re, b1_im, a1_im, vl);
    a += 2 * m;
    b += 4;
  }
  if (whole >= 0 && whole < k) {
    const float b0_re = b[0];
    const float b1_re = b[1];
    const float b0_im = b[2];
    const float b1_im = b[3];
    const vfloat32m1_t a0_re = __riscv_vle32_v_f32m1(a, vl);
    c0_0_re = __riscv_vfmacc_vf_f32m1(c0_0_re, b0_re, a0_re, vl);
    c0_1_re = __riscv_vfmacc_vf_f32m1(c0_1_re, b1_re, a0_re, vl);
    c0_0_im = __riscv_vfmacc_vf_f32m1(c0_0_im, b0_im, a0_re, vl);
    c0_1_im = __riscv_vfmacc_vf_f32m1(c0_1_im, b1_im, a0_re, vl);
    const vfloat32m1_t a1_re = __riscv_vle32_v_f32m1(a + 8, last_vl);
    c1_0_re = __riscv_vfmacc_vf_f32m1(c1_0_re, b0_re, a1_re, last_vl);
    c1_1_re = __riscv_vfmacc_vf_f32m1(c1_1_re, b1_re, a1_re, last_vl);
    c1_0_im = __riscv_vfmacc_vf_f32m1(c1_0_im, b0_im, a1_re, last_vl);
    c1_1_im = __riscv_vfmacc_vf_f32m1(c1_1_im, b1_im, a1_re, last_vl);
    const vfloat32m1_t a0_im = __riscv_vle32_v_f32m1(a + m, vl);
    c0_0_im = __riscv_vfmacc_vf_f32m1(c0_0_im, b0_re, a0_im, vl);
    c0_1_im = __riscv_vfmacc_vf_f32m1(c0_1_im, b1_re, a0_im, vl);
    c0_0_re = __riscv_vfnmsac_vf_f32m1(c0_0_re, b0_im, a0_im, vl);
    c0_1_re = __riscv_vfnmsac_vf_f32m1(c0_1_re, b1_im, a0_im, vl);
    const vfloat32m1_t a1_im = __riscv_vle32_v_f32m1(a + m + 8, last_vl);
    c1_0_im = __riscv_vfmacc_vf_f32m1(c1_0_im, b0_re, a1_im, last_vl);
    c1_1_im = __riscv_vfmacc_vf_f32m1(c1_1_im, b1_re, a1_im, last_vl);
    c1_0_re = __riscv_vfnmsac_vf_f32m1(c1_0_re, b0_im, a1_im, last_vl);
    c1_1_re = __riscv_vfnmsac_vf_f32m1(c1_1_re, b1_im, a1_im, last_vl);
  }

  const float alpha[2] = {alpha_p[0], alpha_p[1]};
  const float beta[2] = {beta_p[0], beta_p[1]};
  if (beta[0] == 0 && beta[1] == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0_re, c0_0_im, alpha, vl);
    overwrite(c + 2 * 8, c1_0_re, c1_0_im, alpha, last_vl);
    overwrite(c + 2 * ldc, c0_1_re, c0_1_im, alpha, vl);
    overwrite(c + 2 * ldc + 2 * 8, c1_1_re, c1_1_im, alpha, last_vl);
  } else if (beta[0] == 1 && beta[1] == 0) {
    add(c, c0_0_re, c0_0_im, alpha, vl);
    add(c + 2 * 8, c1_0_re, c1_0_im, alpha, last_vl);
    add(c + 2 * ldc, c0_1_re, c0_1_im, alpha, vl);
    add(c + 2 * ldc + 2 * 8, c1_1_re, c1_1_im, alpha, last_vl);
  } else {
    accumulate(c, c0_0_re, c0_0_im, alpha, beta, vl);
    accumulate(c + 2 * 8, c1_0_re, c1_0_im, alpha, beta, last_vl);
    accumulate(c + 2 * ldc, c0_1_re, c0_1_im, alpha, beta, vl);
    accumulate(c + 2 * ldc + 2 * 8, c1_1_re, c1_1_im, alpha, beta, last_vl);
  }
}
