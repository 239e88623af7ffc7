/*
 * rvv-f32-8x1-m2-vf-u2-pcl-asm-v128: a GEMM micro-kernel for VLEN 128.
 *
 *   C = alpha * A * B + beta * C,  C is m x 1 with 1 <= m <= 8
 *
 * Register map, 4 of 32 vector registers (LMUL 2) and 1 of 32 scalars:
 *
 *   v0  ..v0    row 0 of C's vectors, columns 0..0: rows 0..m-1
 *   v2          vectors of A, in turn
 *   ft0 ..ft0   elements of B (1 in the order ft0-7, fa0-7, ft8-11, fs0-11)
 *
 *   a0 m           a3 A panel, moving    t0 bytes from the last vector to the next
 *   a1 k, left     a4 B panel, moving    t1 elements of the last vector
 *   a2 alpha       a6 C, moving          t2 elements of the others
 *   a5 beta        a7 bytes of ldc       t3 end of the loop in B   t4 steps left over
 *
 * An iteration is 2 k steps; a scalar is loaded just ahead of its use.
 * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN 128:
 *   quern generate --board B --dtype f32 --mr 8 --nr 1
 *     --lmul 2 --unroll 2 --prefetch-c load --emit asm
 */
    .text
    .p2align 4
    .globl quern_rvv_f32_8x1_m2_vf_u2_pcl_asm_v128
    .type quern_rvv_f32_8x1_m2_vf_u2_pcl_asm_v128, @function
quern_rvv_f32_8x1_m2_vf_u2_pcl_asm_v128:
    slli        t0, a0, 2
    vsetvli     zero, a0, e32, m2, ta, ma
    slli        a7, a7, 2
    /* Ask for C, which is needed at the end. */
    lb          zero, 0(a6)
    vmv.v.i     v0, 0
    beqz        a1, .Lupdate
    andi        t4, a1, 1
    srli        t3, a1, 1
    beqz        t3, .Lremainder
    li          t6, 8
    mul         t3, t3, t6
    add         t3, t3, a4
    .p2align 3
.Lloop:
    vle32.v     v2, (a3)
    add         a3, a3, t0
    flw         ft0, 0(a4)
    vfmacc.vf   v0, ft0, v2
    vle32.v     v2, (a3)
    add         a3, a3, t0
    flw         ft0, 4(a4)
    addi        a4, a4, 8
    vfmacc.vf   v0, ft0, v2
    bne         a4, t3, .Lloop
.Lremainder:
    beqz        t4, .Lupdate
.Lstep:
    addi        t4, t4, -1
    flw         ft0, 0(a4)
    vle32.v     v2, (a3)
    add         a3, a3, t0
    vfmacc.vf   v0, ft0, v2
    addi        a4, a4, 4
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
    vle32.v     v2, (t5)
    vfmacc.vf   v0, fa1, v2
    vse32.v     v0, (a6)
    ret
.Loverwrite:
    /* beta = 0: C is not read, a NaN there must not survive. */
    vfmul.vf    v0, v0, fa0
    vse32.v     v0, (a6)
    ret
    .size quern_rvv_f32_8x1_m2_vf_u2_pcl_asm_v128, . - quern_rvv_f32_8x1_m2_vf_u2_pcl_asm_v128
    .section .note.GNU-stack, "", @progbits
