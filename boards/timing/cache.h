// The tags of one set-associative cache with true geometry and least-recently-used replacement.
//
//   set  = line number mod sets          (line number = address / line size)
//   each set keeps its ways in order of use: [most recent ... least recent]
//
// Which replacement the C908 and the X60 use is not published; LRU is assumed. Addresses are the
// guest's virtual ones, as if physical memory were contiguous.
#pragma once

#include <cstdint>
#include <vector>

#include "boards/timing/parameters.h"
#include "boards/timing/stall.h"

namespace quern::timing {

using Line = std::uint64_t;  // address / line size

class Cache {
 public:
  struct Entry {
    Line line = ~Line{0};
    Tick ready = 0;  // when its data is there
    bool dirty = false;
    bool prefetched = false;             // brought by the prefetcher, not yet used
    StallCause origin = StallCause::l2;  // where its data came from
  };

  explicit Cache(const CacheGeometry& geometry)
      : ways_(static_cast<std::size_t>(geometry.ways)),
        mask_(static_cast<Line>(geometry.sets) - 1),
        entries_(static_cast<std::size_t>(geometry.sets) * ways_) {}

  // The entry of a line, made most recent; null if it is not here.
  Entry* find(Line line) {
    Entry* set = &entries_[(line & mask_) * ways_];
    if (set[0].line == line) return set;
    for (std::size_t way = 1; way < ways_; ++way)
      if (set[way].line == line) {
        const Entry found = set[way];
        for (; way > 0; --way) set[way] = set[way - 1];
        set[0] = found;
        return set;
      }
    return nullptr;
  }

  // Puts a line (which is not here) in place of the least recent one, which is returned.
  Entry insert(const Entry& entry) {
    Entry* set = &entries_[(entry.line & mask_) * ways_];
    const Entry victim = set[ways_ - 1];
    for (std::size_t way = ways_ - 1; way > 0; --way) set[way] = set[way - 1];
    set[0] = entry;
    return victim;
  }

  bool contains(Line line) const {
    const Entry* set = &entries_[(line & mask_) * ways_];
    for (std::size_t way = 0; way < ways_; ++way)
      if (set[way].line == line) return true;
    return false;
  }

  static bool valid(const Entry& entry) { return entry.line != ~Line{0}; }

 private:
  std::size_t ways_;
  Line mask_;
  std::vector<Entry> entries_;
};

}  // namespace quern::timing
