/* The guest of qemu_test.cpp: the first argument says what it does. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static long number(const char *text) { return strtol(text, 0, 0); }
int main(int count, char **word) {
  const char *job = count > 1 ? word[1] : "";
  if (!strcmp(job, "hello")) printf("hello %s %s\n", word[2], getenv("QUERN_X"));
  if (!strcmp(job, "exit")) return (int)number(word[2]);
  if (!strcmp(job, "cat"))
    for (int c; (c = getchar()) != EOF;) putchar(c);
  if (!strcmp(job, "say")) {
    fprintf(stderr, "%s\n", word[2]);
    abort();
  }
  if (!strcmp(job, "abort")) abort();
  if (!strcmp(job, "segfault")) *(volatile int *)8 = 1;
  if (!strcmp(job, "unimplemented")) __asm__ volatile(".word 0");
  if (!strcmp(job, "sh1add")) __asm__ volatile(".insn r OP, 2, 16, x5, x6, x7");
  if (!strcmp(job, "loop"))
    for (;;) __asm__ volatile("");
  if (!strcmp(job, "fork-loop")) {
    printf("%d\n", fork());
    fflush(stdout);
    for (;;) __asm__ volatile("");
  }
  if (!strcmp(job, "signal")) {
    kill((pid_t)number(word[2]), SIGTERM);
    for (;;) __asm__ volatile("");
  }
  if (!strcmp(job, "vlenb")) {
    unsigned long bytes;
    __asm__ volatile("csrr %0, vlenb" : "=r"(bytes));
    printf("%lu\n", bytes);
  }
  if (!strcmp(job, "tail")) { /* lanes beyond vl of an agnostic operation */
    unsigned int out[4] = {0};
    __asm__ volatile(
        "vsetivli zero, 4, e32, m1, ta, ma\n vmv.v.i v8, 0\n"
        "vsetivli zero, 1, e32, m1, ta, ma\n vmv.v.i v8, 5\n"
        "vsetivli zero, 4, e32, m1, ta, ma\n vse32.v v8, (%0)" ::"r"(out)
        : "memory", "v8");
    printf("%u %x\n", out[0], out[3]);
  }
  if (!strcmp(job, "vfcvt.rtz"))
    __asm__ volatile("vsetivli zero, 4, e32, m1, ta, ma\n vfcvt.rtz.x.f.v v8, v8" ::: "v8");
  if (!strcmp(job, "half"))
    __asm__ volatile("vsetivli zero, 4, e16, m1, ta, ma\n vfadd.vv v8, v8, v8" ::: "v8");
  if (!strcmp(job, "bfloat16")) /* vfwmaccbf16.vv v10, v9, v8 */
    __asm__ volatile("vsetivli zero, 4, e16, mf2, ta, ma\n .word 0xee849557" ::: "v10");
  if (!strcmp(job, "vl")) {
    unsigned long vl;
    __asm__ volatile("vsetvli %0, %1, e32, m1, ta, ma" : "=r"(vl) : "r"(number(word[2])));
    printf("%lu\n", vl);
  }
  if (!strcmp(job, "allocate") || !strcmp(job, "try")) {
    char *memory = malloc((size_t)number(word[2]));
    if (!memory) {
      if (!strcmp(job, "try")) return 0;
      abort();
    }
    memset(memory, 1, (size_t)number(word[2]));
    printf("%d\n", memory[number(word[2]) - 1]);
  }
  if (!strcmp(job, "write")) {
    FILE *file = fopen(word[2], "w");
    fputs(word[3], file);
    fclose(file);
  }
  return 0;
}
