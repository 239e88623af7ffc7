/*
 * rvv-i8-32x2-m1-vf-asm-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 2 with 17 <= m <= 32
 *
 * Register map, 10 of 32 vector registers (LMUL 1) and 2 of 14 scalars:
 *
 *   v0  ..v2    row 0 of C's vectors, columns 0..1: rows 0..15
 *   v4  ..v6    row 1 of C's vectors, columns 0..1: rows 16..m-1
 *   v8          vectors of A, in turn
 *   t6  ..a1    elements of B (2 in the order t6, a1, s0-11)
 *
 *   a0 m           a3 A panel, moving    t0 bytes from the last vector to the next
 *   a1 k, left     a4 B panel, moving    t1 elements of the last vector
 *   a2 alpha       a6 C, moving          t2 elements of the others
 *   a5 beta        a7 bytes of ldc       t3 end of the loop in B   t4 steps left over
 *
 * An iteration is 1 k step; a scalar is loaded just ahead of its use.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype i8 --mr 32 --nr 2
 *     --lmul 1 --emit asm
 */
    .text
    .p2align 4
    .globl quern_rvv_i8_32x2_m1_vf_asm_v256
    .type quern_rvv_i8_32x2_m1_vf_asm_v256, @function
quern_rvv_i8_32x2_m1_vf_asm_v256:
    li          t2, 16
    addi        t1, a0, -16
    slli        t0, t1, 1
    vsetvli     zero, t2, e32, m2, ta, ma
    slli        a7, a7, 2
    vmv.v.i     v0, 0
    vmv.v.i     v2, 0
    vmv.v.i     v4, 0
    vmv.v.i     v6, 0
    vsetvli     zero, t2, e16, m1, ta, ma
    beqz        a1, .Lupdate
    /* A short last vector is loaded at full length while the panel goes on behind it: spare */
    /* lanes hold values of the next k step. Only the last step must cut it. */
    sltu        t5, t1, t2
    sub         a1, a1, t5
    mv          t3, a1
    beqz        t3, .Ltail
    li          t6, 4
    mul         t3, t3, t6
    add         t3, t3, a4
    .p2align 3
.Lloop:
    vle16.v     v8, (a3)
    addi        a3, a3, 32
    lh          t6, 0(a4)
    vwmacc.vx   v0, t6, v8
    lh          a1, 2(a4)
    vwmacc.vx   v2, a1, v8
    vle16.v     v8, (a3)
    add         a3, a3, t0
    addi        a4, a4, 4
    vwmacc.vx   v4, t6, v8
    vwmacc.vx   v6, a1, v8
    bne         a4, t3, .Lloop
.Ltail:
    beqz        t5, .Lupdate
    lh          t6, 0(a4)
    lh          a1, 2(a4)
    vle16.v     v8, (a3)
    addi        a3, a3, 32
    vwmacc.vx   v0, t6, v8
    vwmacc.vx   v2, a1, v8
    vsetvli     zero, t1, e16, m1, ta, ma
    vle16.v     v8, (a3)
    add         a3, a3, t0
    vwmacc.vx   v4, t6, v8
    vwmacc.vx   v6, a1, v8
    vsetvli     zero, t2, e16, m1, ta, ma
.Lupdate:
    vsetvli     zero, t2, e32, m2, ta, ma
    /* From the last vector of a column of C to the first of the next. */
    addi        t6, a7, -64
    lwu         t3, (a5)
    lw          a5, (a5)
    lw          a2, (a2)
    slli        t3, t3, 32
    beqz        t3, .Loverwrite
    mv          t5, a6
    vmul.vx     v0, v0, a2
    vmul.vx     v4, v4, a2
    vmul.vx     v2, v2, a2
    vmul.vx     v6, v6, a2
    vle32.v     v8, (t5)
    addi        t5, t5, 64
    vmacc.vx    v0, a5, v8
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v8, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         t5, t5, t6
    vmacc.vx    v4, a5, v8
    vse32.v     v0, (a6)
    addi        a6, a6, 64
    vle32.v     v8, (t5)
    addi        t5, t5, 64
    vmacc.vx    v2, a5, v8
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v8, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    vmacc.vx    v6, a5, v8
    vse32.v     v2, (a6)
    addi        a6, a6, 64
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v6, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    ret
.Loverwrite:
    /* beta = 0: C is not read, a NaN there must not survive. */
    vmul.vx     v0, v0, a2
    vmul.vx     v4, v4, a2
    vmul.vx     v2, v2, a2
    vmul.vx     v6, v6, a2
    vse32.v     v0, (a6)
    addi        a6, a6, 64
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vse32.v     v2, (a6)
    addi        a6, a6, 64
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v6, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    ret
    .size quern_rvv_i8_32x2_m1_vf_asm_v256, . - quern_rvv_i8_32x2_m1_vf_asm_v256
    .section .note.GNU-stack, "", @progbits
