// The kernels that ship for a board: kernels/<board>/tuned.json names the families, and a .c or .S
// file beside it holds each kernel.
//
//     tuned.json   {"schema": "quern.tuned.v1", "board": "bpi-f3",
//                   "families": [{"dtype": "f32", "id": "rvv-f32-32x7-m1-vf-v256"}]}
//
// A family may carry m_c, n_c and k_c; without them the analytical model (gemm/blocking.h) chooses
// for the board's caches. Boards without a folder get one family that the generator makes on the
// spot, so that a new board works before it is tuned.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "boards/board.h"
#include "gemm/blocking.h"
#include "generator/core/emitter.h"

namespace quern::bench {

struct KernelFamilySource {
  generator::KernelPoint point;  // the full tile
  int lanes = 0;
  gemm::Blocking blocking;
  std::vector<generator::Kernel> kernels;  // [vector_rows][n_r], row-major
};

struct KernelSet {
  bool shipped = false;  // from kernels/<board>, not made on the spot
  std::vector<KernelFamilySource> families;
};

// Throws bad_input if the files are damaged, do not fit the board or hold kernels of a form that
// GEMM cannot use, nothing_valid if the board's generator has no kernel for the type.
KernelSet load_kernel_set(const std::filesystem::path& root, const boards::Board& board,
                          generator::DType dtype);

// Why gemm() cannot be built from kernels of a form; empty if it can.
std::string not_for_gemm(const generator::KernelForm& form);

// A family made by the generator, with the analytical blocking.
KernelFamilySource make_family(const boards::Board& board, const generator::KernelPoint& point);

// The caches of a board as the blocking model wants them.
gemm::MemoryGeometry memory_geometry(const boards::Board& board);

}  // namespace quern::bench
