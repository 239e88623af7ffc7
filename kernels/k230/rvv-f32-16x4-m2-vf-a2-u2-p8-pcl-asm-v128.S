/*
 * rvv-f32-16x4-m2-vf-a2-u2-p8-pcl-asm-v128: a GEMM micro-kernel for VLEN 128.
 *
 *   C = alpha * A * B + beta * C,  C is m x 4 with 9 <= m <= 16
 *
 * Register map, 20 of 32 vector registers (LMUL 2) and 8 of 32 scalars:
 *
 *   v0  ..v6    row 0 of C's vectors, columns 0..3: rows 0..7
 *   v8  ..v14   row 1 of C's vectors, columns 0..3: rows 8..m-1
 *   v16 ..v18   vectors of A, in turn
 *   ft0 ..ft7   elements of B (8 in the order ft0-7, fa0-7, ft8-11, fs0-11)
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
 *   quern generate --board B --dtype f32 --mr 16 --nr 4
 *     --lmul 2 --buffers 2 --unroll 2 --pipeline 8 --prefetch-c load --emit asm
 */
    .text
    .p2align 4
    .globl quern_rvv_f32_16x4_m2_vf_a2_u2_p8_pcl_asm_v128
    .type quern_rvv_f32_16x4_m2_vf_a2_u2_p8_pcl_asm_v128, @function
quern_rvv_f32_16x4_m2_vf_a2_u2_p8_pcl_asm_v128:
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
    vmv.v.i     v0, 0
    vmv.v.i     v2, 0
    vmv.v.i     v4, 0
    vmv.v.i     v6, 0
    vmv.v.i     v8, 0
    vmv.v.i     v10, 0
    vmv.v.i     v12, 0
    vmv.v.i     v14, 0
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
    flw         ft3, 12(a4)
    vle32.v     v16, (a3)
    flw         ft4, 16(a4)
    add         a3, a3, t1
    beq         a4, t3, .Llast
    .p2align 3
.Lloop:
    add         a0, a0, t1
    vfmacc.vf   v0, ft0, v16
    vle32.v     v18, (a1)
    flw         ft5, 20(a4)
    vfmacc.vf   v2, ft1, v16
    flw         ft6, 24(a4)
    vfmacc.vf   v4, ft2, v16
    flw         ft7, 28(a4)
    vfmacc.vf   v6, ft3, v16
    vle32.v     v16, (t6)
    vfmacc.vf   v8, ft0, v18
    add         t6, t6, t1
    add         a1, a1, t1
    vfmacc.vf   v10, ft1, v18
    vfmacc.vf   v12, ft2, v18
    vfmacc.vf   v14, ft3, v18
    vle32.v     v18, (a0)
    flw         ft0, 32(a4)
    vfmacc.vf   v0, ft4, v16
    flw         ft1, 36(a4)
    vfmacc.vf   v2, ft5, v16
    flw         ft2, 40(a4)
    vfmacc.vf   v4, ft6, v16
    flw         ft3, 44(a4)
    vfmacc.vf   v6, ft7, v16
    vle32.v     v16, (a3)
    vfmacc.vf   v8, ft4, v18
    vfmacc.vf   v10, ft5, v18
    vfmacc.vf   v12, ft6, v18
    flw         ft4, 48(a4)
    vfmacc.vf   v14, ft7, v18
    addi        a4, a4, 32
    add         a3, a3, t1
    bne         a4, t3, .Lloop
.Llast:
    add         a0, a0, t1
    vfmacc.vf   v0, ft0, v16
    vle32.v     v18, (a1)
    flw         ft5, 20(a4)
    vfmacc.vf   v2, ft1, v16
    flw         ft6, 24(a4)
    vfmacc.vf   v4, ft2, v16
    flw         ft7, 28(a4)
    vfmacc.vf   v6, ft3, v16
    vle32.v     v16, (t6)
    vfmacc.vf   v8, ft0, v18
    vfmacc.vf   v10, ft1, v18
    vfmacc.vf   v12, ft2, v18
    vfmacc.vf   v14, ft3, v18
    vle32.v     v18, (a0)
    vfmacc.vf   v0, ft4, v16
    vfmacc.vf   v2, ft5, v16
    vfmacc.vf   v4, ft6, v16
    vfmacc.vf   v6, ft7, v16
    vfmacc.vf   v8, ft4, v18
    vfmacc.vf   v10, ft5, v18
    vfmacc.vf   v12, ft6, v18
    vfmacc.vf   v14, ft7, v18
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
    vle32.v     v16, (a3)
    addi        a3, a3, 32
    vfmacc.vf   v0, ft0, v16
    vfmacc.vf   v2, ft1, v16
    vfmacc.vf   v4, ft2, v16
    vfmacc.vf   v6, ft3, v16
    vle32.v     v16, (a3)
    add         a3, a3, t0
    vfmacc.vf   v8, ft0, v16
    vfmacc.vf   v10, ft1, v16
    vfmacc.vf   v12, ft2, v16
    vfmacc.vf   v14, ft3, v16
    addi        a4, a4, 16
    bnez        t4, .Lstep
.Ltail:
    beqz        t5, .Lupdate
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    flw         ft3, 12(a4)
    vle32.v     v16, (a3)
    addi        a3, a3, 32
    vfmacc.vf   v0, ft0, v16
    vfmacc.vf   v2, ft1, v16
    vfmacc.vf   v4, ft2, v16
    vfmacc.vf   v6, ft3, v16
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v16, (a3)
    add         a3, a3, t0
    vfmacc.vf   v8, ft0, v16
    vfmacc.vf   v10, ft1, v16
    vfmacc.vf   v12, ft2, v16
    vfmacc.vf   v14, ft3, v16
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
    vfmul.vf    v8, v8, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v10, v10, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v12, v12, fa0
    vfmul.vf    v6, v6, fa0
    vfmul.vf    v14, v14, fa0
    vle32.v     v16, (t5)
    addi        t5, t5, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v18, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v0, fa1, v16
    vle32.v     v16, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v8, fa1, v18
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v18, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v2, fa1, v16
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v8, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vle32.v     v16, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v10, fa1, v18
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v18, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         t5, t5, t6
    vfmacc.vf   v4, fa1, v16
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v10, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vle32.v     v16, (t5)
    addi        t5, t5, 32
    vfmacc.vf   v12, fa1, v18
    vse32.v     v4, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vle32.v     v18, (t5)
    vsetvli     zero, t2, e32, m2, ta, ma
    vfmacc.vf   v6, fa1, v16
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v12, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vfmacc.vf   v14, fa1, v18
    vse32.v     v6, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v14, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    ret
.Loverwrite:
    /* beta = 0: C is not read, a NaN there must not survive. */
    vfmul.vf    v0, v0, fa0
    vfmul.vf    v8, v8, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v10, v10, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v12, v12, fa0
    vfmul.vf    v6, v6, fa0
    vfmul.vf    v14, v14, fa0
    vse32.v     v0, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v8, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vse32.v     v2, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v10, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vse32.v     v4, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v12, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    add         a6, a6, t6
    vse32.v     v6, (a6)
    addi        a6, a6, 32
    vsetvli     zero, t1, e32, m2, ta, ma
    vse32.v     v14, (a6)
    vsetvli     zero, t2, e32, m2, ta, ma
    ret
    .size quern_rvv_f32_16x4_m2_vf_a2_u2_p8_pcl_asm_v128, . - quern_rvv_f32_16x4_m2_vf_a2_u2_p8_pcl_asm_v128
    .section .note.GNU-stack, "", @progbits
