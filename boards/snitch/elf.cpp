#include "boards/snitch/elf.h"

#include "base/error.h"
#include "base/file.h"

namespace quern::snitch {
namespace {

// Field offsets and numbers of the System V ABI, ELF-32 part.
constexpr std::uint32_t kHeaderSize = 52;
constexpr std::uint16_t kExecutable = 2;
constexpr std::uint16_t kRiscv = 243;
constexpr std::uint32_t kLoad = 1;
constexpr std::uint32_t kSymbolTable = 2;

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}
  std::string_view slice(std::uint64_t offset, std::uint64_t size, const char* what) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      throw bad_input("{}: {} lies outside the file ({} bytes)", name_, what, bytes_.size());
    }
    return bytes_.substr(offset, size);
  }
  std::uint32_t word(std::uint64_t offset, unsigned size, const char* what) const {
    const std::string_view field = slice(offset, size, what);
    std::uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i) {
      value |= std::uint32_t{static_cast<std::uint8_t>(field[i])} << (8 * i);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  const std::string& name_;
};

void read_segments(const Reader& file, ElfImage& image) {
  const std::uint64_t table = file.word(28, 4, "ELF header");
  const std::uint32_t entry_size = file.word(42, 2, "ELF header");
  const std::uint32_t count = file.word(44, 2, "ELF header");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + std::uint64_t{i} * entry_size;
    if (file.word(at, 4, "program header") != kLoad) continue;
    ElfSegment segment;
    segment.address = file.word(at + 12, 4, "program header");  // physical address
    const std::string_view bytes = file.slice(file.word(at + 4, 4, "program header"),
                                              file.word(at + 16, 4, "program header"), "segment");
    segment.bytes.assign(bytes.begin(), bytes.end());
    segment.memory_size = file.word(at + 20, 4, "program header");
    if (segment.memory_size > 0) image.segments.push_back(std::move(segment));
  }
}

void read_symbols(const Reader& file, ElfImage& image) {
  const std::uint64_t table = file.word(32, 4, "ELF header");
  const std::uint32_t entry_size = file.word(46, 2, "ELF header");
  const std::uint32_t count = file.word(48, 2, "ELF header");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + std::uint64_t{i} * entry_size;
    if (file.word(at + 4, 4, "section header") != kSymbolTable) continue;
    const std::uint32_t symbols = file.word(at + 16, 4, "section header");
    const std::uint32_t size = file.word(at + 20, 4, "section header");
    const std::uint64_t strings_at =
        table + std::uint64_t{file.word(at + 24, 4, "section header")} * entry_size;
    const std::string_view strings =
        file.slice(file.word(strings_at + 16, 4, "section header"),
                   file.word(strings_at + 20, 4, "section header"), "string table");
    for (std::uint64_t symbol = symbols; symbol + 16 <= std::uint64_t{symbols} + size;
         symbol += 16) {
      const std::uint32_t name = file.word(symbol, 4, "symbol");
      if (name == 0 || name >= strings.size()) continue;
      const std::string_view text = strings.substr(name);
      image.symbols[std::string(text.substr(0, text.find('\0')))] =
          file.word(symbol + 4, 4, "symbol");
    }
  }
}

}  // namespace

ElfImage parse_elf(std::string_view bytes, const std::string& name) {
  const Reader file(bytes, name);
  if (bytes.size() < kHeaderSize || bytes.substr(0, 4) != "\x7f"
                                                          "ELF") {
    throw bad_input("{}: not an ELF file", name);
  }
  if (bytes[4] != 1 || bytes[5] != 1 || file.word(18, 2, "ELF header") != kRiscv) {
    throw bad_input("{}: not a 32-bit little-endian RISC-V program", name);
  }
  if (file.word(16, 2, "ELF header") != kExecutable) {
    throw bad_input("{}: not a linked executable (link it with -static)", name);
  }
  ElfImage image;
  image.entry = file.word(24, 4, "ELF header");
  read_segments(file, image);
  read_symbols(file, image);
  if (image.segments.empty()) throw bad_input("{}: no loadable segment", name);
  return image;
}

ElfImage load_elf(const std::filesystem::path& path) {
  return parse_elf(read_file(path), path.string());
}

}  // namespace quern::snitch
