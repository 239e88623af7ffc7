#include "boards/snitch/harness/elf_image.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "base/error.h"

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

}  // namespace

ElfImage read_elf(const std::filesystem::path& path) {
  const std::string name = path.string();
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
  for (int i = 0; i < header.e_phnum; ++i) {
    const auto segment = record<Elf32_Phdr>(
        file, header.e_phoff + std::uint64_t{header.e_phentsize} * i, "a program header", name);
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    if (std::uint64_t{segment.p_offset} + segment.p_filesz > file.size() ||
        segment.p_filesz > segment.p_memsz)
      throw bad_input("{}: truncated ELF file: segment {} at {:#x} lies outside", name, i,
                      segment.p_paddr);
    // A segment larger than the whole memory is an error of the file, not a reason to allocate it.
    if (segment.p_memsz > (256U << 20))
      throw bad_input("{}: segment {} takes {} bytes; expected at most 256 MiB", name, i,
                      segment.p_memsz);
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
