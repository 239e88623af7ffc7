/*
 * rvv-cf64-4x2-m1-vf-a2-u2-p4-asm-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 2 with 1 <= m <= 4
 *
 * Register map, 6 of 32 vector registers (LMUL 1) and 8 of 32 scalars:
 *
 *   v0  ..v3    row 0 of C's vectors, columns 0..1, real and imaginary in turn: rows 0..m-1
 *   v4  ..v5    vectors of A, in turn
 *   ft0 ..ft7   elements of B (8 in the order ft0-7, fa0-7, ft8-11, fs0-11)
 *
 *   a0 m           a3 A panel, moving    t0 bytes from the last vector to the next
 *   a1 k, left     a4 B panel, moving    t1 elements of the last vector
 *   a2 alpha       a6 C, moving          t2 elements of the others
 *   a5 beta        a7 bytes of ldc       t3 end of the loop in B   t4 steps left over
 *
 * In the loop a3, a1, t6, t1 point to the vectors of an iteration, t5 is its bytes.
 *
 * An iteration is 2 k steps; a scalar is loaded 4 or more FMAs ahead of its use.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype cf64 --mr 4 --nr 2
 *     --lmul 1 --buffers 2 --unroll 2 --pipeline 4 --emit asm
 */
    .text
    .p2align 4
    .globl quern_rvv_cf64_4x2_m1_vf_a2_u2_p4_asm_v256
    .type quern_rvv_cf64_4x2_m1_vf_a2_u2_p4_asm_v256, @function
quern_rvv_cf64_4x2_m1_vf_a2_u2_p4_asm_v256:
    slli        t0, a0, 3
    vsetvli     zero, a0, e64, m1, ta, ma
    slli        a7, a7, 4
    vmv.v.i     v0, 0
    vmv.v.i     v1, 0
    vmv.v.i     v2, 0
    vmv.v.i     v3, 0
    beqz        a1, .Lupdate
    andi        t4, a1, 1
    srli        t3, a1, 1
    beqz        t3, .Lremainder
    /* The last iteration stands behind the loop. */
    addi        t3, t3, -1
    li          t6, 64
    mul         t3, t3, t6
    add         t3, t3, a4
    add         a1, a3, t0
    add         t6, a1, t0
    add         t1, t6, t0
    add         t5, t1, t0
    sub         t5, t5, a3
    sub         t1, t1, t5
    /* Loads of the first iteration that the loop makes one iteration earlier. */
    vle64.v     v4, (a3)
    fld         ft0, 0(a4)
    fld         ft1, 8(a4)
    fld         ft2, 16(a4)
    fld         ft3, 24(a4)
    add         a3, a3, t5
    beq         a4, t3, .Llast
    .p2align 3
.Lloop:
    add         t1, t1, t5
    vfmacc.vf   v0, ft0, v4
    vle64.v     v5, (a1)
    vfmacc.vf   v2, ft1, v4
    vfmacc.vf   v1, ft2, v4
    fld         ft4, 32(a4)
    vfmacc.vf   v3, ft3, v4
    vle64.v     v4, (t6)
    add         a1, a1, t5
    add         t6, t6, t5
    vfmacc.vf   v1, ft0, v5
    fld         ft5, 40(a4)
    vfmacc.vf   v3, ft1, v5
    fld         ft6, 48(a4)
    vfnmsac.vf  v0, ft2, v5
    fld         ft7, 56(a4)
    vfnmsac.vf  v2, ft3, v5
    vle64.v     v5, (t1)
    vfmacc.vf   v0, ft4, v4
    vfmacc.vf   v2, ft5, v4
    vfmacc.vf   v1, ft6, v4
    vfmacc.vf   v3, ft7, v4
    vle64.v     v4, (a3)
    fld         ft0, 64(a4)
    vfmacc.vf   v1, ft4, v5
    fld         ft1, 72(a4)
    vfmacc.vf   v3, ft5, v5
    fld         ft2, 80(a4)
    vfnmsac.vf  v0, ft6, v5
    fld         ft3, 88(a4)
    vfnmsac.vf  v2, ft7, v5
    addi        a4, a4, 64
    add         a3, a3, t5
    bne         a4, t3, .Lloop
.Llast:
    add         t1, t1, t5
    vfmacc.vf   v0, ft0, v4
    vle64.v     v5, (a1)
    vfmacc.vf   v2, ft1, v4
    vfmacc.vf   v1, ft2, v4
    fld         ft4, 32(a4)
    vfmacc.vf   v3, ft3, v4
    vle64.v     v4, (t6)
    vfmacc.vf   v1, ft0, v5
    fld         ft5, 40(a4)
    vfmacc.vf   v3, ft1, v5
    fld         ft6, 48(a4)
    vfnmsac.vf  v0, ft2, v5
    fld         ft7, 56(a4)
    vfnmsac.vf  v2, ft3, v5
    vle64.v     v5, (t1)
    vfmacc.vf   v0, ft4, v4
    vfmacc.vf   v2, ft5, v4
    vfmacc.vf   v1, ft6, v4
    vfmacc.vf   v3, ft7, v4
    vfmacc.vf   v1, ft4, v5
    vfmacc.vf   v3, ft5, v5
    vfnmsac.vf  v0, ft6, v5
    vfnmsac.vf  v2, ft7, v5
    addi        a4, a4, 64
.Lremainder:
    beqz        t4, .Lupdate
.Lstep:
    addi        t4, t4, -1
    fld         ft0, 0(a4)
    fld         ft1, 8(a4)
    fld         ft2, 16(a4)
    fld         ft3, 24(a4)
    vle64.v     v4, (a3)
    add         a3, a3, t0
    vfmacc.vf   v0, ft0, v4
    vfmacc.vf   v2, ft1, v4
    vfmacc.vf   v1, ft2, v4
    vfmacc.vf   v3, ft3, v4
    vle64.v     v4, (a3)
    add         a3, a3, t0
    vfmacc.vf   v1, ft0, v4
    vfmacc.vf   v3, ft1, v4
    vfnmsac.vf  v0, ft2, v4
    vfnmsac.vf  v2, ft3, v4
    addi        a4, a4, 32
    bnez        t4, .Lstep
.Lupdate:
    mv          t6, a7
    li          a4, 16
    ld          t3, (a5)
    ld          t4, 8(a5)
    fld         fa2, (a5)
    fld         fa3, 8(a5)
    fld         fa0, (a2)
    fld         fa1, 8(a2)
    or          t3, t3, t4
    slli        t3, t3, 1
    beqz        t3, .Loverwrite
    mv          t5, a6
    vfmul.vf    v4, v0, fa1
    vfmul.vf    v0, v0, fa0
    vfnmsac.vf  v0, fa1, v1
    vfmul.vf    v1, v1, fa0
    vfadd.vv    v1, v1, v4
    vlse64.v    v4, (t5), a4
    vfmacc.vf   v0, fa2, v4
    vfmacc.vf   v1, fa3, v4
    addi        t3, t5, 8
    vlse64.v    v5, (t3), a4
    vfnmsac.vf  v0, fa3, v5
    vfmacc.vf   v1, fa2, v5
    add         t5, t5, t6
    vsseg2e64.v v0, (a6)
    add         a6, a6, t6
    vfmul.vf    v4, v2, fa1
    vfmul.vf    v2, v2, fa0
    vfnmsac.vf  v2, fa1, v3
    vfmul.vf    v3, v3, fa0
    vfadd.vv    v3, v3, v4
    vlse64.v    v4, (t5), a4
    vfmacc.vf   v2, fa2, v4
    vfmacc.vf   v3, fa3, v4
    addi        t3, t5, 8
    vlse64.v    v5, (t3), a4
    vfnmsac.vf  v2, fa3, v5
    vfmacc.vf   v3, fa2, v5
    vsseg2e64.v v2, (a6)
    ret
.Loverwrite:
    /* beta = 0: C is not read, a NaN there must not survive. */
    vfmul.vf    v4, v0, fa1
    vfmul.vf    v0, v0, fa0
    vfnmsac.vf  v0, fa1, v1
    vfmul.vf    v1, v1, fa0
    vfadd.vv    v1, v1, v4
    vsseg2e64.v v0, (a6)
    add         a6, a6, t6
    vfmul.vf    v4, v2, fa1
    vfmul.vf    v2, v2, fa0
    vfnmsac.vf  v2, fa1, v3
    vfmul.vf    v3, v3, fa0
    vfadd.vv    v3, v3, v4
    vsseg2e64.v v2, (a6)
    ret
    .size quern_rvv_cf64_4x2_m1_vf_a2_u2_p4_asm_v256, . - quern_rvv_cf64_4x2_m1_vf_a2_u2_p4_asm_v256
    .section .note.GNU-stack, "", @progbits
