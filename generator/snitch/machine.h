// What the Snitch generator must know about the core: register files, FREP sequencer, streams,
// latencies.
//
// Sources: the core's documentation and RTL of snitch_cluster 7f430f2, default configuration with a
// sequencer of 64 entries; latencies are issue distances of a dependent instruction.
#pragma once

#include <cstdint>

namespace quern::generator::snitch {

struct Machine {
  unsigned sequencer_entries = 64;  // FP instructions that an FREP nest may hold
  unsigned frep_levels = 2;
  std::int64_t frep_iterations = 1 << 16;  // 16 bits of the count register are used

  unsigned movers = 3;  // stream registers ft0..ft2
  unsigned stream_dimensions = 4;
  std::int64_t stream_bound = 1 << 17;  // iterations of one dimension
  std::int64_t stream_repeat = 16;      // deliveries of one element
  std::int64_t word = 8;                // bytes of a stream element; strides are multiples of it

  std::int64_t tcdm_bytes = 128 << 10;
  std::int64_t stack_bytes = 1 << 10;  // kept free at the top of the TCDM

  // Issue distance of a dependent instruction = pipeline registers + 1.
  unsigned add_multiply_distance = 4;
  unsigned dot_product_distance = 4;
  unsigned conversion_distance = 3;
  unsigned non_computational_distance = 2;
};

}  // namespace quern::generator::snitch
