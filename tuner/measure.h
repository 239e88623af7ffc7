// Kernel points -> records: generate, compile, run on the board, verify, time.
#pragma once

#include <functional>
#include <vector>

#include "boards/session.h"
#include "boards/toolchain/compiler.h"
#include "generator/core/kernel_point.h"
#include "tuner/record.h"

namespace quern::tuner {

// How a micro-kernel is measured.
struct MeasureOptions {
  std::int64_t k_c =
      256;  // long enough that storing C is a few percent, short enough for L1 on every board
  int warmup = 2;   // calls before the first sample: code and panels are then where they will be
  int samples = 3;  // median of these; the modelled clock gives the same figure each time once warm
  int repeat = 10;  // calls in a sample, so that reading the clock does not count
  std::chrono::milliseconds time_limit =
      std::chrono::minutes(2);  // of one point, on this host's clock
  // Run kernels whose inner loop spills or changes the vector configuration, too; otherwise their
  // record is poor_code (boards/timing/code_quality.h).
  bool allow_poor = false;
};

// Measures points one after the other (each in a process of its own, so that a crash costs one
// point) and hands over each record as it is made. Points must be valid on the board. Stops early
// when interrupted.
void measure_kernels(boards::Session& session, const boards::Compiler& compiler,
                     const std::filesystem::path& root,
                     const std::vector<generator::KernelPoint>& points,
                     const MeasureOptions& options, const std::function<void(Record)>& take);

// Versions of everything that a record of this session depends on.
Json versions(const boards::Session& session, const boards::Compiler& compiler);

}  // namespace quern::tuner
