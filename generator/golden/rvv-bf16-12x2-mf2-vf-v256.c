/*
 * rvv-bf16-12x2-mf2-vf-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 2 with 9 <= m <= 16
 *
 * Register map, 5 of 32 vector registers (LMUL 1/2) and 2 of 32 scalars:
 *
 *         b0     ... b1
 *   a0     c0_0   ... c0_1   rows 0..7
 *   a1     c1_0   ... c1_1   rows 8..m-1
 *
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype bf16 --mr 12 --nr 2 --lmul 1/2
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

void quern_rvv_bf16_12x2_mf2_vf_v256(int64_t m, int64_t k, const float* alpha_p, const __bf16* a, const __bf16* b,
                                     const float* beta_p, float* c, int64_t ldc) {
  const size_t vl = 8;
  const size_t last_vl = (size_t)m - 8;
  vfloat32m1_t c0_0 = __riscv_vfwcvtbf16_f_f_v_f32m1(__riscv_vreinterpret_v_u16mf2_bf16mf2(__riscv_vmv_v_x_u16mf2(0, vl)), vl);
  vfloat32m1_t c0_1 = __riscv_vfwcvtbf16_f_f_v_f32m1(__riscv_vreinterpret_v_u16mf2_bf16mf2(__riscv_vmv_v_x_u16mf2(0, vl)), vl);
  vfloat32m1_t c1_0 = __riscv_vfwcvtbf16_f_f_v_f32m1(__riscv_vreinterpret_v_u16mf2_bf16mf2(__riscv_vmv_v_x_u16mf2(0, vl)), vl);
  vfloat32m1_t c1_1 = __riscv_vfwcvtbf16_f_f_v_f32m1(__riscv_vreinterpret_v_u16mf2_bf16mf2(__riscv_vmv_v_x_u16mf2(0, vl)), vl);

  /* A short last vector is loaded at full length while the panel goes on behind it: the spare lanes hold
     values of the next k step and are never stored. Only the last step must cut it. */
  const int64_t whole = last_vl == vl ? k : k - 1;
  for (int64_t p = 0; p < whole; ++p) {
    const __bf16 b0 = b[0];
    const __bf16 b1 = b[1];
    const vbfloat16mf2_t a0 = __riscv_vle16_v_bf16mf2(a, vl);
    c0_0 = __riscv_vfwmaccbf16_vf_f32m1(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfwmaccbf16_vf_f32m1(c0_1, b1, a0, vl);
    const vbfloat16mf2_t a1 = __riscv_vle16_v_bf16mf2(a + 8, vl);
    c1_0 = __riscv_vfwmaccbf16_vf_f32m1(c1_0, b0, a1, vl);
    c1_1 = __riscv_vfwmaccbf16_vf_f32m1(c1_1, b1, a1, vl);
    a += m;
    b += 2;
  }
  if (whole >= 0 && whole < k) {
    const __bf16 b0 = b[0];
    const __bf16 b1 = b[1];
    const vbfloat16mf2_t a0 = __riscv_vle16_v_bf16mf2(a, vl);
    c0_0 = __riscv_vfwmaccbf16_vf_f32m1(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfwmaccbf16_vf_f32m1(c0_1, b1, a0, vl);
    const vbfloat16mf2_t a1 = __riscv_vle16_v_bf16mf2(a + 8, last_vl);
    c1_0 = __riscv_vfwmaccbf16_vf_f32m1(c1_0, b0, a1, last_vl);
    c1_1 = __riscv_vfwmaccbf16_vf_f32m1(c1_1, b1, a1, last_vl);
  }

  const float alpha = *alpha_p;
  const float beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0, alpha, vl);
    overwrite(c + 8, c1_0, alpha, last_vl);
    overwrite(c + ldc, c0_1, alpha, vl);
    overwrite(c + ldc + 8, c1_1, alpha, last_vl);
  } else {
    accumulate(c, c0_0, alpha, beta, vl);
    accumulate(c + 8, c1_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, vl);
    accumulate(c + ldc + 8, c1_1, alpha, beta, last_vl);
  }
}
