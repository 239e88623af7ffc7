#include "boards/timing/qemu_plugin/guest_symbols.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "base/error.h"
#include "boards/timing/elf_file.h"

namespace quern::timing {

SymbolMap mapped_functions(std::uint64_t guest_base) {
  SymbolMap symbols;
  std::map<std::string, std::shared_ptr<ElfFile>> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, permissions, device, path;
    std::uint64_t offset = 0, inode = 0;
    words >> range >> permissions >> std::hex >> offset >> device >> std::dec >> inode >> std::ws;
    std::getline(words, path);
    if (path.empty() || path[0] != '/' || inode == 0) continue;
    auto& file = files[path];
    if (!file) {
      file = std::make_shared<ElfFile>();
      try {
        *file = read_elf(path);
      } catch (const Error&) {  // not RISC-V: a host library, a data file
      }
    }
    if (file->functions.empty()) continue;
    const auto dash = range.find('-');
    const std::uint64_t first = std::stoull(range.substr(0, dash), nullptr, 16) - guest_base;
    const std::uint64_t bytes =
        std::stoull(range.substr(dash + 1), nullptr, 16) - guest_base - first;
    const auto name = std::filesystem::path(path).filename().string();
    for (const ElfFunction& function : file->functions)
      for (const ElfSegment& segment : file->segments) {
        if (function.address < segment.address ||
            function.address >= segment.address + segment.bytes)
          continue;
        const std::uint64_t in_file = function.address - segment.address + segment.offset;
        if (in_file < offset || in_file >= offset + bytes) continue;
        const std::uint64_t at = first + (in_file - offset);
        const std::uint64_t length = file->code(function).size();
        symbols.add({at, at + std::max<std::uint64_t>(length, 2), function.name, name});
      }
  }
  return symbols;
}

}  // namespace quern::timing
