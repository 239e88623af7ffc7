// The host's half of bench/target/gemm_bench.cpp: a board's kernel set -> one program that runs
// whole GEMMs beside their peers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/kernel_set.h"
#include "boards/toolchain/compiler.h"

namespace quern::bench {

// Compiles and links. `peers` may hold "eigen", which is compiled in (and takes a while); the
// others are opened at run time. Throws tool_missing with the compiler's words: shipped kernels are
// expected to compile.
std::filesystem::path build_gemm_program(const boards::Compiler& compiler,
                                         const std::filesystem::path& root, const KernelSet& set,
                                         const std::vector<std::string>& peers);

// The C++ text of the table that gemm_bench.cpp runs.
std::string family_table_source(const KernelSet& set);

}  // namespace quern::bench
