// A block: straight-line code as the emulator translated it, decoded once. Shared by all cores;
// never changes after it was made.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "boards/timing/decoder.h"

namespace quern::timing {

struct Block {
  enum class End : std::uint8_t { falls_through, conditional, direct, indirect, returns };

  std::uint32_t id = 0;  // 0, 1, 2, ... in order of translation
  std::uint64_t address = 0;
  std::uint64_t fall_through = 0;  // address behind the last instruction
  End end = End::falls_through;
  std::vector<Instruction> instructions;
  std::uint32_t unknown = 0;  // instructions that the decoder does not know

  Block(std::uint32_t id, std::uint64_t address, std::vector<Instruction> instructions);
};

// One access to memory by the block's instruction number `instruction`, in program order. An
// access of consecutive bytes may cross lines; a strided one is several.
struct MemoryAccess {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint16_t instruction = 0;
  bool store = false;
  bool misaligned = false;  // a vector element at an address that is no multiple of its size
};

}  // namespace quern::timing
