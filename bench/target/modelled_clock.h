// The modelled clock: lets a program read the cycles that the timing model has counted for it so
// far.
//
// Under QEMU with Quern's timing plugin, a system call with a number that no kernel uses reaches
// the plugin, which fills in the counters behind the pointer; the kernel's own answer (ENOSYS) is
// ignored. On a real board, or without the plugin, nobody writes: `magic` stays 0 and the program
// falls back to a real clock. So one binary serves both.
//
// The plugin's side is boards/timing/qemu_plugin/.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace quern::bench {

inline constexpr long modelled_clock_syscall = 0x5155;                        // "QU"
inline constexpr std::uint64_t modelled_clock_magic = 0x006b636f6c637551ull;  // "Quclock"

struct ModelledClock {
  std::uint64_t magic = 0;  // modelled_clock_magic once the plugin has answered
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t unknown_instructions = 0;  // executed, but not known to the model

  bool valid() const { return magic == modelled_clock_magic; }
};

inline ModelledClock read_modelled_clock() {
  ModelledClock clock;
  syscall(modelled_clock_syscall, &clock);
  return clock;
}

}  // namespace quern::bench
