// Target side of `quern calibrate`: runs the loops that micro_benchmarks.cpp has written and the
// memory and branch loops.
#pragma once

#include "boards/timing/calibration/branch_loops.h"
#include "boards/timing/calibration/measuring.h"
#include "boards/timing/calibration/memory_loops.h"
#include "boards/timing/calibration/prefetch_loops.h"
#include "boards/timing/calibration/store_loops.h"

namespace quern::calibration {

struct Loop {
  const char* name;
  void (*run)(long iterations, void* area);
  double instructions;  // an iteration, over which the cycles are divided
};

inline int main_of(int argc, char** argv, const Loop* loops, std::size_t count) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    const auto number = [&] { return std::strtoull(argv[i + 1], nullptr, 10); };
    if (key == "--clock-hz") options.clock_hz = std::atof(argv[i + 1]);
    if (key == "--l1") options.l1 = number();
    if (key == "--l2") options.l2 = number();
    if (key == "--line") options.line = number();
    if (key == "--l1-sets") options.l1_sets = number();
    if (key == "--l2-sets") options.l2_sets = number();
  }
  Measuring measuring(options);
  alignas(4096) static unsigned char area[16384];
  // So many that a wrong prediction more or less at the beginning or the end does not show.
  const long scale = measuring.modelled() ? 1 : 200;
  for (std::size_t i = 0; i < count; ++i)
    measuring.print(loops[i].name,
                    measuring.cycles_per_iteration([&](long n) { loops[i].run(n, area); },
                                                   32 * scale, 544 * scale) /
                        loops[i].instructions);
  run_branch_loops(measuring);
  run_memory_loops(measuring);
  run_prefetch_loops(measuring);
  run_store_loops(measuring);
  return 0;
}

}  // namespace quern::calibration
