// Level 4: text for plain riscv64-unknown-elf-gcc (RV32IMAFD). Snitch's own instructions are
// written as .insn with the mnemonic beside them.
#pragma once

#include <string>

#include "generator/snitch/program.h"
#include "generator/snitch/registers.h"

namespace quern::generator::snitch {

struct AssemblyHeader {
  std::string title;       // what the kernel computes
  std::string id;          // kernel point
  std::string regenerate;  // command
};

// `program` has physical registers only.
std::string write_assembly(const Program& program, const Allocation& allocation,
                           const AssemblyHeader& header);

}  // namespace quern::generator::snitch
