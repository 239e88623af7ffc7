// Turns a sequence of operations into a complete plan in one pass: addresses, evictions, reloads,
// and the time of everything. Order, placement and prefetch are decided together, because a command
// may start as soon as its pipe, its inputs and *the addresses it is given* are free: giving a load
// the range that has been free for longest is prefetching it, and evicting the buffer whose last
// use is over is what lets the reload overlap the computation.
//
//   for each operation:  bring its spilled operands back ► allocate its outputs ► run ► free
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

  // For a search, which plans thousands of sequences that differ little from one, the base:
  //
  //   base    |------|------|------|------|   snapshots of the state
  //   trial          |---xxxx--------->       starts at the snapshot before the first change x
  //                              ^            given up when much later than the base here; without
  //                                           times, done when in the base's state here, so that
  //                                           the rest is the same
  //
  // What the trial keeps was planned for the base's future: next uses may have moved since. So a
  // trial is a legal plan, but planning it whole (`steady` false) may evict otherwise.
  //
  // `set_base` makes a sequence the base. `run_trial` plans one against it; `steady` says that the
  // genes are those of the base (only the order differs).
  Outcome set_base(const std::vector<int>& sequence, const Genes& genes, bool steady);
  // Positions of the base where something is lost: evictions without times, idle time of the
  // busiest pipe with.
  const std::vector<int>& sore_positions() const { return sore_; }
  Outcome run_trial(const std::vector<int>& sequence, const Genes& genes, bool steady,
                    const Limits& limits);
  // Operations planned so far by all runs: what a search counts as work.
  std::int64_t work() const { return work_; }

 private:
  enum class State : std::uint8_t { unborn, resident, away, freed };
  struct Range {
    std::int64_t from = -1;
    bool found() const { return from >= 0; }
  };
  struct BufferState {
    std::int64_t offset = 0, present = 0, last_use = 0, away_since = 0;
    float keep = 1.0F;
    State state = State::unborn;
  };
  // What the rest of a run depends on, before the operation at `position`.
  struct Snapshot {
    int position = 0;
    std::vector<BufferState> buffers;
    std::vector<std::int64_t> pipe_free, remaining;
    std::vector<TierMap> tiers;
    Outcome outcome;
    std::uint64_t residents = 0;
  };

  void start(const std::vector<int>& sequence);
  // Next uses from the end of the sequence back to `from`.
  void find_next_uses(const std::vector<int>& sequence, int from);
  void save(Snapshot& snapshot) const;
  void restore(const Snapshot& snapshot);
  int first_difference(const std::vector<int>& sequence) const;
  const Snapshot& snapshot_before(int position) const;
  void execute(int operation);
  void bring_in(int buffer);
  void take(int buffer, std::int64_t from);
  void leave(int buffer, std::int64_t time);
  Range free_range(int buffer, std::int64_t ready) const;
  bool make_room(int buffer, std::int64_t ready, Range& range);
  void evict(int buffer);
  void gather_operands(int operation, int tier);
  std::int64_t ready_time(int buffer) const;
  std::int64_t range_released(int tier, std::int64_t from, std::int64_t to) const;
  std::int64_t latest_finish() const;
  void find_sore_positions();

  const Problem& problem_;
  const bool timeless_;  // all commands take no time, so equal residents mean equal states
  const int spacing_;    // of the snapshots of the base
  std::int64_t largest_pair_ = 0;
  const Genes* genes_ = nullptr;
  Plan* plan_ = nullptr;

  std::vector<BufferState> buffers_;
  std::vector<int> next_use_;
  std::vector<int> pinned_;  // by buffer: stamp of the last operation that needs it
  int stamp_ = 0;
  std::vector<int> next_of_entry_;  // by entry of buffers_of: position of the buffer's next use
  std::vector<std::int64_t> finish_;
  std::vector<std::int64_t> pipe_free_;
  std::vector<std::int64_t> remaining_;  // cycles of work left on each pipe
  std::vector<TierMap> tiers_;
  std::vector<int> victims_, best_victims_;
  std::uint64_t residents_ = 0;  // hash of who is where
  int position_ = 0;
  int current_ = -1;
  std::int64_t inputs_ready_ = 0;
  Outcome outcome_;
  std::int64_t work_ = 0;

  // The base.
  std::vector<int> base_sequence_;
  std::vector<std::int64_t> base_finish_;      // by operation
  std::vector<std::int64_t> base_traffic_;     // by position, after it
  std::vector<std::uint64_t> base_residents_;  // by position, after it
  std::vector<Snapshot> snapshots_;
  Outcome base_outcome_;
  std::vector<char> loses_;  // by position
  std::vector<int> sore_;
  int busiest_ = 0;
};

}  // namespace quern::planner
