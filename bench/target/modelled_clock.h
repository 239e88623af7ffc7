// The clock that a benchmark reads, the same source on a real board and under the timing model.
//
//   guest: ecall number 0x5155, a0 = &request --> the QEMU plugin writes the answer into the
//   request
//                                             --> a real kernel, and QEMU without the plugin, say
//                                                 ENOSYS and write nothing: clock_gettime is read
//
// So a program asks `timing()` what kind of figure it has and prints it beside the figure. Plain
// data and no dependency: this header is compiled for the target and by the plugin.
#pragma once

#include <stdint.h>

namespace quern {

// Groups of instruction classes, for programs that want to know what they executed.
enum InstructionGroup {
  group_integer,
  group_scalar_memory,
  group_scalar_fp,
  group_control,
  group_vector_configure,
  group_vector_fma,
  group_vector_arithmetic,
  group_vector_memory,
  group_count
};

struct ModelledClockRequest {
  static constexpr uint64_t question = 0x51554552'4e434c4bu;  // "QUERNCLK"
  static constexpr uint64_t answer = 0x71756572'6e636c6bu;    // "quernclk"
  static constexpr int unknown_kinds = 8;

  uint64_t magic = question;  // becomes `answer`
  uint64_t bytes = sizeof(ModelledClockRequest);
  uint64_t detail =
      0;  // 1: fill the groups and the unknown list too (takes host time, no guest cycles)
  uint64_t cycles = 0;                // of this core
  uint64_t instructions = 0;          // of this core
  uint64_t unknown_instructions = 0;  // executed, whose cost is not known
  double clock_hz = 0;
  uint64_t groups[group_count] = {};  // all cores
  struct {
    uint32_t word;  // its bytes
    uint32_t count;
  } unknown[unknown_kinds] = {};
};

inline constexpr long modelled_clock_syscall = 0x5155;

}  // namespace quern

#if defined(__riscv) && __riscv_xlen == 64
#include <time.h>

namespace quern {

enum class Timing { measured, modelled };

class TargetClock {
 public:
  TargetClock() { timing_ = ask(false) ? Timing::modelled : Timing::measured; }

  Timing timing() const { return timing_; }
  const char* timing_word() const { return timing_ == Timing::modelled ? "modelled" : "measured"; }

  // Seconds since some fixed moment.
  double seconds() {
    if (timing_ == Timing::modelled) return static_cast<double>(cycles()) / request_.clock_hz;
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  // Cycles since some fixed moment; 0 on a real board (multiply seconds by the board's clock
  // instead).
  uint64_t cycles() { return ask(false) ? request_.cycles : 0; }

  // Cycles, instructions and unknown instructions (zeros on a real board).
  const ModelledClockRequest& read() {
    ask(false);
    return request_;
  }

  // The full answer (zeros on a real board).
  const ModelledClockRequest& detail() {
    ask(true);
    return request_;
  }

 private:
  bool ask(bool detail) {
    request_.magic = ModelledClockRequest::question;
    request_.bytes = sizeof request_;
    request_.detail = detail;
    register long a0 __asm__("a0") = reinterpret_cast<long>(&request_);
    register long a7 __asm__("a7") = modelled_clock_syscall;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return request_.magic == ModelledClockRequest::answer;
  }

  ModelledClockRequest request_;
  Timing timing_ = Timing::measured;
};

}  // namespace quern
#endif
