// Assembles small programs for tests: the text of a .S file, with the runtime of
// boards/snitch/runtime around it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "boards/snitch/harness/elf_image.h"

namespace quern::snitch {

// The command that assembles and links bare-metal RV32 programs, without sources.
std::vector<std::string> assembler_command();

// A program whose `main` is in `text`. Throws Error with the assembler's messages.
ElfImage assemble_program(const std::string& text);

// A conformance-style program: the given files, include folder and linker script.
ElfImage assemble_files(const std::vector<std::filesystem::path>& sources,
                        const std::filesystem::path& include, const std::filesystem::path& script);

}  // namespace quern::snitch
