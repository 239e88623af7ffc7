// Data memory of one core: L1, miss slots, store queue, prefetcher, TLB; behind it L2 and DRAM,
// which several cores may share.
//
//   load  --> L1 --hit--> data after the instruction's own latency
//              |miss: a miss slot (wait if none)  --> L2 --miss--> DRAM     data after
//              l2_/dram_latency
//   store --> L1 --hit--> done
//              |miss: waits in the store queue while the line is fetched (write-allocate), or
//              |streaming: after `streaming_after` lines written in ascending order without a gap
//              |(or always, with `combine_lines`), a line is collected beside L1 from its first
//              |byte on and goes to L2 without having been read; one that is left half-written is
//              |read after all
//   used a new line (miss, or first touch of a prefetched one) --> prefetcher --> lines ahead
//
// L2 and DRAM are served in order, each line taking its reciprocal throughput; between L1 and L2
// lines read and lines written go different ways, DRAM has one for both. A dirty line that
// leaves L1 is written to L2, one that leaves L2 to DRAM. Latencies are load-to-use, so what is
// added to an instruction is the difference to an L1 hit.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "boards/timing/cache.h"
#include "boards/timing/pipeline.h"

namespace quern::timing {

struct MemoryCounts {
  std::uint64_t l1_load_misses = 0;
  std::uint64_t l1_store_misses = 0;
  std::uint64_t late_prefetches = 0;  // used before they arrived
  std::uint64_t l2_hits = 0;          // demand
  std::uint64_t l2_misses = 0;        // demand
  std::uint64_t prefetches = 0;
  std::uint64_t streamed_lines = 0;  // written without being read
  std::uint64_t l1_write_backs = 0;
  std::uint64_t dram_reads = 0;  // lines, prefetches included
  std::uint64_t dram_writes = 0;
  std::uint64_t tlb_misses = 0;
};

// L2 and DRAM. With several cores on it, calls are serialised and core clocks are taken as one.
class OuterMemory {
 public:
  explicit OuterMemory(const Parameters& parameters);

  struct Arrival {
    Tick ready;
    StallCause origin;
  };
  // Reads a line for L1 at `at`; counts go to the core that asks.
  Arrival read(Line line, Tick at, MemoryCounts& counts);
  // Takes a line that L1 gives up or streams. Returns when it has been accepted.
  Tick write(Line line, Tick at, MemoryCounts& counts);

 private:
  void insert(const Cache::Entry& entry, Tick at, MemoryCounts& counts);

  Cache l2_;
  Tick l2_extra_, dram_extra_;
  Tick l2_read_, l2_write_, dram_read_, dram_write_;
  Tick l2_read_busy_ = 0, l2_write_busy_ = 0, dram_busy_ = 0;
  std::mutex mutex_;
};

class Memory {
 public:
  Memory(const Parameters& parameters, std::shared_ptr<OuterMemory> outer);

  // The common case, and the only one that can be replayed: the line is in L1 and its data has
  // come, so the pipeline sees nothing. Marks it used (and dirty); the first use of a prefetched
  // line moves its stream on. Anything else is false and must go through load/store.
  bool simple_hit(Line line, bool store, std::int64_t cycle) {
    Cache::Entry* entry = l1_.find(line);
    if (!entry || entry->ready > cycle * ticks_per_cycle) return false;
    entry->dirty |= store;
    if (entry->prefetched) {
      entry->prefetched = false;
      train(line, cycle * ticks_per_cycle);
    }
    return true;
  }

  // One line of an access that would start in `cycle`.
  MemoryOutcome load(Line line, std::int64_t cycle);
  // Stores are watched in program order, whether they hit or not: the bytes that were written in
  // ascending order without a gap just before this store.
  std::uint64_t ascending_before(std::uint64_t address, std::uint32_t bytes) {
    const std::uint64_t before = address == store_end_ ? store_end_ - store_begin_ : 0;
    if (before == 0) store_begin_ = address;
    store_end_ = address + bytes;
    return before;
  }

  // `bytes` of the line are written from `offset` on; `ascending` as above.
  MemoryOutcome store(Line line, unsigned offset, unsigned bytes, std::uint64_t ascending,
                      std::int64_t cycle);
  // A software prefetch: like a load whose data nobody waits for; dropped when no miss slot is
  // free.
  void prefetch(Line line, std::int64_t cycle);

  const MemoryCounts& counts() const { return counts_; }
  int line_shift() const { return line_shift_; }

 private:
  struct Stream {
    Line last = 0;
    std::int64_t stride = 0;  // lines; 0: not known yet
    int confidence = 0;
    Line ahead = 0;  // furthest line asked for
    std::uint64_t used = 0;
  };

  Tick translate(Line line);  // extra ticks of a TLB walk
  void fill(Line line, const OuterMemory::Arrival& arrival, bool dirty, bool prefetched, Tick at);
  void train(Line line, Tick at);
  void run_ahead(Stream& stream, Tick at);
  std::size_t free_slot() const;  // the miss slot that is free first
  struct PendingStore {
    Line line = ~Line{0};
    Tick done = 0;
  };
  Tick enqueue_store(Line line, Tick done, Tick at);  // when a place in the store queue was found
  Tick store_place(Tick at) const;                    // when the store queue has a place
  Tick allocate(Line line, Tick at);  // fetches a line for a store; when it is there
  void leave_combining(Tick at);

  const Parameters& parameters_;
  const MemoryParameters& m_;
  std::shared_ptr<OuterMemory> outer_;
  Cache l1_;
  Cache tlb_;
  Line last_page_ = ~Line{0};
  int line_shift_, page_shift_;
  std::vector<Tick> slots_;          // when each miss slot is free again
  std::vector<PendingStore> queue_;  // lines that stores wait for; same line, same place
  std::vector<Stream> streams_;
  std::uint64_t clock_ = 0;
  std::uint64_t store_begin_ = 0, store_end_ = 0;  // of the ascending run
  Line combining_ = ~Line{0};                      // the line that streaming stores are filling
  unsigned combined_bytes_ = 0;
  MemoryCounts counts_;
};

}  // namespace quern::timing
