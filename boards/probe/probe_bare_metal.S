/* The program that `quern board check` runs on a bare-metal board (boards/snitch/runtime): a double-precision
   multiply-add, whose result it prints on the console and judges. Exit code 0 if 6 * 7 + 8 is 50. */
.text
.globl main
main:
  mv       s0, ra
  li       t0, 6
  li       t1, 7
  li       t2, 8
  fcvt.d.w fa0, t0
  fcvt.d.w fa1, t1
  fcvt.d.w fa2, t2
  fmadd.d  fa0, fa0, fa1, fa2
  fcvt.w.d s1, fa0
  mv       a0, s1
  call     print_u32
  li       t0, 50
  xor      a0, s1, t0
  snez     a0, a0
  jr       s0
