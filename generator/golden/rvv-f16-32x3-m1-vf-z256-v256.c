/*
 * rvv-f16-32x3-m1-vf-z256-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 3 with 17 <= m <= 32
 *
 * Register map, 7 of 32 vector registers (LMUL 1) and 3 of 32 scalars:
 *
 *         b0     ... b2
 *   a0     c0_0   ... c0_2   rows 0..15
 *   a1     c1_0   ... c1_2   rows 16..m-1
 *
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f16 --mr 32 --nr 3 --lmul 1 --prefetch 256
 */
#include <riscv_vector.h>
#include <stdint.h>

static inline void overwrite(_Float16* c, vfloat16m1_t sum, _Float16 alpha, size_t vl) {
  __riscv_vse16_v_f16m1(c, __riscv_vfmul_vf_f16m1(sum, alpha, vl), vl);
}

static inline void accumulate(_Float16* c, vfloat16m1_t sum, _Float16 alpha, _Float16 beta, size_t vl) {
  const vfloat16m1_t old = __riscv_vfmul_vf_f16m1(__riscv_vle16_v_f16m1(c, vl), beta, vl);
  __riscv_vse16_v_f16m1(c, __riscv_vfmacc_vf_f16m1(old, alpha, sum, vl), vl);
}

void quern_rvv_f16_32x3_m1_vf_z256_v256(int64_t m, int64_t k, const _Float16* alpha_p, const _Float16* a, const _Float16* b,
                                        const _Float16* beta_p, _Float16* c, int64_t ldc) {
  const size_t vl = 16;
  const size_t last_vl = (size_t)m - 16;
  vfloat16m1_t c0_0 = __riscv_vfmv_v_f_f16m1(0, vl);
  vfloat16m1_t c0_1 = __riscv_vfmv_v_f_f16m1(0, vl);
  vfloat16m1_t c0_2 = __riscv_vfmv_v_f_f16m1(0, vl);
  vfloat16m1_t c1_0 = __riscv_vfmv_v_f_f16m1(0, vl);
  vfloat16m1_t c1_1 = __riscv_vfmv_v_f_f16m1(0, vl);
  vfloat16m1_t c1_2 = __riscv_vfmv_v_f_f16m1(0, vl);

  /* A short last vector is loaded at full length while the panel goes on behind it: the spare lanes hold
     values of the next k step and are never stored. Only the last step must cut it. */
  const int64_t whole = last_vl == vl ? k : k - 1;
  for (int64_t p = 0; p < whole; ++p) {
    const _Float16 b0 = b[0];
    const _Float16 b1 = b[1];
    const _Float16 b2 = b[2];
    const vfloat16m1_t a0 = __riscv_vle16_v_f16m1(a, vl);
    c0_0 = __riscv_vfmacc_vf_f16m1(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfmacc_vf_f16m1(c0_1, b1, a0, vl);
    c0_2 = __riscv_vfmacc_vf_f16m1(c0_2, b2, a0, vl);
    const vfloat16m1_t a1 = __riscv_vle16_v_f16m1(a + 16, vl);
    c1_0 = __riscv_vfmacc_vf_f16m1(c1_0, b0, a1, vl);
    c1_1 = __riscv_vfmacc_vf_f16m1(c1_1, b1, a1, vl);
    c1_2 = __riscv_vfmacc_vf_f16m1(c1_2, b2, a1, vl);
    __builtin_prefetch((const char*)a + 256);
    a += m;
    b += 3;
  }
  if (whole >= 0 && whole < k) {
    const _Float16 b0 = b[0];
    const _Float16 b1 = b[1];
    const _Float16 b2 = b[2];
    const vfloat16m1_t a0 = __riscv_vle16_v_f16m1(a, vl);
    c0_0 = __riscv_vfmacc_vf_f16m1(c0_0, b0, a0, vl);
    c0_1 = __riscv_vfmacc_vf_f16m1(c0_1, b1, a0, vl);
    c0_2 = __riscv_vfmacc_vf_f16m1(c0_2, b2, a0, vl);
    const vfloat16m1_t a1 = __riscv_vle16_v_f16m1(a + 16, last_vl);
    c1_0 = __riscv_vfmacc_vf_f16m1(c1_0, b0, a1, last_vl);
    c1_1 = __riscv_vfmacc_vf_f16m1(c1_1, b1, a1, last_vl);
    c1_2 = __riscv_vfmacc_vf_f16m1(c1_2, b2, a1, last_vl);
    __builtin_prefetch((const char*)a + 256);
  }

  const _Float16 alpha = *alpha_p;
  const _Float16 beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0, alpha, vl);
    overwrite(c + 16, c1_0, alpha, last_vl);
    overwrite(c + ldc, c0_1, alpha, vl);
    overwrite(c + ldc + 16, c1_1, alpha, last_vl);
    overwrite(c + 2 * ldc, c0_2, alpha, vl);
    overwrite(c + 2 * ldc + 16, c1_2, alpha, last_vl);
  } else {
    accumulate(c, c0_0, alpha, beta, vl);
    accumulate(c + 16, c1_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, vl);
    accumulate(c + ldc + 16, c1_1, alpha, beta, last_vl);
    accumulate(c + 2 * ldc, c0_2, alpha, beta, vl);
    accumulate(c + 2 * ldc + 16, c1_2, alpha, beta, last_vl);
  }
}
