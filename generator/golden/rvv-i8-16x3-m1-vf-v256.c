/*
 * rvv-i8-16x3-m1-vf-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 3 with 1 <= m <= 16
 *
 * Register map, 8 of 32 vector registers (LMUL 1) and 3 of 14 scalars:
 *
 *         b0     ... b2
 *   a0     c0_0   ... c0_2   rows 0..m-1
 *
 * The vectors a0, a1, ... are loaded one after the other, so one register holds them in turn.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype i8 --mr 16 --nr 3 --lmul 1
 */
#include <riscv_vector.h>
#include <stdint.h>

static inline void overwrite(int32_t* c, vint32m2_t sum, int32_t alpha, size_t vl) {
  __riscv_vse32_v_i32m2(c, __riscv_vmul_vx_i32m2(sum, alpha, vl), vl);
}

static inline void accumulate(int32_t* c, vint32m2_t sum, int32_t alpha, int32_t beta, size_t vl) {
  const vint32m2_t old = __riscv_vmul_vx_i32m2(__riscv_vle32_v_i32m2(c, vl), beta, vl);
  __riscv_vse32_v_i32m2(c, __riscv_vmacc_vx_i32m2(old, alpha, sum, vl), vl);
}

void quern_rvv_i8_16x3_m1_vf_v256(int64_t m, int64_t k, const int32_t* alpha_p, const int16_t* a, const int16_t* b,
                                  const int32_t* beta_p, int32_t* c, int64_t ldc) {
  const size_t last_vl = (size_t)m;
  vint32m2_t c0_0 = __riscv_vwcvt_x_x_v_i32m2(__riscv_vmv_v_x_i16m1(0, last_vl), last_vl);
  vint32m2_t c0_1 = __riscv_vwcvt_x_x_v_i32m2(__riscv_vmv_v_x_i16m1(0, last_vl), last_vl);
  vint32m2_t c0_2 = __riscv_vwcvt_x_x_v_i32m2(__riscv_vmv_v_x_i16m1(0, last_vl), last_vl);

  for (int64_t p = 0; p < k; ++p) {
    const int16_t b0 = b[0];
    const int16_t b1 = b[1];
    const int16_t b2 = b[2];
    const vint16m1_t a0 = __riscv_vle16_v_i16m1(a, last_vl);
    c0_0 = __riscv_vwmacc_vx_i32m2(c0_0, b0, a0, last_vl);
    c0_1 = __riscv_vwmacc_vx_i32m2(c0_1, b1, a0, last_vl);
    c0_2 = __riscv_vwmacc_vx_i32m2(c0_2, b2, a0, last_vl);
    a += m;
    b += 3;
  }

  const int32_t alpha = *alpha_p;
  const int32_t beta = *beta_p;
  if (beta == 0) { /* C is not read: a NaN there must not survive */
    overwrite(c, c0_0, alpha, last_vl);
    overwrite(c + ldc, c0_1, alpha, last_vl);
    overwrite(c + 2 * ldc, c0_2, alpha, last_vl);
  } else {
    accumulate(c, c0_0, alpha, beta, last_vl);
    accumulate(c + ldc, c0_1, alpha, beta, last_vl);
    accumulate(c + 2 * ldc, c0_2, alpha, beta, last_vl);
  }
}
