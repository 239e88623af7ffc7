// The memory outside the cluster as the RTL sees it through DPI: DRAM, console and tohost; and the
// first thing that went wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "boards/snitch/harness/machine.h"
#include "boards/snitch/harness/memory_map.h"
#include "boards/snitch/harness/stray_memory.h"

namespace quern::snitch {

class Memory {
 public:
  explicit Memory(const RunOptions& options);

  // Puts a byte of the program in place; false when it lies outside DRAM.
  bool load(std::uint32_t address, std::uint8_t byte);

  // Accesses of the RTL: eight bytes at an address rounded down to eight.
  std::uint64_t read(std::uint32_t address);
  void write(int hart, std::uint32_t address, std::uint64_t data, unsigned strobes);
  std::uint64_t fetch(std::uint32_t address);
  void stop(int hart, int why, std::uint32_t pc, std::uint32_t instruction);
  void trace(int hart, std::uint64_t cycle, std::uint32_t pc, std::uint32_t instruction, int kind);

  std::uint32_t tohost = 0;
  bool ended = false;
  RunResult result;  // end, code, message, console

 private:
  void fail(RunEnd end, std::string message);
  void stray(const std::string& what);
  std::uint64_t* word(std::uint32_t address);

  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<std::uint64_t, Free> dram_;
  StrayMemory stray_;
  const RunOptions& options_;
};

// The memory that the DPI functions of this thread work on.
Memory*& current_memory();

}  // namespace quern::snitch
