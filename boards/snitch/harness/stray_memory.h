// Memory where the map has none. The test bench of the original core answers at every address: what
// was never written reads as zeros, what was written reads back. Pages appear with the first store.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

namespace quern::snitch {

class StrayMemory {
 public:
  static constexpr std::size_t page_bytes = 4096, max_pages = 4096;  // 16 MiB

  // Eight bytes at an address rounded down to eight.
  std::uint64_t read(std::uint32_t address) const {
    const auto page = pages_.find(address / page_bytes);
    return page == pages_.end() ? 0 : page->second[index(address)];
  }

  // Bytes whose strobe bit is set. False, and nothing written, when that were too many pages.
  bool write(std::uint32_t address, std::uint64_t data, unsigned strobes) {
    auto page = pages_.find(address / page_bytes);
    if (page == pages_.end()) {
      if (pages_.size() == max_pages) return false;
      page = pages_.emplace(address / page_bytes, Page{}).first;
    }
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (strobes >> i & 1) mask |= std::uint64_t{0xff} << (8 * i);
    std::uint64_t& word = page->second[index(address)];
    word = (word & ~mask) | (data & mask);
    return true;
  }

 private:
  using Page = std::array<std::uint64_t, page_bytes / 8>;
  static std::size_t index(std::uint32_t address) { return address % page_bytes / 8; }

  std::unordered_map<std::uint32_t, Page> pages_;
};

}  // namespace quern::snitch
