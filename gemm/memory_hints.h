// The two things that packing wants from a memory system and that C++ has no words for.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__riscv_vector)
#include <riscv_vector.h>
#endif

namespace quern::gemm {

// Asks for a cache line that will be read soon, without waiting for it. `place` must be readable.
// A load into the zero register: it starts the line fill on every core, with Zicbop or without, and
// nothing ever waits for its result. (QEMU 7.2 does not tell a plugin the address of a prefetch.r,
// so the timing model would not see what that one fetches.)
inline void touch(const void* place) {
#if defined(__riscv)
  __asm__ volatile("lb zero, 0(%0)" : : "r"(place));
#else
  __builtin_prefetch(place);
#endif
}

// Copies from front to back with the widest stores there are. The C library's memcpy for riscv64 is
// a loop over 8-byte words (glibc 2.41), several times slower for the few hundred bytes of a packed
// strip.
inline void copy_forward(void* to, const void* from, std::size_t bytes) {
#if defined(__riscv_vector)
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  while (bytes > 0) {
    const std::size_t vl = __riscv_vsetvl_e8m8(bytes);
    __riscv_vse8_v_u8m8(target, __riscv_vle8_v_u8m8(source, vl), vl);
    target += vl;
    source += vl;
    bytes -= vl;
  }
#else
  std::memcpy(to, from, bytes);
#endif
}

}  // namespace quern::gemm
