// Turns a sequence of operations into a complete plan in one pass: addresses, evictions, reloads,
// and the time of everything. Order, placement and prefetch are decided together, because a command
// may start as soon as its pipe, its inputs and *the addresses it is given* are free: giving a load
// the range that has been free for longest is prefetching it, and evicting the buffer whose last
// use is over is what lets the reload overlap the computation.
//
//   for each operation:  bring its spilled operands back ► allocate its outputs ► run ► free what
//   is done
//                          └ where? a free range: least wait, tightest fit
//                          └ none?  evict the window that is cheapest per distance to its next use
//
// Nothing deadlocks: an operation's own buffers always fit (checked when the graph is built), and
// when fragmentation keeps them apart everything of the tier goes out and comes back side by side.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "planner/decode/problem.h"
#include "planner/decode/tier_map.h"
#include "planner/model/plan.h"

namespace quern::planner {

// How the decoder chooses. A search varies these along with the order.
struct Policy {
  bool time_first = false;    // free ranges: least wait before tightest fit
  double wait_weight = 0;     // evictions: price of waiting for the range, per cycle
  double distance_power = 1;  // evictions: price falls with (distance to next use) ^ power
  double wait_tolerance = 0;  // free ranges: waits that differ by less count as equal
};

// The part of a solution that a search varies.
struct Genes {
  std::vector<int> anchors;  // permutation of Problem::anchors
  Policy policy;
  // Price factor of evicting a buffer in the gap after one of its uses; entry k belongs to the k-th
  // entry of Problem::buffers_of. Empty: all 1.
  std::vector<float> keep;
  std::vector<char> high;  // by buffer: prefers the high end of its tier. Empty: none.
};

struct Outcome {
  std::int64_t traffic = 0;
  std::int64_t spills = 0;
  std::int64_t cycles = 0;
  bool complete = true;  // false: given up since a limit was passed
};

struct Limits {
  std::int64_t traffic = std::numeric_limits<std::int64_t>::max();
  std::int64_t cycles = std::numeric_limits<std::int64_t>::max();
};

class Decoder {
 public:
  explicit Decoder(const Problem& problem);

  // Plans `sequence` (every operation once, legal). With `plan`, writes it out too.
  Outcome run(const std::vector<int>& sequence, const Genes& genes, const Limits& limits = {},
              Plan* plan = nullptr);

 private:
  enum class State : std::uint8_t { unborn, resident, away, freed };
  struct Range {
    std::int64_t from = -1;
    bool found() const { return from >= 0; }
  };

  void find_next_uses(const std::vector<int>& sequence);
  void execute(int operation);
  void bring_in(int buffer);
  void take(int buffer, std::int64_t from);
  Range free_range(int buffer, std::int64_t ready) const;
  bool make_room(int buffer, std::int64_t ready, Range& range);
  void evict(int buffer);
  void gather_operands(int operation, int tier);
  std::int64_t ready_time(int buffer) const;
  std::int64_t range_released(int tier, std::int64_t from, std::int64_t to) const;

  const Problem& problem_;
  const Genes* genes_ = nullptr;
  Plan* plan_ = nullptr;
  std::vector<std::int64_t> remaining_;  // cycles of work left on each pipe

  // By buffer.
  std::vector<State> state_;
  std::vector<std::int64_t> offset_, present_, last_use_, away_since_;
  std::vector<int> next_use_;
  std::vector<float> keep_;
  std::vector<int> pinned_;  // last operation index in the sequence that needs it

  std::vector<int> next_of_entry_;  // by entry of buffers_of: position of the buffer's next use
  std::vector<std::int64_t> finish_;
  std::vector<std::int64_t> pipe_free_;
  std::vector<TierMap> tiers_;
  std::vector<int> scratch_;
  int position_ = 0;
  int current_ = -1;
  std::int64_t inputs_ready_ = 0;
  Outcome outcome_;
};

}  // namespace quern::planner
