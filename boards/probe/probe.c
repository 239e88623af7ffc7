/* The program that `quern board check` sends to a board: it says what the board really is.
 *
 *   probe INPUT OUTPUT      copies INPUT (which was uploaded) to OUTPUT (which will be fetched)
 * with every byte inverted, and prints one JSON line: VLEN as the hardware has it, a vector sum,
 * the clock's resolution
 */
#define _POSIX_C_SOURCE 200809L /* clock_getres under -std=c17 */
#include <riscv_vector.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  FILE* in = fopen(argv[1], "rb");
  FILE* out = fopen(argv[2], "wb");
  if (in == NULL || out == NULL) {
    perror("probe");
    return 3;
  }
  for (int c; (c = fgetc(in)) != EOF;) fputc(c ^ 0xff, out);
  fclose(in);
  if (fclose(out) != 0) return 3;

  /* 1 + 2 + ... + n in every lane's share: wrong if lanes are lost. */
  float terms[64], sum = 0;
  for (int i = 0; i < 64; ++i) terms[i] = (float)(i + 1);
  for (size_t at = 0; at < 64;) {
    const size_t vl = __riscv_vsetvl_e32m1(64 - at);
    const vfloat32m1_t zero = __riscv_vfmv_v_f_f32m1(0, 1);
    sum += __riscv_vfmv_f_s_f32m1_f32(
        __riscv_vfredusum_vs_f32m1_f32m1(__riscv_vle32_v_f32m1(terms + at, vl), zero, vl));
    at += vl;
  }
  struct timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  printf("{\"vlen\":%zu,\"sum\":%.1f,\"clock_ns\":%ld}\n", __riscv_vsetvlmax_e8m1() * 8,
         (double)sum, resolution.tv_nsec);
  return sum == 2080.0f ? 0 : 1;
}
