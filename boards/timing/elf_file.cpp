#include "boards/timing/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "base/file.h"

namespace quern::timing {
namespace {

class Bytes {
 public:
  Bytes(const std::string& bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[noreturn]] void damaged(const char* what) const {
    throw bad_input("{}: damaged ELF file: {}", name_, what);
  }

  void check(std::uint64_t offset, std::uint64_t count, const char* what) const {
    if (offset > bytes_.size() || count > bytes_.size() - offset) damaged(what);
  }
  template <class T>
  T at(std::uint64_t offset, const char* what) const {
    check(offset, sizeof(T), what);
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  std::string text(std::uint64_t table, std::uint64_t bytes, std::uint64_t offset) const {
    if (offset >= bytes) damaged("a name lies outside its string table");
    check(table, bytes, "string table");
    const char* start = bytes_.data() + table + offset;
    return std::string(start, strnlen(start, bytes - offset));
  }

 private:
  const std::string& bytes_;
  const std::string& name_;
};

}  // namespace

std::string_view ElfFile::code(const ElfFunction& function) const {
  const ElfSection& section = sections[function.section];
  const std::uint64_t start = function.address - section.address;
  if (start > section.bytes) return {};
  std::uint64_t length = function.bytes;
  if (length == 0) {
    length = section.bytes - start;
    for (const ElfFunction& other : functions)
      if (other.section == function.section && other.address > function.address)
        length = std::min(length, other.address - function.address);
  }
  length = std::min(length, section.bytes - start);
  return std::string_view(bytes).substr(section.offset + start, length);
}

const ElfFunction* ElfFile::find(std::string_view name) const {
  for (const ElfFunction& function : functions)
    if (function.name == name) return &function;
  return nullptr;
}

ElfFile parse_elf(std::string bytes, const std::string& name) {
  ElfFile file;
  file.bytes = std::move(bytes);
  const Bytes in(file.bytes, name);
  if (file.bytes.size() < sizeof(Elf64_Ehdr) ||
      std::memcmp(file.bytes.data(), ELFMAG, SELFMAG) != 0)
    throw bad_input("{}: not an ELF file", name);
  const auto header = in.at<Elf64_Ehdr>(0, "header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != EM_RISCV)
    throw bad_input("{}: not a 64-bit RISC-V ELF file", name);
  file.relocatable = header.e_type == ET_REL;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = in.at<Elf64_Phdr>(header.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr),
                                           "program headers");
    if (segment.p_type == PT_LOAD)
      file.segments.push_back({segment.p_vaddr, segment.p_offset, segment.p_filesz});
  }
  std::vector<Elf64_Shdr> headers;
  for (unsigned i = 0; i < header.e_shnum; ++i)
    headers.push_back(in.at<Elf64_Shdr>(header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr),
                                        "section headers"));
  for (const Elf64_Shdr& section : headers) {
    std::string section_name;
    if (header.e_shstrndx < headers.size()) {
      const auto& names = headers[header.e_shstrndx];
      section_name = in.text(names.sh_offset, names.sh_size, section.sh_name);
    }
    const bool in_file = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    if (in_file) in.check(section.sh_offset, section.sh_size, "section");
    file.sections.push_back({std::move(section_name), section.sh_addr, section.sh_offset,
                             in_file ? section.sh_size : 0,
                             in_file && (section.sh_flags & SHF_EXECINSTR) != 0,
                             section.sh_addralign});
  }
  for (const Elf64_Shdr& table : headers) {
    if (table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) continue;
    if (table.sh_link >= headers.size()) in.damaged("symbol table without names");
    const Elf64_Shdr& names = headers[table.sh_link];
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = in.at<Elf64_Sym>(table.sh_offset + at, "symbol table");
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      // Assembly files often leave out the type; a named label in code is a function then.
      if ((type != STT_FUNC && type != STT_NOTYPE) || symbol.st_name == 0 ||
          symbol.st_shndx >= file.sections.size() || !file.sections[symbol.st_shndx].code)
        continue;
      std::string text = in.text(names.sh_offset, names.sh_size, symbol.st_name);
      if (text.empty() || text[0] == '$' || text.starts_with(".L")) continue;
      file.functions.push_back({std::move(text), symbol.st_value, symbol.st_size, symbol.st_shndx});
    }
  }
  for (const Elf64_Shdr& table : headers) {
    if (table.sh_type != SHT_RELA || !file.relocatable) continue;
    if (table.sh_link >= headers.size() || table.sh_info >= headers.size())
      in.damaged("relocations without symbols or section");
    const Elf64_Shdr& symbols = headers[table.sh_link];
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.sh_size; at += sizeof(Elf64_Rela)) {
      const auto relocation = in.at<Elf64_Rela>(table.sh_offset + at, "relocations");
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type == R_RISCV_ALIGN) {
        // The addend counts the padding, which stands for any shorter one (RISC-V ELF psABI, 8.4).
        const auto padding = static_cast<std::uint64_t>(relocation.r_addend);
        if (padding < 4096) {
          file.alignments.push_back({table.sh_info, relocation.r_offset + padding,
                                     std::bit_ceil(padding + 1)});
        }
        continue;
      }
      if (type != R_RISCV_BRANCH && type != R_RISCV_JAL && type != R_RISCV_RVC_BRANCH &&
          type != R_RISCV_RVC_JUMP)
        continue;
      const std::uint64_t offset = ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym);
      if (offset >= symbols.sh_size) in.damaged("a relocation names no symbol");
      const auto symbol = in.at<Elf64_Sym>(symbols.sh_offset + offset, "symbol table");
      if (symbol.st_shndx == table.sh_info)
        file.branches.push_back(
            {table.sh_info, relocation.r_offset,
             symbol.st_value + static_cast<std::uint64_t>(relocation.r_addend)});
    }
  }
  std::stable_sort(file.branches.begin(), file.branches.end(),
                   [](const ElfBranch& a, const ElfBranch& b) {
                     return std::pair(a.section, a.address) < std::pair(b.section, b.address);
                   });
  std::stable_sort(file.functions.begin(), file.functions.end(),
                   [](const ElfFunction& a, const ElfFunction& b) {
                     return std::pair(a.section, a.address) < std::pair(b.section, b.address);
                   });
  return file;
}

ElfFile read_elf(const std::filesystem::path& path) {
  return parse_elf(read_file(path), path.string());
}

}  // namespace quern::timing
