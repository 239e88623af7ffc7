// Unroll and jam: how many values of each parallel iterator are computed at once, so that as many
// independent accumulators are in flight as the FPU has stages (+ 1).
//
// Where the factors do not divide the extents, the domain is cut, and the strips that are left get
// factors of their own:
//
//        n ->    8     8     3
//      m  +-----------------+-----+
//      |  |   main 1x8      |     |
//      v  |                 |     |
//         +-----------------+-----+
//         |      rest of m        |
//         +-----------------------+
#pragma once

#include <optional>
#include <vector>

#include "generator/snitch/stream_nest.h"

namespace quern::generator::snitch {

struct Cut {
  LoopNest main;                // whole tiles
  JamFactors jam;               // of it; divides its extents
  std::vector<LoopNest> rests;  // strips, together with `main` the whole domain
};

// The nest over iterations [first, first + count) of one iterator.
LoopNest restrict_iterator(LoopNest nest, std::size_t iterator, std::int64_t first,
                           std::int64_t count);

// The nest cut for these factors of its parallel iterators (in iterator order; reductions have 1).
Cut cut(const LoopNest& nest, const JamFactors& factors);

// FP registers that the jammed lowering needs for `jam` accumulators.
std::int64_t float_registers_needed(const LoopNest& nest, const JamFactors& jam);

// Estimated cycles of one region (modelled; used only to choose): configuring the streams, and the
// work.
struct Estimate {
  double setup = 0, work = 0;
};
Estimate estimate(const StreamNest& nest, const Machine& machine);
// Of regions after each other: the set-up of one is done while the one before still runs.
double estimate_cycles(const std::vector<StreamNest>& regions, const Machine& machine);

// The regions of the cheapest factors, or of `asked` ({m_r, n_r}; 0: free). Throws bad_input when
// the asked factors need more registers than there are. nullopt with `why`: the nest cannot be
// streamed.
std::optional<std::vector<StreamNest>> unroll_and_jam(const LoopNest& nest, int m_r, int n_r,
                                                      const Machine& machine, std::string& why);

}  // namespace quern::generator::snitch
