/*
 * rvv-f32-16x12-m2-vf-a2-u2-p8-pcl-asm-v256: a GEMM micro-kernel for VLEN 256.
 *
 *   C = alpha * A * B + beta * C,  C is m x 12 with 1 <= m <= 16
 *
 * Register map, 28 of 32 vector registers (LMUL 2) and 15 of 32 scalars:
 *
 *   v0  ..v22   row 0 of C's vectors, columns 0..11: rows 0..m-1
 *   v24 ..v26   vectors of A, in turn
 *   ft0 ..fa6   elements of B (15 in the order ft0-7, fa0-7, ft8-11, fs0-11)
 *
 *   a0 m           a3 A panel, moving    t0 bytes from the last vector to the next
 *   a1 k, left     a4 B panel, moving    t1 elements of the last vector
 *   a2 alpha       a6 C, moving          t2 elements of the others
 *   a5 beta        a7 bytes of ldc       t3 end of the loop in B   t4 steps left over
 *
 * In the loop a3, a1 point to the vectors of an iteration, t6 is its bytes.
 *
 * An iteration is 2 k steps; a scalar is loaded 8 or more FMAs ahead of its use.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 256:
 *   quern generate --board B --dtype f32 --mr 16 --nr 12
 *     --lmul 2 --buffers 2 --unroll 2 --pipeline 8 --prefetch-c load --emit asm
 */
    .text
    .p2align 4
    .globl quern_rvv_f32_16x12_m2_vf_a2_u2_p8_pcl_asm_v256
    .type quern_rvv_f32_16x12_m2_vf_a2_u2_p8_pcl_asm_v256, @function
quern_rvv_f32_16x12_m2_vf_a2_u2_p8_pcl_asm_v256:
    slli        t0, a0, 2
    vsetvli     zero, a0, e32, m2, ta, ma
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
    add         t3, t3, a7
    lb          zero, 0(t3)
    add         t3, t3, a7
    lb          zero, 0(t3)
    add         t3, t3, a7
    lb          zero, 0(t3)
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
    vmv.v.i     v20, 0
    vmv.v.i     v22, 0
    beqz        a1, .Lupdate
    andi        t4, a1, 1
    srli        t3, a1, 1
    beqz        t3, .Lremainder
    /* The last iteration stands behind the loop. */
    addi        t3, t3, -1
    li          t6, 96
    mul         t3, t3, t6
    add         t3, t3, a4
    add         a1, a3, t0
    add         t6, a1, t0
    sub         t6, t6, a3
    sub         a1, a1, t6
    /* Loads of the first iteration that the loop makes one iteration earlier. */
    vle32.v     v24, (a3)
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    flw         ft3, 12(a4)
    flw         ft4, 16(a4)
    flw         ft5, 20(a4)
    flw         ft6, 24(a4)
    flw         ft7, 28(a4)
    flw         fa0, 32(a4)
    add         a3, a3, t6
    beq         a4, t3, .Llast
    .p2align 3
.Lloop:
    add         a1, a1, t6
    vfmacc.vf   v0, ft0, v24
    vle32.v     v26, (a1)
    flw         ft0, 36(a4)
    vfmacc.vf   v2, ft1, v24
    flw         ft1, 40(a4)
    vfmacc.vf   v4, ft2, v24
    flw         ft2, 44(a4)
    vfmacc.vf   v6, ft3, v24
    flw         ft3, 48(a4)
    vfmacc.vf   v8, ft4, v24
    flw         ft4, 52(a4)
    vfmacc.vf   v10, ft5, v24
    flw         ft5, 56(a4)
    vfmacc.vf   v12, ft6, v24
    flw         ft6, 60(a4)
    vfmacc.vf   v14, ft7, v24
    flw         ft7, 64(a4)
    vfmacc.vf   v16, fa0, v24
    flw         fa0, 68(a4)
    vfmacc.vf   v18, ft0, v24
    flw         fa1, 72(a4)
    vfmacc.vf   v20, ft1, v24
    flw         fa2, 76(a4)
    vfmacc.vf   v22, ft2, v24
    vle32.v     v24, (a3)
    flw         fa3, 80(a4)
    vfmacc.vf   v0, ft3, v26
    flw         fa4, 84(a4)
    vfmacc.vf   v2, ft4, v26
    flw         fa5, 88(a4)
    vfmacc.vf   v4, ft5, v26
    flw         fa6, 92(a4)
    vfmacc.vf   v6, ft6, v26
    flw         ft0, 96(a4)
    vfmacc.vf   v8, ft7, v26
    flw         ft1, 100(a4)
    vfmacc.vf   v10, fa0, v26
    flw         ft2, 104(a4)
    vfmacc.vf   v12, fa1, v26
    flw         ft3, 108(a4)
    vfmacc.vf   v14, fa2, v26
    flw         ft4, 112(a4)
    vfmacc.vf   v16, fa3, v26
    flw         ft5, 116(a4)
    vfmacc.vf   v18, fa4, v26
    flw         ft6, 120(a4)
    flw         ft7, 124(a4)
    vfmacc.vf   v20, fa5, v26
    flw         fa0, 128(a4)
    vfmacc.vf   v22, fa6, v26
    addi        a4, a4, 96
    add         a3, a3, t6
    bne         a4, t3, .Lloop
.Llast:
    add         a1, a1, t6
    vfmacc.vf   v0, ft0, v24
    vle32.v     v26, (a1)
    flw         ft0, 36(a4)
    vfmacc.vf   v2, ft1, v24
    flw         ft1, 40(a4)
    vfmacc.vf   v4, ft2, v24
    flw         ft2, 44(a4)
    vfmacc.vf   v6, ft3, v24
    flw         ft3, 48(a4)
    vfmacc.vf   v8, ft4, v24
    flw         ft4, 52(a4)
    vfmacc.vf   v10, ft5, v24
    flw         ft5, 56(a4)
    vfmacc.vf   v12, ft6, v24
    flw         ft6, 60(a4)
    vfmacc.vf   v14, ft7, v24
    flw         ft7, 64(a4)
    vfmacc.vf   v16, fa0, v24
    flw         fa0, 68(a4)
    vfmacc.vf   v18, ft0, v24
    flw         fa1, 72(a4)
    vfmacc.vf   v20, ft1, v24
    flw         fa2, 76(a4)
    vfmacc.vf   v22, ft2, v24
    flw         fa3, 80(a4)
    vfmacc.vf   v0, ft3, v26
    flw         fa4, 84(a4)
    vfmacc.vf   v2, ft4, v26
    flw         fa5, 88(a4)
    vfmacc.vf   v4, ft5, v26
    flw         fa6, 92(a4)
    vfmacc.vf   v6, ft6, v26
    vfmacc.vf   v8, ft7, v26
    vfmacc.vf   v10, fa0, v26
    vfmacc.vf   v12, fa1, v26
    vfmacc.vf   v14, fa2, v26
    vfmacc.vf   v16, fa3, v26
    vfmacc.vf   v18, fa4, v26
    vfmacc.vf   v20, fa5, v26
    vfmacc.vf   v22, fa6, v26
    addi        a4, a4, 96
.Lremainder:
    beqz        t4, .Lupdate
.Lstep:
    addi        t4, t4, -1
    flw         ft0, 0(a4)
    flw         ft1, 4(a4)
    flw         ft2, 8(a4)
    flw         ft3, 12(a4)
    flw         ft4, 16(a4)
    flw         ft5, 20(a4)
    flw         ft6, 24(a4)
    flw         ft7, 28(a4)
    flw         fa0, 32(a4)
    flw         fa1, 36(a4)
    flw         fa2, 40(a4)
    flw         fa3, 44(a4)
    vle32.v     v24, (a3)
    add         a3, a3, t0
    vfmacc.vf   v0, ft0, v24
    vfmacc.vf   v2, ft1, v24
    vfmacc.vf   v4, ft2, v24
    vfmacc.vf   v6, ft3, v24
    vfmacc.vf   v8, ft4, v24
    vfmacc.vf   v10, ft5, v24
    vfmacc.vf   v12, ft6, v24
    vfmacc.vf   v14, ft7, v24
    vfmacc.vf   v16, fa0, v24
    vfmacc.vf   v18, fa1, v24
    vfmacc.vf   v20, fa2, v24
    vfmacc.vf   v22, fa3, v24
    addi        a4, a4, 48
    bnez        t4, .Lstep
.Lupdate:
    mv          t6, a7
    lwu         t3, (a5)
    flw         fa0, (a2)
    flw         fa1, (a5)
    slli        t3, t3, 33
    beqz        t3, .Loverwrite
    mv          t5, a6
    vfmul.vf    v0, v0, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v6, v6, fa0
    vfmul.vf    v8, v8, fa0
    vfmul.vf    v10, v10, fa0
    vfmul.vf    v12, v12, fa0
    vfmul.vf    v14, v14, fa0
    vfmul.vf    v16, v16, fa0
    vfmul.vf    v18, v18, fa0
    vfmul.vf    v20, v20, fa0
    vfmul.vf    v22, v22, fa0
    vle32.v     v24, (t5)
    add         t5, t5, t6
    vle32.v     v26, (t5)
    add         t5, t5, t6
    vfmacc.vf   v0, fa1, v24
    vle32.v     v24, (t5)
    add         t5, t5, t6
    vfmacc.vf   v2, fa1, v26
    vse32.v     v0, (a6)
    add         a6, a6, t6
    vle32.v     v26, (t5)
    add         t5, t5, t6
    vfmacc.vf   v4, fa1, v24
    vse32.v     v2, (a6)
    add         a6, a6, t6
    vle32.v     v24, (t5)
    add         t5, t5, t6
    vfmacc.vf   v6, fa1, v26
    vse32.v     v4, (a6)
    add         a6, a6, t6
    vle32.v     v26, (t5)
    add         t5, t5, t6
    vfmacc.vf   v8, fa1, v24
    vse32.v     v6, (a6)
    add         a6, a6, t6
    vle32.v     v24, (t5)
    add         t5, t5, t6
    vfmacc.vf   v10, fa1, v26
    vse32.v     v8, (a6)
    add         a6, a6, t6
    vle32.v     v26, (t5)
    add         t5, t5, t6
    vfmacc.vf   v12, fa1, v24
    vse32.v     v10, (a6)
    add         a6, a6, t6
    vle32.v     v24, (t5)
    add         t5, t5, t6
    vfmacc.vf   v14, fa1, v26
    vse32.v     v12, (a6)
    add         a6, a6, t6
    vle32.v     v26, (t5)
    add         t5, t5, t6
    vfmacc.vf   v16, fa1, v24
    vse32.v     v14, (a6)
    add         a6, a6, t6
    vle32.v     v24, (t5)
    add         t5, t5, t6
    vfmacc.vf   v18, fa1, v26
    vse32.v     v16, (a6)
    add         a6, a6, t6
    vle32.v     v26, (t5)
    vfmacc.vf   v20, fa1, v24
    vse32.v     v18, (a6)
    add         a6, a6, t6
    vfmacc.vf   v22, fa1, v26
    vse32.v     v20, (a6)
    add         a6, a6, t6
    vse32.v     v22, (a6)
    ret
.Loverwrite:
    /* beta = 0: C is not read, a NaN there must not survive. */
    vfmul.vf    v0, v0, fa0
    vfmul.vf    v2, v2, fa0
    vfmul.vf    v4, v4, fa0
    vfmul.vf    v6, v6, fa0
    vfmul.vf    v8, v8, fa0
    vfmul.vf    v10, v10, fa0
    vfmul.vf    v12, v12, fa0
    vfmul.vf    v14, v14, fa0
    vfmul.vf    v16, v16, fa0
    vfmul.vf    v18, v18, fa0
    vfmul.vf    v20, v20, fa0
    vfmul.vf    v22, v22, fa0
    vse32.v     v0, (a6)
    add         a6, a6, t6
    vse32.v     v2, (a6)
    add         a6, a6, t6
    vse32.v     v4, (a6)
    add         a6, a6, t6
    vse32.v     v6, (a6)
    add         a6, a6, t6
    vse32.v     v8, (a6)
    add         a6, a6, t6
    vse32.v     v10, (a6)
    add         a6, a6, t6
    vse32.v     v12, (a6)
    add         a6, a6, t6
    vse32.v     v14, (a6)
    add         a6, a6, t6
    vse32.v     v16, (a6)
    add         a6, a6, t6
    vse32.v     v18, (a6)
    add         a6, a6, t6
    vse32.v     v20, (a6)
    add         a6, a6, t6
    vse32.v     v22, (a6)
    ret
    .size quern_rvv_f32_16x12_m2_vf_a2_u2_p8_pcl_asm_v256, . - quern_rvv_f32_16x12_m2_vf_a2_u2_p8_pcl_asm_v256
    .section .note.GNU-stack, "", @progbits
