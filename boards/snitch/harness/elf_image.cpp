#include "boards/snitch/harness/elf_image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "boards/snitch/harness/memory_map.h"

namespace quern::snitch {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A record of the file at `offset`, or an error that says which one lies outside.
template <class T>
T record(const Bytes& file, std::uint64_t offset, const char* what, const std::string& name) {
  if (offset + sizeof(T) > file.size())
    throw bad_input("{}: truncated ELF file: {} at offset {} lies outside its {} bytes", name, what,
                    offset, file.size());
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

// A terminated string of the file.
std::string text(const Bytes& file, std::uint64_t offset) {
  std::string s;
  while (offset < file.size() && file[offset] != 0) s.push_back(static_cast<char>(file[offset++]));
  return s;
}

// Every segment in one memory, none over another. Before anything is allocated: sizes are the
// file's word only.
void check_places(std::vector<Elf32_Phdr> segments, const std::string& name) {
  std::sort(segments.begin(), segments.end(),
            [](const auto& a, const auto& b) { return a.p_paddr < b.p_paddr; });
  std::uint64_t end = 0;
  for (const Elf32_Phdr& segment : segments) {
    const std::uint32_t last = segment.p_paddr + segment.p_memsz - 1;
    if (last < segment.p_paddr || !((in_dram(segment.p_paddr) && in_dram(last)) ||
                                    (in_tcdm(segment.p_paddr) && in_tcdm(last))))
      throw bad_input(
          "{}: a segment takes {} bytes from {:#010x}; expected it inside DRAM ({:#010x}, {} MiB) "
          "or TCDM ({:#010x}, {} KiB)",
          name, segment.p_memsz, segment.p_paddr, dram_base, dram_bytes >> 20, tcdm_base,
          tcdm_bytes >> 10);
    if (segment.p_paddr < end)
      throw bad_input("{}: the segment at {:#010x} overlaps the one before it, which ends at {:#x}",
                      name, segment.p_paddr, end);
    end = std::uint64_t{last} + 1;
  }
}

}  // namespace

ElfImage read_elf(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw bad_input("{}: no such file", name);
  if (!std::filesystem::is_regular_file(status))
    throw bad_input("{}: not a file; expected a bare-metal RV32 executable", name);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw bad_input("{}: cannot read the program", name);
  const Bytes file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());

  if (file.size() < EI_NIDENT || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
    throw bad_input("{}: not an ELF file; expected a bare-metal RV32 executable", name);
  if (file[EI_CLASS] != ELFCLASS32 || file[EI_DATA] != ELFDATA2LSB)
    throw bad_input(
        "{}: not a 32-bit little-endian ELF file; expected RV32 (is this a riscv64 program?)",
        name);
  const auto header = record<Elf32_Ehdr>(file, 0, "the file header", name);
  if (header.e_machine != EM_RISCV)
    throw bad_input("{}: ELF machine {}; expected RISC-V ({})", name, header.e_machine, EM_RISCV);
  if (header.e_type != ET_EXEC)
    throw bad_input("{}: ELF type {}; expected a static executable ({})", name, header.e_type,
                    ET_EXEC);

  ElfImage image;
  image.entry = header.e_entry;
  std::vector<Elf32_Phdr> segments;
  for (int i = 0; i < header.e_phnum; ++i) {
    const auto segment = record<Elf32_Phdr>(
        file, header.e_phoff + std::uint64_t{header.e_phentsize} * i, "a program header", name);
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (std::uint64_t{segment.p_offset} + segment.p_filesz > file.size() ||
        segment.p_filesz > segment.p_memsz)
      throw bad_input("{}: truncated ELF file: segment {} at {:#x} lies outside", name, i,
                      segment.p_paddr);
    segments.push_back(segment);
  }
  if (segments.empty()) throw bad_input("{}: expected at least one segment to load", name);
  check_places(segments, name);
  for (const Elf32_Phdr& segment : segments) {
    ElfSegment loaded{segment.p_paddr, Bytes(segment.p_memsz, 0)};
    std::memcpy(loaded.bytes.data(), file.data() + segment.p_offset, segment.p_filesz);
    image.segments.push_back(std::move(loaded));
  }
  for (int i = 0; i < header.e_shnum; ++i) {
    const auto section = record<Elf32_Shdr>(
        file, header.e_shoff + std::uint64_t{header.e_shentsize} * i, "a section header", name);
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= header.e_shnum) continue;
    const auto names = record<Elf32_Shdr>(
        file, header.e_shoff + std::uint64_t{header.e_shentsize} * section.sh_link,
        "a section header", name);
    for (std::uint32_t at = 0; at + sizeof(Elf32_Sym) <= section.sh_size; at += sizeof(Elf32_Sym)) {
      const auto symbol =
          record<Elf32_Sym>(file, std::uint64_t{section.sh_offset} + at, "a symbol", name);
      if (symbol.st_name != 0 && symbol.st_shndx != SHN_UNDEF)
        image.symbols.emplace(text(file, std::uint64_t{names.sh_offset} + symbol.st_name),
                              symbol.st_value);
    }
  }
  return image;
}

}  // namespace quern::snitch
