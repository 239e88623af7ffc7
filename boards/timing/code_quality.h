// Is a kernel's object code as good as its source meant it to be? What the compiler or the
// generator let slip into the inner loop shows here, without running anything.
//
//     object --predict--> the loop --> k steps in it, instructions for each multiply-accumulate,
//                                      vsetvli a k step, spills, alignment, cycles a k step
//
// Prediction (predict.h) asks how fast the loop is; this asks whether it is what a GEMM kernel's
// loop ought to be: loads, multiply-accumulates and address steps, nothing else.
#pragma once

#include <string>

#include "boards/timing/predict.h"

namespace quern::timing {

struct CodeQuality {
  Prediction prediction;            // of the loop; no more is known if it has none
  int k_per_iteration = 0;          // 0: the multiply-accumulates are not a whole number of k steps
  double instructions_per_fma = 0;  // all instructions of the loop, for each multiply-accumulate
  double vsetvl_per_k = 0;
  double instructions_per_k = 0;
  double cycles_per_k = 0;
  int loop_alignment =
      0;  // bytes: the largest power of two that is sure to divide the loop's address

  int spills() const { return prediction.spills.total(); }
};

// `fmas_per_k`: vector multiply-accumulates that a step of k takes.
CodeQuality code_quality(const Parameters& parameters, const ElfFile& file,
                         const ElfFunction& function, int fmas_per_k);

// Why the code must not be used, with the numbers; empty if it may: the loop keeps everything in
// registers and does not change the vector configuration.
std::string poor_code(const CodeQuality& quality);

}  // namespace quern::timing
