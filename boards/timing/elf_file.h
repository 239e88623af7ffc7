// The parts of a RISC-V ELF file that the timing model reads: sections, loaded segments, function
// symbols.
//
// For object files (kernels to predict) an address is an offset in its section; for linked files it
// is the file's own virtual address. Input is untrusted: every offset is checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quern::timing {

struct ElfSection {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool code = false;
  std::uint64_t alignment = 1;
};

struct ElfSegment {
  std::uint64_t address = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // in the file
};

struct ElfFunction {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // 0: not stated
  std::size_t section = 0;  // index into sections
};

// A branch or jump of an object file, whose distance the linker will fill in.
struct ElfBranch {
  std::size_t section = 0;
  std::uint64_t address = 0;
  std::uint64_t target = 0;  // in the same section
};

// A place in an object file that the linker keeps aligned, whatever it removes before it.
struct ElfAlignment {
  std::size_t section = 0;
  std::uint64_t address = 0;
  std::uint64_t alignment = 1;
};

struct ElfFile {
  std::string bytes;
  bool relocatable = false;
  std::vector<ElfSection> sections;
  std::vector<ElfSegment> segments;
  std::vector<ElfFunction>
      functions;  // sorted by section, address; one of aliases kept, all names findable

  std::vector<ElfBranch> branches;  // sorted by section, address
  std::vector<ElfAlignment> alignments;  // of object files, in no order

  // The code of a function (up to the next one where its size is not stated).
  std::string_view code(const ElfFunction& function) const;
  const ElfFunction* find(std::string_view name) const;
};

// Throws bad_input naming the file if it is not a little-endian 64-bit RISC-V ELF file or is
// damaged.
ElfFile read_elf(const std::filesystem::path& path);
ElfFile parse_elf(std::string bytes, const std::string& name);

}  // namespace quern::timing
