// What a modelled run cost, as one JSON document ("schema": "quern-timing-1"): totals, instructions
// by class, stalls by cause, memory traffic, unknown instructions by name, and on request cycles by
// function.
//
// Every figure in it is `modelled`, and it says so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json_file.h"
#include "boards/timing/block.h"
#include "boards/timing/core.h"

namespace quern::timing {

// Which function an address belongs to: a list of ranges filled by whoever knows where files are
// mapped.
class SymbolMap {
 public:
  struct Range {
    std::uint64_t first, last;  // [first, last)
    std::string name;
    std::string file;
  };
  void add(Range range) {
    ranges_.push_back(std::move(range));
    sorted_ = false;
  }
  const Range* find(std::uint64_t address);

 private:
  std::vector<Range> ranges_;
  bool sorted_ = false;
};

struct UnknownInstruction {
  std::string name;
  std::uint64_t count;
};

// Executed unknown instructions of all cores, most frequent first.
std::vector<UnknownInstruction> unknown_instructions(const std::vector<const Block*>& blocks,
                                                     const std::vector<Core*>& cores);

// Executed instructions by class, all cores.
std::array<std::uint64_t, instruction_class_count> class_counts(
    const std::vector<const Block*>& blocks, const std::vector<Core*>& cores);

// `symbols` null: no breakdown by function.
Json timing_report(const Parameters& parameters, const std::vector<const Block*>& blocks,
                   const std::vector<Core*>& cores, SymbolMap* symbols);

}  // namespace quern::timing
