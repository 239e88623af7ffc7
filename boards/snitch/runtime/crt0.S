/* Start-up of a bare-metal program on the Snitch cluster. Every hart starts at _start.

   Hart 0 gets a stack, zeroed registers and .bss, runs main (no arguments; returns the exit code in a0) and
   ends the simulation through tohost. The others run `secondary` (a0 = hart) if the program has one, with
   1 KiB of stack each below hart 0's, and then sleep. */
.section .text.init,"ax"
.option norvc
.globl _start
.weak secondary
_start:
  csrr  t0, mhartid
  la    sp, __stack_top
  slli  t1, t0, 10
  bnez  t0, 1f
  j     2f
1:
  sub   sp, sp, t1
  li    t2, -8192             /* below the 8 KiB of hart 0 */
  add   sp, sp, t2
2:
  .irp r,ft0,ft1,ft2,ft3,ft4,ft5,ft6,ft7,fs0,fs1,fa0,fa1,fa2,fa3,fa4,fa5,fa6,fa7,fs2,fs3,fs4,fs5,fs6,fs7,fs8,fs9,fs10,fs11,ft8,ft9,ft10,ft11
  fcvt.d.w \r, x0
  .endr
  bnez  t0, secondary_start
  la    t1, __bss_start
  la    t2, __bss_end
3:
  bgeu  t1, t2, 4f
  sw    x0, 0(t1)
  addi  t1, t1, 4
  j     3b
4:
  call  main
.globl exit
exit:                         /* a0 = exit code */
  fence
  slli  a0, a0, 1
  ori   a0, a0, 1
  la    t0, tohost
  sw    a0, 0(t0)
  j     sleep
secondary_start:
  la    t1, secondary
  beqz  t1, sleep
  mv    a0, t0
  jalr  t1
sleep:
  csrw  mie, x0
5:
  wfi
  j     5b

/* void print_char(a0), void print_u32(a0): the console of the simulator. */
.section .text.console,"ax"
.globl print_char
print_char:
  li    t0, 0xF0000000
  sb    a0, 0(t0)
  ret
.globl print_u32
print_u32:
  li    t0, 0xF0000000
  sw    a0, 16(t0)
  ret

.section .tohost,"aw",@progbits
.align 6
.globl tohost
tohost: .dword 0
.globl fromhost
.align 6
fromhost: .dword 0
