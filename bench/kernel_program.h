// The host's half of bench/target/kernel_bench.cpp: kernel points -> one program that verifies and
// times them.
//
//     points --generator--> C sources --.
//     kernel_bench.cpp -----------------+--compiler, linker--> program
//     table of the kernels (generated) -'
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "boards/toolchain/compiler.h"
#include "generator/core/emitter.h"

namespace quern::bench {

struct KernelProgram {
  std::filesystem::path program;  // empty: did not link, see `log`
  std::vector<boards::Compiled>
      kernels;  // one a point; those that are not good are left out of the program
  std::vector<generator::Kernel> sources;  // one a point
  std::string log;
};

// Emits, compiles and links. All points must be valid on the board.
KernelProgram build_kernel_program(const boards::Compiler& compiler,
                                   const std::filesystem::path& root, const boards::Board& board,
                                   const std::vector<generator::KernelPoint>& points);

// The C++ text of the table that kernel_bench.cpp runs, for the kernels whose flag is set.
std::string kernel_table_source(const std::vector<generator::Kernel>& kernels,
                                const std::vector<generator::KernelPoint>& points);

}  // namespace quern::bench
