// Many kernels, few compiler start-ups: their texts are put together into a few units, which are
// compiled on all processors.
//
//     k0.c  k1.c  k2.c ...  --names made unique--> batch.c --compiler--> one object for all
//
// A unit that does not compile is taken apart and its kernels are compiled one by one, so that each
// failure stays that kernel's own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "boards/toolchain/compiler.h"
#include "generator/core/emitter.h"

namespace quern::bench {

// What each kernel came to, in their order. Kernels of a batch have the same object.
std::vector<boards::Compiled> compile_kernels(const boards::Compiler& compiler,
                                              const std::vector<generator::Kernel>& kernels);

// The texts of kernels of one language as one text: what each keeps to itself (static functions of
// C, local labels of assembly) gets a name of its own.
std::string batch_text(std::span<const generator::Kernel> kernels);

}  // namespace quern::bench
