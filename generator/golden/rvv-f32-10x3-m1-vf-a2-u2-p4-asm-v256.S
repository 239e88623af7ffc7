/*
 * rvv-f32-10x3-m1-vf-a2-u2-p4-asm-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 3 with 9 <= m <= 16
 *
 * Register map, 8 of 32 vector registers (LMUL 1) and 6 of 32 scalars:
 *
 *   v0  ..v2    row 0 of C's vectors, columns 0..2: rows 0..7
 *   v3  ..v5    row 1 of C's vectors, columns 0..2: rows 8..m-1
 *   v6  ..v7    vectors of A, in turn
 *   ft0 ..ft5   elements of B (6 in the order ft0-7, fa0-7, ft8-11, fs0-11)
 *
 *   a0 m           a3 A panel, moving    t0 bytes from the last vector to the next
 *   a1 k, left     a4 B panel, moving    t1 elements of the last vector
 *   a2 alpha       a6 C, moving          t2 elements of the others
 *   a5 beta        a7 bytes of ldc       t3 end of the loop in B   t4 steps left over
 *
 * In the loop a3, a1, t6, a0 point to the vectors of an iteration, t1 is its bytes.
 *
 * An iteration is 2 k steps; a scalar is loaded 4 or more FMAs ahead of its use.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f32 --mr 10 --nr 3
 *     --lmul 1 --buffers 2 --unroll 2 --pipeline 4 --emit asm
 */
    .text
    .p2align 4
    .globl quern_rvv_f32_10x3_m1_vf_a2_u2_p4_asm_v256
    .type quern_rvv_f32_10x3_m1_vf_a2_u2_p4_asm_v256, @function
quern_rvv_f32_10x3_m1_vf_a2_u2_p4_asm_v256:
    li          t2, 8
    addi        t1, a0, -8
    slli        t0, t1, 2
    vsetvli     zero, t2, e32, m1, ta, ma
    slli        a7, a7, 2
    vmv.v.i     v0, 0
    vmv.v.i     v1, 0
    vmv.v.i     v2, 0
    vmv.v.i     v3, 0
    vmv.v.i     v4, 0
    vmv.v.i     v5, 0
    beqz        a1, .Lupdate
    /* A short last vector is loaded at full length while the panel goes on behind it: spare */
    /* lanes hold values of the next k step. Only the last step must cut it. */
    sltu        t5, t1, t2
    sub         a1, a1, t5
    andi        t4, a1, 1
    srli        t3, a1, 1
    beqz        t3, .Lremainder
    /* The last iteration stands behind the loop. */
    addi        t3, t3, -1
    li          t6, 24
    mul         t3, t3, t6
    add         t3, t3, a4
    addi        a1, a3, 32
    add         t6, a1, t0
    addi        a0, t6, 32
    add         t1, a0, t0
    sub         t1, t1, a3
    /* Loads of the first iteration that the loop makes one iteration earlier. */
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    vle32.v     v6, (a3)
    flw         ft2, 8(a4)
    flw         ft3, 12(a4)
    add         a3, a3, t1
    beq         a4, t3, .Llast
    .p2align 3
.Lloop:
    vle32.v     v7, (a1)
    vfmacc.vf   v0, ft0, v6
    vfmacc.vf   v1, ft1, v6
    add         a1, a1, t1
    vfmacc.vf   v2, ft2, v6
    vle32.v     v6, (t6)
    flw         ft4, 16(a4)
    vfmacc.vf   v3, ft0, v7
    flw         ft5, 20(a4)
    vfmacc.vf   v4, ft1, v7
    vfmacc.vf   v5, ft2, v7
    vle32.v     v7, (a0)
    add         t6, t6, t1
    add         a0, a0, t1
    vfmacc.vf   v0, ft3, v6
    flw         ft0, 24(a4)
    vfmacc.vf   v1, ft4, v6
    flw         ft1, 28(a4)
    vfmacc.vf   v2, ft5, v6
    vle32.v     v6, (a3)
    vfmacc.vf   v3, ft3, v7
    flw         ft2, 32(a4)
    vfmacc.vf   v4, ft4, v7
    flw         ft3, 36(a4)
    vfmacc.vf   v5, ft5, v7
    addi        a4, a4, 24
    add         a3, a3, t1
    bne         a4, t3, .Lloop
.Llast:
    vle32.v     v7, (a1)
    vfmacc.vf   v0, ft0, v6
    vfmacc.vf   v1, ft1, v6
    vfmacc.vf   v2, ft2, v6
    vle32.v     v6, (t6)
    flw         ft4, 16(a4)
    vfmacc.vf   v3, ft0, v7
    flw         ft5, 20(a4)
    vfmacc.vf   v4, ft1, v7
    vfmacc.vf   v5, ft2, v7
    vle32.v     v7, (a0)
    vfmacc.vf   v0, ft3, v6
    vfmacc.vf   v1, ft4, v6
    vfmacc.vf   v2, ft5, v6
    vfmacc.vf   v3, ft3, v7
    vfmacc.vf   v4, ft4, v7
    vfmacc.vf   v5, ft5, v7
    addi        a4, a4, 24
    srli        t1, t0, 2
.Lremainder:
    beqz        t4, .Ltail
.Lstep:
    addi        t4, t4, -1
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    vle32.v     v6, (a3)
    addi        a3, a3, 32
    vfmacc.vf   v0, ft0, v6
    vfmacc.vf   v1, ft1, v6
    vfmacc.vf   v2, ft2, v6
    vle32.v     v6, (a3)
    add         a3, a3, t0
    vfmacc.vf   v3, ft0, v6
    vfmacc.vf   v4, ft1, v6
    vfmacc.vf   v5, ft2, v6
    addi        a4, a4, 12
    bnez        t4, .Lstep
.Ltail:
    beqz        t5, .Lupdate
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    vle32.v     v6, (a3)
    addi        a3, a3, 32
    vfmacc.vf   v0, ft0, v6
    vfmacc.vf   v1, ft1, v6
    vfmacc.vf   v2, ft2, v6
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v6, (a3)
    add         a3, a3, t0
    vfmacc.vf   v3, ft0, v6
    vfmacc.vf   v4, ft1, v6
    vfmacc.vf   v5, ft2, v6
    vsetvli     zero, t2, e32, m1, ta, ma
.Lupdate:
    /* From the last vector of a column of C to the first of the next. */
    addi        t6, a7, -32
    lwu         t3, (a5)
    flw         fa0, (a2)
    flw         fa1, (a5)
    slli        t3, t3, 33
    beqz        t3, .Loverwrite
    mv          t5, a6
    vfmul.vf    v0, v0, fa0
    vfmul.vf    v3, v3, fa0
    vfmul.vf    v1, v1, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v5, v5, fa0
    vle32.v     v6, (t5)
    addi        t5, t5, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v7, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v0, fa1, v6
    vle32.v     v6, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v3, fa1, v7
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v7, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v1, fa1, v6
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v3, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vle32.v     v6, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v4, fa1, v7
    vse32.v     v1, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v7, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    vfmacc.vf   v2, fa1, v6
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vfmacc.vf   v5, fa1, v7
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v5, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    ret
.Loverwrite:
    /* beta = 0: C is not read, a NaN there must not survive. */
    vfmul.vf    v0, v0, fa0
    vfmul.vf    v3, v3, fa0
    vfmul.vf    v1, v1, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v5, v5, fa0
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v3, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vse32.v     v1, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v5, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    ret
    .size quern_rvv_f32_10x3_m1_vf_a2_u2_p4_asm_v256, . - quern_rvv_f32_10x3_m1_vf_a2_u2_p4_asm_v256
    .section .note.GNU-stack, "", @progbits
