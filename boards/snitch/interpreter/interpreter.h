// Reference interpreter of one Snitch compute core: what a program computes, without time.
//
//   integer core (RV32IMA + Zicsr) ──offload──> FREP sequencer ──> FP subsystem (F, D, small
//   floats, SIMD)
//                                                                     │ ft0 ft1 ft2
//                                                                  three streams <──> TCDM
//
// It checks what silicon would leave undefined: illegal instructions, misaligned accesses,
// addresses that nobody answers, streams read past their end. Instruction counts serve as "cycles"
// only in that mcycle returns them; they are no timing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "boards/snitch/harness/elf_image.h"

namespace quern::snitch::interpreter {

enum class Outcome {
  exited,               // the program wrote tohost
  illegal_instruction,  // no such instruction, or not in this configuration
  misaligned,           // load, store or jump target
  bad_address,          // nobody answers there
  stream_misuse,        // would hang or corrupt a stream
  sequencer_misuse,     // an FREP body that the sequencer cannot hold or repeat
  timeout,              // instruction limit reached
};

std::string_view outcome_name(Outcome outcome);

// What has been issued so far.
struct Counters {
  std::uint64_t instructions = 0;  // by the integer core, offloaded ones included
  std::uint64_t fpu = 0;           // by the FP subsystem to the FPU, repeats counted
  std::uint64_t loads = 0;         // floating-point loads
  std::uint64_t stores = 0;        // floating-point stores
  std::uint64_t freps = 0;
  std::uint64_t streamed = 0;  // elements popped from or pushed to streams

  friend Counters operator-(const Counters& a, const Counters& b) {
    return {a.instructions - b.instructions,
            a.fpu - b.fpu,
            a.loads - b.loads,
            a.stores - b.stores,
            a.freps - b.freps,
            a.streamed - b.streamed};
  }
};

struct InterpreterOptions {
  std::uint64_t instruction_limit = 200'000'000;  // integer and floating-point together
  unsigned sequencer_entries = 64;                // FP instructions that an FREP nest may hold
  unsigned sequencer_levels = 2;                  // nesting depth of FREP
  bool memory_everywhere = false;  // as the original's test bench: no address is bad_address
};

struct InterpreterResult {
  Outcome outcome = Outcome::exited;
  std::uint32_t exit_code = 0;
  std::string message;              // empty when the program exited; else what happened and where
  std::string console;              // bytes and numbers that the program printed
  Counters counters;                // at the end
  std::vector<Counters> at_mcycle;  // at each read of mcycle, oldest first
  std::uint64_t stream_leftover = 0;
};

// Runs a program from its entry. `inspect`, if given, sees memory after the end.
using MemoryReader = std::function<std::uint8_t(std::uint32_t)>;
InterpreterResult interpret(const ElfImage& image, const InterpreterOptions& options = {},
                            const std::function<void(const MemoryReader&)>& inspect = {});

}  // namespace quern::snitch::interpreter
