// One run of a bare-metal program on the RTL of the Snitch cluster.
//
//   ELF ──> DRAM, TCDM ──> reset ──> clock until  tohost is written | something is wrong | too many
//   cycles
//
// Conventions of the program: all harts start at the entry; a word store of (code << 1) | 1 to
// `tohost` ends the run; a byte store to 0xF000_0000 prints a character, a word store to
// 0xF000_0010 a decimal number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "boards/snitch/harness/elf_image.h"

namespace quern::snitch {

// How a run ended.
enum class RunEnd : std::uint8_t {
  exited,      // the program wrote tohost
  time_out,    // the cycle limit
  illegal,     // an instruction that this machine does not have
  misaligned,  // a load, store or jump to an address that is not a multiple of its size
  access,      // an address where there is nothing
  trapped,     // ebreak or ecall without a trap handler
  deadlock,    // nothing moves: a stream, a queue or a barrier waits for ever
};
const char* name(RunEnd end);
// Exit code of a simulator process that ended so; the program's own code for `exited`.
int exit_code(RunEnd end, int program_code);

struct RunOptions {
  std::uint64_t max_cycles = 1'000'000'000;
  std::uint32_t deadlock_cycles = 20'000;         // so long without any instruction is a deadlock
  bool strict = false;                            // a load or store to nothing ends the run
  std::function<void(const std::string&)> trace;  // one line an instruction; empty: none
  // Takes what the program prints, as it does; without it the result keeps it.
  std::function<void(const std::string&)> console;
};

struct RunResult {
  RunEnd end = RunEnd::exited;
  int code = 0;                    // what the program reported
  std::string message;             // why it ended, for people
  std::string warning;             // suspicious, but not the end; empty when there was nothing
  std::string console;             // everything printed, unless RunOptions::console took it
  std::uint64_t cycles = 0;        // of the whole run, start-up included
  std::uint64_t instructions = 0;  // retired by the integer cores
  std::uint64_t fpu_issues = 0;
};

// The RTL, verilated for one configuration.
class Machine {
 public:
  virtual ~Machine() = default;
  // Throws bad_input for a program that cannot start here: parts or entry outside memory, no
  // tohost.
  virtual RunResult run(const ElfImage& image, const RunOptions& options) = 0;
};

// One compute core. Simulations are independent of each other; one at a time per thread.
std::unique_ptr<Machine> make_single_core();

}  // namespace quern::snitch
