/*
 * rvv-f32-16x3-m1-bc-u2-asm-vla-v256: a GEMM micro-kernel for every VLEN of 128 or more, here counted for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 3 with 9 <= m <= 16
 *
 * Register map, 10 of 32 vector registers (LMUL 1) and 3 of 32 scalars:
 *
 *   v0  ..v2    row 0 of C's vectors, columns 0..2: rows 0..7
 *   v3  ..v5    row 1 of C's vectors, columns 0..2: rows 8..m-1
 *   v6  ..v7    vectors of A
 *   v8  ..v9    elements of B spread over a vector, in turn
 *   ft0 ..ft2   elements of B (3 in the order ft0-7, fa0-7, ft8-11, fs0-11)
 *
 *   a0 m           a3 A panel, moving    t0 bytes from the last vector to the next
 *   a1 k, left     a4 B panel, moving    t1 elements of the last vector
 *   a2 alpha       a6 C, moving          t2 elements of the others
 *   a5 beta        a7 bytes of ldc       t3 end of the loop in B   t4 steps left over
 *
 * An iteration is 2 k steps; each loads its vectors first.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f32 --mr 16 --nr 3
 *     --lmul 1 --operand broadcast --unroll 2 --emit asm --vl agnostic
 */
    .text
    .p2align 4
    .globl quern_rvv_f32_16x3_m1_bc_u2_asm_vla_v256
    .type quern_rvv_f32_16x3_m1_bc_u2_asm_vla_v256, @function
quern_rvv_f32_16x3_m1_bc_u2_asm_vla_v256:
    vsetvli     t2, zero, e32, m1, ta, ma
    sub         t1, a0, t2
    slli        a0, t2, 2
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
    li          t6, 24
    mul         t3, t3, t6
    add         t3, t3, a4
    .p2align 3
.Lloop:
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    vle32.v     v6, (a3)
    add         a3, a3, a0
    vle32.v     v7, (a3)
    add         a3, a3, t0
    vfmv.v.f    v8, ft0
    vfmv.v.f    v9, ft1
    vfmacc.vv   v0, v8, v6
    vfmacc.vv   v3, v8, v7
    vfmv.v.f    v8, ft2
    vfmacc.vv   v1, v9, v6
    vfmacc.vv   v4, v9, v7
    vfmacc.vv   v2, v8, v6
    vfmacc.vv   v5, v8, v7
    flw         ft0, 12(a4)
    flw         ft1, 16(a4)
    flw         ft2, 20(a4)
    vle32.v     v6, (a3)
    add         a3, a3, a0
    vle32.v     v7, (a3)
    add         a3, a3, t0
    vfmv.v.f    v8, ft0
    vfmv.v.f    v9, ft1
    vfmacc.vv   v0, v8, v6
    vfmacc.vv   v3, v8, v7
    vfmv.v.f    v8, ft2
    vfmacc.vv   v1, v9, v6
    vfmacc.vv   v4, v9, v7
    vfmacc.vv   v2, v8, v6
    vfmacc.vv   v5, v8, v7
    addi        a4, a4, 24
    bne         a4, t3, .Lloop
.Lremainder:
    beqz        t4, .Ltail
.Lstep:
    addi        t4, t4, -1
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    vle32.v     v6, (a3)
    add         a3, a3, a0
    vle32.v     v7, (a3)
    add         a3, a3, t0
    vfmv.v.f    v8, ft0
    vfmv.v.f    v9, ft1
    vfmacc.vv   v0, v8, v6
    vfmacc.vv   v3, v8, v7
    vfmv.v.f    v8, ft2
    vfmacc.vv   v1, v9, v6
    vfmacc.vv   v4, v9, v7
    vfmacc.vv   v2, v8, v6
    vfmacc.vv   v5, v8, v7
    addi        a4, a4, 12
    bnez        t4, .Lstep
.Ltail:
    beqz        t5, .Lupdate
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    vle32.v     v6, (a3)
    add         a3, a3, a0
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v7, (a3)
    add         a3, a3, t0
    vsetvli     zero, t2, e32, m1, ta, ma
    vfmv.v.f    v8, ft0
    vfmv.v.f    v9, ft1
    vfmacc.vv   v0, v8, v6
    vfmacc.vv   v3, v8, v7
    vfmv.v.f    v8, ft2
    vfmacc.vv   v1, v9, v6
    vfmacc.vv   v4, v9, v7
    vfmacc.vv   v2, v8, v6
    vfmacc.vv   v5, v8, v7
.Lupdate:
    slli        a3, t2, 2
    /* From the last vector of a column of C to the first of the next. */
    sub         t6, a7, a3
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
    add         t5, t5, a3
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v7, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vle32.v     v8, (t5)
    add         t5, t5, a3
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v0, fa1, v6
    vle32.v     v6, (t5)
    add         t5, t5, a3
    vfmacc.vf   v3, fa1, v7
    vse32.v     v0, (a6)
    add         a6, a6, a3
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v7, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    vfmacc.vf   v1, fa1, v8
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v3, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vfmacc.vf   v4, fa1, v9
    vse32.v     v1, (a6)
    add         a6, a6, a3
    vfmacc.vf   v2, fa1, v6
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vfmacc.vf   v5, fa1, v7
    vse32.v     v2, (a6)
    add         a6, a6, a3
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
    add         a6, a6, a3
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v3, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vse32.v     v1, (a6)
    add         a6, a6, a3
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vse32.v     v2, (a6)
    add         a6, a6, a3
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v5, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    ret
    .size quern_rvv_f32_16x3_m1_bc_u2_asm_vla_v256, . - quern_rvv_f32_16x3_m1_bc_u2_asm_vla_v256
    .section .note.GNU-stack, "", @progbits
