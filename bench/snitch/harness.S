# The measured program around one Snitch kernel: main for boards/snitch/runtime/crt0.S. Assembled together with
# the generated kernel and a generated part that defines
#
#   place_operands   fills the inputs in the TCDM (and the output with a pattern that is no result)
#   load_arguments   a0.. and fa0 as the kernel wants them; changes nothing else but t0
#   check_output     a0 = checksum of the output
#   kernel           alias of the kernel
#
# One measurement is the number of cycles between two reads of mcycle, each behind an FPU fence (fmv.x.w and
# a use of its result), around one call. The call is made twice: cold, then warm. Report: one line
# "RESULT <cold> <warm> <checksum>" on the console, and the words at `results`.

  .section .text.main, "ax"
  .option norvc
  .globl main
main:
  mv s0, ra
  call place_operands
  fence
  call measure
  la s1, results
  sw gp, 4(s1)
  call measure
  sw gp, 8(s1)
  # The write stream may still hold the last results.
  li t0, 100
1: addi t0, t0, -1
  bnez t0, 1b
  call check_output
  sw a0, 12(s1)
  li t0, 1
  sw t0, 0(s1)
  la s2, word_result
2: lbu a0, 0(s2)
  beqz a0, 3f
  call print_char
  addi s2, s2, 1
  j 2b
3: li s3, 3
4: li a0, ' '
  call print_char
  addi s1, s1, 4
  lw a0, 0(s1)
  call print_u32
  addi s3, s3, -1
  bnez s3, 4b
  li a0, '\n'
  call print_char
  li a0, 0
  jr s0

# gp = cycles of one call. From the fence on, the code lies in one cache line.
measure:
  mv tp, ra
  call load_arguments
  j 1f
  .align 6
1: la ra, kernel
  fmv.x.w gp, fa0
  mv gp, gp
  csrr gp, mcycle
  jalr ra, 0(ra)
  fmv.x.w ra, fa0
  mv ra, ra
  csrr ra, mcycle
  sub gp, ra, gp
  jr tp

# Values of the operands: v(i) = 2 * ((s ^ (s >> 5)) & 15) - 15 with s = start + i * step; small odd integers,
# so that every sum is exact in every format and in every order, and no product is a zero with a sign.
# a0 = address, a1 = count, a2 = start, a3 = step
  .macro next_value
  srli a4, a2, 5
  xor a4, a4, a2
  andi a4, a4, 15
  add a2, a2, a3
  .endm
  .globl fill_f64, fill_f32, fill_f16, fill_pattern
fill_f64:
  next_value
  slli a4, a4, 1
  addi a4, a4, -15
  fcvt.d.w ft8, a4
  fsd ft8, 0(a0)
  addi a0, a0, 8
  addi a1, a1, -1
  bnez a1, fill_f64
  ret
fill_f32:
  next_value
  slli a4, a4, 1
  addi a4, a4, -15
  fcvt.s.w ft8, a4
  fsw ft8, 0(a0)
  addi a0, a0, 4
  addi a1, a1, -1
  bnez a1, fill_f32
  ret
fill_f16:
  la a5, halves
1: next_value
  slli a4, a4, 1
  add a4, a4, a5
  lh a4, 0(a4)
  sh a4, 0(a0)
  addi a0, a0, 2
  addi a1, a1, -1
  bnez a1, 1b
  ret
# a0 = address, a1 = half words: a pattern that no kernel writes (NaN in f64, f32 and f16)
fill_pattern:
  li a2, 0x7fdb
1: sh a2, 0(a0)
  addi a0, a0, 2
  addi a1, a1, -1
  bnez a1, 1b
  ret

# a0 = address, a1 = half words: h = 31 * h + half word, modulo 2^32; returned in a0
  .globl sum_halves
sum_halves:
  li a2, 0
1: lhu a3, 0(a0)
  slli a4, a2, 5
  sub a2, a4, a2
  add a2, a2, a3
  addi a0, a0, 2
  addi a1, a1, -1
  bnez a1, 1b
  mv a0, a2
  ret

  .section .rodata.harness, "a"
word_result: .asciz "RESULT"
  .align 1
# -15, -13 .. 15 in half precision
halves: .half 0xcb80,0xca80,0xc980,0xc880,0xc700,0xc500,0xc200,0xbc00,0x3c00,0x4200,0x4500,0x4700,0x4880,0x4980,0x4a80,0x4b80

  .data
  .align 6
  .globl results
results: .word 0, 0, 0, 0     # valid, cold cycles, warm cycles, checksum
