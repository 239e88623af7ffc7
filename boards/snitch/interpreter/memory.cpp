#include "boards/snitch/interpreter/memory.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace quern::snitch::interpreter {

Memory::Memory(const ElfImage& image, bool everywhere)
    : tcdm_(kTcdmSize), dram_(kDramSize), everywhere_(everywhere) {
  for (const ElfSegment& segment : image.segments) {
    const bool tcdm = segment.address >= kTcdm && segment.address - kTcdm < kTcdmSize;
    const std::uint32_t base = tcdm ? kTcdm : kDram;
    const std::uint32_t size = tcdm ? kTcdmSize : kDramSize;
    if (segment.address < base || segment.address - base > size ||
        segment.bytes.size() > size - (segment.address - base)) {
      throw bad_input("segment at {:#x} ({} bytes) lies outside TCDM ({:#x}) and DRAM ({:#x})",
                      segment.address, segment.bytes.size(), kTcdm, kDram);
    }
    if (!segment.bytes.empty()) {
      std::memcpy((tcdm ? tcdm_ : dram_).data() + (segment.address - base), segment.bytes.data(),
                  segment.bytes.size());
    }
  }
}

const std::uint8_t* Memory::find(std::uint32_t address, unsigned size) const {
  if (address % size != 0) {
    throw AccessFault(true, fmt::format("{}-byte access at {:#x} is misaligned", size, address));
  }
  if (address - kTcdm < kTcdmSize) return tcdm_.data() + (address - kTcdm);
  if (address - kDram < kDramSize) return dram_.data() + (address - kDram);
  if (everywhere_) return nullptr;
  throw AccessFault(false, fmt::format("nothing answers at {:#x}", address));
}

std::uint64_t Memory::load(std::uint32_t address, unsigned size) const {
  std::uint64_t value = 0;
  if (const std::uint8_t* place = find(address, size)) {
    std::memcpy(&value, place, size);
  } else {
    const std::uint64_t word = stray_.read(address) >> (8 * (address % 8));
    std::memcpy(&value, &word, size);
  }
  return value;
}

void Memory::store(std::uint32_t address, unsigned size, std::uint64_t value) {
  if (address == kPutChar) {
    console += static_cast<char>(value);
  } else if (address == kPrintU32) {
    console += std::to_string(static_cast<std::uint32_t>(value));
  } else {
    if (const std::uint8_t* place = find(address, size)) {
      std::memcpy(const_cast<std::uint8_t*>(place), &value, size);
    } else if (!stray_.write(address, value << (8 * (address % 8)),
                             ((1u << size) - 1) << (address % 8))) {
      throw AccessFault(false,
                        fmt::format("too much memory where nothing should be, at {:#x}", address));
    }
    if ((address & ~7u) == (reservation & ~7u)) reservation = 1;
  }
}

}  // namespace quern::snitch::interpreter
