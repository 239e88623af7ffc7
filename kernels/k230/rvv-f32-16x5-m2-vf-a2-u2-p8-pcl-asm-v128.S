/*
 * rvv-f32-16x5-m2-vf-a2-u2-p8-pcl-asm-v128: a GEMM micro-kernel for VLEN 128.
 *
 *   C = alpha * A * B + beta * C,  C is m x 5 with 9 <= m <= 16
 *
 * Register map, 24 of 32 vector registers (LMUL 2) and 10 of 32 scalars:
 *
 *   v0  ..v8    row 0 of C's vectors, columns 0..4: rows 0..7
 *   v10 ..v18   row 1 of C's vectors, columns 0..4: rows 8..m-1
 *   v20 ..v22   vectors of A, in turn
 *   ft0 ..fa1   elements of B (10 in the order ft0-7, fa0-7, ft8-11, fs0-11)
 *
 *   a0 m           a3 A panel, moving    t0 bytes from the last vector to the next
 *   a1 k, left     a4 B panel, moving    t1 elements of the last vector
 *   a2 alpha       a6 C, moving          t2 elements of the others
 *   a5 beta        a7 bytes of ldc       t3 end of the loop in B   t4 steps left over
 *
 * In the loop a3, a1, t6, a0 point to the vectors of an iteration, t1 is its bytes.
 *
 * An iteration is 2 k steps; a scalar is loaded 8 or more FMAs ahead of its use.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 128:
 *   quern generate --board B --dtype f32 --mr 16 --nr 5
 *     --lmul 2 --buffers 2 --unroll 2 --pipeline 8 --prefetch-c load --emit asm
 */
    .text
    .p2align 4
    .globl quern_rvv_f32_16x5_m2_vf_a2_u2_p8_pcl_asm_v128
    .type quern_rvv_f32_16x5_m2_vf_a2_u2_p8_pcl_asm_v128, @function
quern_rvv_f32_16x5_m2_vf_a2_u2_p8_pcl_asm_v128:
    li          t2, 8
    addi        t1, a0, -8
    slli        t0, t1, 2
    vsetvli     zero, t2, e32, m2, ta, ma
    slli        a7, a7, 2
    /* Ask for C, which is needed at the end. */
    mv          t3, a6
    lb          zero, 0(a6)
    add         t3, t3, a7
    lb          zero, 0(t3)
    add         t3, t3, a7
    lb          zero, 0(t3)
    add         t3, t3, a7
    lb          zero, 0(t3)
    add         t3, t3, a7
    lb          zero, 0(t3)
    vmv.v.i     v0, 0
    vmv.v.i     v2, 0
    vmv.v.i     v4, 0
    vmv.v.i     v6, 0
    vmv.v.i     v8, 0
    vmv.v.i     v10, 0
    vmv.v.i     v12, 0
    vmv.v.i     v14, 0
    vmv.v.i     v16, 0
    vmv.v.i     v18, 0
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
    li          t6, 40
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
    vle32.v     v20, (a3)
    flw         ft3, 12(a4)
    flw         ft4, 16(a4)
    add         a3, a3, t1
    beq         a4, t3, .Llast
    .p2align 3
.Lloop:
    add         a0, a0, t1
    vfmacc.vf   v0, ft0, v20
    vle32.v     v22, (a1)
    vfmacc.vf   v2, ft1, v20
    flw         ft5, 20(a4)
    vfmacc.vf   v4, ft2, v20
    flw         ft6, 24(a4)
    vfmacc.vf   v6, ft3, v20
    flw         ft7, 28(a4)
    vfmacc.vf   v8, ft4, v20
    vle32.v     v20, (t6)
    flw         fa0, 32(a4)
    vfmacc.vf   v10, ft0, v22
    add         t6, t6, t1
    add         a1, a1, t1
    flw         fa1, 36(a4)
    vfmacc.vf   v12, ft1, v22
    vfmacc.vf   v14, ft2, v22
    vfmacc.vf   v16, ft3, v22
    vfmacc.vf   v18, ft4, v22
    vle32.v     v22, (a0)
    vfmacc.vf   v0, ft5, v20
    vfmacc.vf   v2, ft6, v20
    flw         ft0, 40(a4)
    vfmacc.vf   v4, ft7, v20
    flw         ft1, 44(a4)
    vfmacc.vf   v6, fa0, v20
    flw         ft2, 48(a4)
    vfmacc.vf   v8, fa1, v20
    vle32.v     v20, (a3)
    flw         ft3, 52(a4)
    vfmacc.vf   v10, ft5, v22
    flw         ft4, 56(a4)
    vfmacc.vf   v12, ft6, v22
    vfmacc.vf   v14, ft7, v22
    vfmacc.vf   v16, fa0, v22
    vfmacc.vf   v18, fa1, v22
    addi        a4, a4, 40
    add         a3, a3, t1
    bne         a4, t3, .Lloop
.Llast:
    add         a0, a0, t1
    vfmacc.vf   v0, ft0, v20
    vle32.v     v22, (a1)
    vfmacc.vf   v2, ft1, v20
    flw         ft5, 20(a4)
    vfmacc.vf   v4, ft2, v20
    flw         ft6, 24(a4)
    vfmacc.vf   v6, ft3, v20
    flw         ft7, 28(a4)
    vfmacc.vf   v8, ft4, v20
    vle32.v     v20, (t6)
    flw         fa0, 32(a4)
    vfmacc.vf   v10, ft0, v22
    flw         fa1, 36(a4)
    vfmacc.vf   v12, ft1, v22
    vfmacc.vf   v14, ft2, v22
    vfmacc.vf   v16, ft3, v22
    vfmacc.vf   v18, ft4, v22
    vle32.v     v22, (a0)
    vfmacc.vf   v0, ft5, v20
    vfmacc.vf   v2, ft6, v20
    vfmacc.vf   v4, ft7, v20
    vfmacc.vf   v6, fa0, v20
    vfmacc.vf   v8, fa1, v20
    vfmacc.vf   v10, ft5, v22
    vfmacc.vf   v12, ft6, v22
    vfmacc.vf   v14, ft7, v22
    vfmacc.vf   v16, fa0, v22
    vfmacc.vf   v18, fa1, v22
    addi        a4, a4, 40
    srli        t1, t0, 2
.Lremainder:
    beqz        t4, .Ltail
.Lstep:
    addi        t4, t4, -1
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    flw         ft3, 12(a4)
    flw         ft4, 16(a4)
    vle32.v     v20, (a3)
    addi        a3, a3, 32
    vfmacc.vf   v0, ft0, v20
    vfmacc.vf   v2, ft1, v20
    vfmacc.vf   v4, ft2, v20
    vfmacc.vf   v6, ft3, v20
    vfmacc.vf   v8, ft4, v20
    vle32.v     v20, (a3)
    add         a3, a3, t0
    vfmacc.vf   v10, ft0, v20
    vfmacc.vf   v12, ft1, v20
    vfmacc.vf   v14, ft2, v20
    vfmacc.vf   v16, ft3, v20
    vfmacc.vf   v18, ft4, v20
    addi        a4, a4, 20
    bnez        t4, .Lstep
.Ltail:
    beqz        t5, .Lupdate
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    flw         ft3, 12(a4)
    flw         ft4, 16(a4)
    vle32.v     v20, (a3)
    addi        a3, a3, 32
    vfmacc.vf   v0, ft0, v20
    vfmacc.vf   v2, ft1, v20
    vfmacc.vf   v4, ft2, v20
    vfmacc.vf   v6, ft3, v20
    vfmacc.vf   v8, ft4, v20
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v20, (a3)
    add         a3, a3, t0
    vfmacc.vf   v10, ft0, v20
    vfmacc.vf   v12, ft1, v20
    vfmacc.vf   v14, ft2, v20
    vfmacc.vf   v16, ft3, v20
    vfmacc.vf   v18, ft4, v20
    vsetvli     zero, t2, e32, m2, ta, ma
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
    vfmul.vf    v10, v10, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v12, v12, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v14, v14, fa0
    vfmul.vf    v6, v6, fa0
    vfmul.vf    v16, v16, fa0
    vfmul.vf    v8, v8, fa0
    vfmul.vf    v18, v18, fa0
    vle32.v     v20, (t5)
    addi        t5, t5, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v22, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v0, fa1, v20
    vle32.v     v20, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v10, fa1, v22
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v22, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v2, fa1, v20
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v10, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vle32.v     v20, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v12, fa1, v22
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v22, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v4, fa1, v20
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v12, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vle32.v     v20, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v14, fa1, v22
    vse32.v     v4, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v22, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v6, fa1, v20
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v14, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vle32.v     v20, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v16, fa1, v22
    vse32.v     v6, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v22, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    vfmacc.vf   v8, fa1, v20
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v16, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vfmacc.vf   v18, fa1, v22
    vse32.v     v8, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v18, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    ret
.Loverwrite:
    /* beta = 0: C is not read, a NaN there must not survive. */
    vfmul.vf    v0, v0, fa0
    vfmul.vf    v10, v10, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v12, v12, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v14, v14, fa0
    vfmul.vf    v6, v6, fa0
    vfmul.vf    v16, v16, fa0
    vfmul.vf    v8, v8, fa0
    vfmul.vf    v18, v18, fa0
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v10, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v12, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vse32.v     v4, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v14, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vse32.v     v6, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v16, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vse32.v     v8, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v18, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    ret
    .size quern_rvv_f32_16x5_m2_vf_a2_u2_p8_pcl_asm_v128, . - quern_rvv_f32_16x5_m2_vf_a2_u2_p8_pcl_asm_v128
    .section .note.GNU-stack, "", @progbits
