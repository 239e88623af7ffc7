// The host's half of bench/target/kernel_bench.cpp: kernels of one type -> one program that
// verifies and times them.
//
//     points --generator--> sources ----.
//     kernel_bench.cpp -----------------+--compiler, linker--> program
//     table of the kernels (generated) -'
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "boards/toolchain/compiler.h"
#include "generator/core/emitter.h"

namespace quern::bench {

// A kernel and how it wants to be called.
struct BenchKernel {
  generator::Kernel source;
  int m_r = 0, n_r = 0;
  generator::KernelForm form;
};

struct KernelProgram {
  std::filesystem::path program;  // empty: did not link, see `log`
  std::vector<boards::Compiled>
      kernels;  // one a kernel; those that are not good are left out of the program
  std::vector<generator::Kernel> sources;  // one a kernel
  std::set<std::string> needs;             // extensions, for boards::Program
  std::string log;
};

// Compiles and links. `vlen` is the one that the kernels' lanes are counted for.
KernelProgram build_kernel_program(const boards::Compiler& compiler,
                                   const std::filesystem::path& root, generator::DType dtype,
                                   int vlen, const std::vector<BenchKernel>& kernels);

// Emits first. All points must be valid on the board, and of one type.
KernelProgram build_kernel_program(const boards::Compiler& compiler,
                                   const std::filesystem::path& root, const boards::Board& board,
                                   const std::vector<generator::KernelPoint>& points);

// The C++ text of the table that kernel_bench.cpp runs.
std::string kernel_table_source(const std::vector<BenchKernel>& kernels, int vlen);

// Vector multiply-accumulates that a point's kernel makes in a step of k: one for every vector and
// every element across, four of complex elements.
int fmas_per_k(const generator::KernelPoint& point);

// The extensions that kernels of a type use beyond plain vectors.
std::set<std::string> extensions_of(generator::DType dtype);

}  // namespace quern::bench
