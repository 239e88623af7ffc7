// Assembles measured programs for the Snitch core:
//
//   kernel + generated part of the program ─┐
//   harness.S, crt0.S ──────────────────────┼─ riscv64-unknown-elf-gcc ─> ELF
//   link.ld ────────────────────────────────┘
#pragma once

#include <filesystem>
#include <string>

#include "boards/toolchain/compiler.h"

namespace quern::bench::snitch {

// For records. Throws tool_missing.
std::string assembler_version();
std::string assembler_flags();

// The program `name` in folder `build`, or what the assembler said against it. `root`: the
// checkout. Throws tool_missing, or bad_input if the folder cannot be written.
boards::Compiled assemble(const std::string& name, const std::string& text,
                          const std::filesystem::path& root, const std::filesystem::path& build);

}  // namespace quern::bench::snitch
