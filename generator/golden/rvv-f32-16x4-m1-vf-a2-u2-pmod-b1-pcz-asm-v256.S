/*
 * rvv-f32-16x4-m1-vf-a2-u2-pmod-b1-pcz-asm-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 4 with 9 <= m <= 16
 *
 * Register map, 10 of 32 vector registers (LMUL 1) and 8 of 32 scalars:
 *
 *   v0  ..v3    row 0 of C's vectors, columns 0..3: rows 0..7
 *   v4  ..v7    row 1 of C's vectors, columns 0..3: rows 8..m-1
 *   v8  ..v9    vectors of A, in turn
 *   ft0 ..ft7   elements of B (8 in the order ft0-7, fa0-7, ft8-11, fs0-11)
 *
 *   a0 m           a3 A panel, moving    t0 bytes from the last vector to the next
 *   a1 k, left     a4 B panel, moving    t1 elements of the last vector
 *   a2 alpha       a6 C, moving          t2 elements of the others
 *   a5 beta        a7 bytes of ldc       t3 end of the loop in B   t4 steps left over
 *
 * In the loop a3, a1, t6, a0 point to the vectors of an iteration, t1 is its bytes.
 *
 * An iteration is 2 k steps; a modulo schedule against the board's tables places its loads.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f32 --mr 16 --nr 4
 *     --lmul 1 --buffers 2 --unroll 2 --pipeline modulo --beta one --prefetch-c zicbop --emit asm
 */
    .text
    .p2align 4
    .globl quern_rvv_f32_16x4_m1_vf_a2_u2_pmod_b1_pcz_asm_v256
    .type quern_rvv_f32_16x4_m1_vf_a2_u2_pmod_b1_pcz_asm_v256, @function
quern_rvv_f32_16x4_m1_vf_a2_u2_pmod_b1_pcz_asm_v256:
    li          t2, 8
    addi        t1, a0, -8
    slli        t0, t1, 2
    vsetvli     zero, t2, e32, m1, ta, ma
    slli        a7, a7, 2
    /* Ask for C, which is needed at the end. */
    mv          t3, a6
    prefetch.w  0(a6)
    add         t3, t3, a7
    prefetch.w  0(t3)
    add         t3, t3, a7
    prefetch.w  0(t3)
    add         t3, t3, a7
    prefetch.w  0(t3)
    vmv.v.i     v0, 0
    vmv.v.i     v1, 0
    vmv.v.i     v2, 0
    vmv.v.i     v3, 0
    vmv.v.i     v4, 0
    vmv.v.i     v5, 0
    vmv.v.i     v6, 0
    vmv.v.i     v7, 0
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
    li          t6, 32
    mul         t3, t3, t6
    add         t3, t3, a4
    addi        a1, a3, 32
    add         t6, a1, t0
    addi        a0, t6, 32
    add         t1, a0, t0
    sub         t1, t1, a3
    sub         a0, a0, t1
    /* Loads of the first iteration that the loop makes one iteration earlier. */
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    vle32.v     v8, (a3)
    flw         ft3, 12(a4)
    flw         ft4, 16(a4)
    flw         ft5, 20(a4)
    add         a3, a3, t1
    beq         a4, t3, .Llast
    .p2align 3
.Lloop:
    add         a0, a0, t1
    vfmacc.vf   v0, ft0, v8
    vle32.v     v9, (a1)
    vfmacc.vf   v1, ft1, v8
    vfmacc.vf   v2, ft2, v8
    add         a1, a1, t1
    vfmacc.vf   v3, ft3, v8
    vle32.v     v8, (t6)
    vfmacc.vf   v4, ft0, v9
    add         t6, t6, t1
    vfmacc.vf   v5, ft1, v9
    flw         ft6, 24(a4)
    vfmacc.vf   v6, ft2, v9
    flw         ft7, 28(a4)
    vfmacc.vf   v7, ft3, v9
    vle32.v     v9, (a0)
    vfmacc.vf   v0, ft4, v8
    flw         ft0, 32(a4)
    vfmacc.vf   v1, ft5, v8
    flw         ft1, 36(a4)
    vfmacc.vf   v2, ft6, v8
    flw         ft2, 40(a4)
    vfmacc.vf   v3, ft7, v8
    vle32.v     v8, (a3)
    vfmacc.vf   v4, ft4, v9
    flw         ft3, 44(a4)
    vfmacc.vf   v5, ft5, v9
    flw         ft4, 48(a4)
    vfmacc.vf   v6, ft6, v9
    flw         ft5, 52(a4)
    vfmacc.vf   v7, ft7, v9
    addi        a4, a4, 32
    add         a3, a3, t1
    bne         a4, t3, .Lloop
.Llast:
    add         a0, a0, t1
    vfmacc.vf   v0, ft0, v8
    vle32.v     v9, (a1)
    vfmacc.vf   v1, ft1, v8
    vfmacc.vf   v2, ft2, v8
    vfmacc.vf   v3, ft3, v8
    vle32.v     v8, (t6)
    vfmacc.vf   v4, ft0, v9
    vfmacc.vf   v5, ft1, v9
    flw         ft6, 24(a4)
    vfmacc.vf   v6, ft2, v9
    flw         ft7, 28(a4)
    vfmacc.vf   v7, ft3, v9
    vle32.v     v9, (a0)
    vfmacc.vf   v0, ft4, v8
    vfmacc.vf   v1, ft5, v8
    vfmacc.vf   v2, ft6, v8
    vfmacc.vf   v3, ft7, v8
    vfmacc.vf   v4, ft4, v9
    vfmacc.vf   v5, ft5, v9
    vfmacc.vf   v6, ft6, v9
    vfmacc.vf   v7, ft7, v9
    addi        a4, a4, 32
    srli        t1, t0, 2
.Lremainder:
    beqz        t4, .Ltail
.Lstep:
    addi        t4, t4, -1
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    flw         ft3, 12(a4)
    vle32.v     v8, (a3)
    addi        a3, a3, 32
    vfmacc.vf   v0, ft0, v8
    vfmacc.vf   v1, ft1, v8
    vfmacc.vf   v2, ft2, v8
    vfmacc.vf   v3, ft3, v8
    vle32.v     v8, (a3)
    add         a3, a3, t0
    vfmacc.vf   v4, ft0, v8
    vfmacc.vf   v5, ft1, v8
    vfmacc.vf   v6, ft2, v8
    vfmacc.vf   v7, ft3, v8
    addi        a4, a4, 16
    bnez        t4, .Lstep
.Ltail:
    beqz        t5, .Lupdate
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    flw         ft3, 12(a4)
    vle32.v     v8, (a3)
    addi        a3, a3, 32
    vfmacc.vf   v0, ft0, v8
    vfmacc.vf   v1, ft1, v8
    vfmacc.vf   v2, ft2, v8
    vfmacc.vf   v3, ft3, v8
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v8, (a3)
    add         a3, a3, t0
    vfmacc.vf   v4, ft0, v8
    vfmacc.vf   v5, ft1, v8
    vfmacc.vf   v6, ft2, v8
    vfmacc.vf   v7, ft3, v8
    vsetvli     zero, t2, e32, m1, ta, ma
.Lupdate:
    /* From the last vector of a column of C to the first of the next. */
    addi        t6, a7, -32
    lwu         t3, (a5)
    flw         fa0, (a2)
    flw         fa1, (a5)
    li          a1, 0x3f800000
    xor         a1, a1, t3
    beqz        a1, .Ladd
    slli        t3, t3, 33
    beqz        t3, .Loverwrite
    mv          t5, a6
    vfmul.vf    v0, v0, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v1, v1, fa0
    vfmul.vf    v5, v5, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v6, v6, fa0
    vfmul.vf    v3, v3, fa0
    vfmul.vf    v7, v7, fa0
    vle32.v     v8, (t5)
    addi        t5, t5, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v0, fa1, v8
    vle32.v     v8, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v4, fa1, v9
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v1, fa1, v8
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vle32.v     v8, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v5, fa1, v9
    vse32.v     v1, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v2, fa1, v8
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v5, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vle32.v     v8, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v6, fa1, v9
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    vfmacc.vf   v3, fa1, v8
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v6, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vfmacc.vf   v7, fa1, v9
    vse32.v     v3, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v7, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    ret
.Ladd:
    /* beta = 1. */
    mv          t5, a6
    vle32.v     v8, (t5)
    addi        t5, t5, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmadd.vf   v0, fa0, v8
    vle32.v     v8, (t5)
    addi        t5, t5, 32
    vfmadd.vf   v4, fa0, v9
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmadd.vf   v1, fa0, v8
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vle32.v     v8, (t5)
    addi        t5, t5, 32
    vfmadd.vf   v5, fa0, v9
    vse32.v     v1, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         t5, t5, t6
    vfmadd.vf   v2, fa0, v8
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v5, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vle32.v     v8, (t5)
    addi        t5, t5, 32
    vfmadd.vf   v6, fa0, v9
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vle32.v     v9, (t5)
    vsetvli     zero, t2, e32, m1, ta, ma
    vfmadd.vf   v3, fa0, v8
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v6, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vfmadd.vf   v7, fa0, v9
    vse32.v     v3, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v7, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    ret
.Loverwrite:
    /* beta = 0: C is not read, a NaN there must not survive. */
    vfmul.vf    v0, v0, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v1, v1, fa0
    vfmul.vf    v5, v5, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v6, v6, fa0
    vfmul.vf    v3, v3, fa0
    vfmul.vf    v7, v7, fa0
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v4, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vse32.v     v1, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v5, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v6, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    add         a6, a6, t6
    vse32.v     v3, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m1, ta, ma
    vse32.v     v7, (a6)
    vsetvli     zero, t2, e32, m1, ta, ma
    ret
    .size quern_rvv_f32_16x4_m1_vf_a2_u2_pmod_b1_pcz_asm_v256, . - quern_rvv_f32_16x4_m1_vf_a2_u2_pmod_b1_pcz_asm_v256
    .section .note.GNU-stack, "", @progbits
