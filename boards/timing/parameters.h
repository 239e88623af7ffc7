// The parameters of the timing model of one board, from the board file's "core", "caches" and
// "timing".
//
//   boards/bpi-f3.json  --load_parameters-->  Parameters --> Pipeline, Memory
//        "timing": {
//          "issue":  {"width": {"value": 2, "source": "..."}, ...},
//          "units":  {"vector-fp": {"value": 1, "source": "..."}, ...},
//          "memory": {"l2_latency": {"value": 40, "source": "..."}, ...},
//          "instructions": [{"classes": ["vector-fma"], "unit": "vector-fp",
//                            "latency": [5, 5, 5, 8], "occupancy": [1, 2, 4, 8], "source": "..."},
//                            ...]
//        }
//
// Every number stands beside its source, which is a reference or begins with the word "assumed".
// Arrays give LMUL 1, 2, 4, 8. Times are in cycles of the core's clock.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json_file.h"
#include "boards/timing/decoder.h"
#include "boards/timing/instruction_class.h"

namespace quern::timing {

// Fractions of a cycle are kept exactly as integers, so that nothing depends on rounding order.
using Tick = std::int64_t;
inline constexpr Tick ticks_per_cycle = 64;
Tick to_ticks(double cycles);

struct Unit {
  std::string name;
  int count = 1;
};

struct ClassTiming {
  int unit = 0;
  // By LMUL (index lmul_log2 + 3) and SEW (index log2(sew) - 3).
  std::array<std::array<Tick, 4>, 7> latency{};
  std::array<std::array<Tick, 4>, 7> occupancy{};
  // When not 0: occupancy is this for each element (VLMAX times fields), latency is occupancy plus
  // `latency_over`.
  Tick per_element = 0;
  Tick latency_over = 0;
};

struct CacheGeometry {
  int sets = 1;
  int ways = 1;
  int line_bytes = 64;
};

struct MemoryParameters {
  CacheGeometry l1, l2;
  int l2_shared_by = 1;
  int miss_slots = 1;            // line fills of demand misses in flight (MSHRs)
  int l2_latency = 0;            // load to use, a hit in L2
  double l2_read_cycles = 0;     // a line read from L2: reciprocal throughput
  double l2_write_cycles = 0;    // a line written to L2
  int dram_latency = 0;          // load to use, a miss in L2
  double dram_read_cycles = 0;   // a line read from DRAM
  double dram_write_cycles = 0;  // a line written to DRAM
  int store_queue = 1;           // lines that stores wait for (stores to one line merge)
  int streaming_after = 0;  // full lines in ascending order before stores stop allocating; 0: never
  bool combine_lines = false;  // a line written whole from its start is never read, runs or not
  int prefetch_streams = 0;
  int prefetch_distance = 0;  // lines ahead
  int prefetch_stride = 1;    // largest stride that is followed, in lines
  bool prefetch_crosses_page = false;
  int page_bytes = 4096;
  int tlb_entries = 0;    // translations cached at all; 0: not modelled
  int tlb_walk = 0;       // cycles of a walk
  double line_cross = 0;  // a vector access that crosses more lines than it must, each
};

// Which results are written in program order: one of these is never ready before an older one.
enum class InOrder : std::uint8_t { none, fp_and_vector, all };

struct Parameters {
  std::string board;
  int vlen = 0;
  double clock_hz = 0;
  int issue_width = 1;
  int vector_issue_width = 1;  // vector instructions issued in one cycle
  int store_data_slack = 0;    // cycles after issue until a scalar store needs its data
  double masked_factor = 1;    // occupancy of a masked operation over the unmasked one
  int mispredict_penalty = 0;
  int taken_branch_bubble = 0;          // cycles lost after a taken branch that was predicted
  bool taken_branch_ends_group = true;  // nothing issues beside it
  InOrder in_order_results = InOrder::none;
  int predictor_bits = 12;    // log2 of two-bit counters
  int predictor_history = 8;  // branches of global history
  int vl_granule = 0;         // bits: vectors cost the parts of this size that vl fills; 0: LMUL
  int trap_cycles = 0;        // an element-misaligned vector access, handled by a trap
  bool misaligned_vector_traps = false;
  std::vector<Unit> units;
  std::array<ClassTiming, instruction_class_count> classes;
  MemoryParameters memory;

  int unit_named(std::string_view name) const;  // -1: none
};

// Throws bad_input "name: /timing/...: ..." for anything missing, malformed or contradictory: a
// class that has no row or two, an unknown unit, a latency of 0 where a result is produced, an L2
// no slower than L1, occupancy that falls with LMUL, ways that do not divide the size.
Parameters load_parameters(const Json& board_document, const std::string& name);
Parameters load_parameters(const std::filesystem::path& board_file);

// What one instruction costs under a vtype.
struct Cost {
  int unit = 0;
  Tick latency = 0;
  Tick occupancy = 0;
};
Cost cost_of(const Parameters& parameters, const Instruction& instruction, VectorType type);

}  // namespace quern::timing
