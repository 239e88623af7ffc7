#include "boards/timing/timing_report.h"

#include <algorithm>
#include <map>

#include "boards/timing/demangle.h"

namespace quern::timing {
namespace {

Json stalls_json(const Stalls& stalls) {
  Json json = Json::object();
  for (std::size_t i = 0; i < stall_count; ++i)
    if (stalls[i] > 0) json[std::string(stall_names[i])] = stalls[i];
  return json;
}

void add(BlockTotals& sum, const BlockTotals& t) {
  sum.executions += t.executions;
  sum.cycles += t.cycles;
  for (std::size_t i = 0; i < stall_count; ++i) sum.stalls[i] += t.stalls[i];
  sum.l1_misses += t.l1_misses;
  sum.l2_misses += t.l2_misses;
  sum.misaligned += t.misaligned;
  sum.mispredicted += t.mispredicted;
}

// One block's totals over all cores.
std::vector<BlockTotals> totals_of(const std::vector<const Block*>& blocks,
                                   const std::vector<Core*>& cores) {
  std::vector<BlockTotals> totals(blocks.size());
  for (Core* core : cores) {
    const auto& mine = core->totals();
    for (std::size_t i = 0; i < std::min(mine.size(), totals.size()); ++i) add(totals[i], mine[i]);
  }
  return totals;
}

}  // namespace

const SymbolMap::Range* SymbolMap::find(std::uint64_t address) {
  if (!sorted_) {
    std::stable_sort(ranges_.begin(), ranges_.end(),
                     [](const Range& a, const Range& b) { return a.first < b.first; });
    sorted_ = true;
  }
  auto at =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](std::uint64_t value, const Range& range) { return value < range.first; });
  // Aliases and nested labels: the nearest start whose range holds the address.
  for (int steps = 0; at != ranges_.begin() && steps < 64; ++steps)
    if (--at; address < at->last) return &*at;
  return nullptr;
}

std::vector<UnknownInstruction> unknown_instructions(const std::vector<const Block*>& blocks,
                                                     const std::vector<Core*>& cores) {
  std::map<std::string, std::uint64_t> counts;
  const auto totals = totals_of(blocks, cores);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i]->unknown == 0 || totals[i].executions == 0) continue;
    for (const Instruction& instruction : blocks[i]->instructions)
      if (instruction.instruction_class() == InstructionClass::unknown)
        counts[instruction.name()] += totals[i].executions;
  }
  std::vector<UnknownInstruction> unknown;
  for (const auto& [name, count] : counts) unknown.push_back({name, count});
  std::stable_sort(unknown.begin(), unknown.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return unknown;
}

std::array<std::uint64_t, instruction_class_count> class_counts(
    const std::vector<const Block*>& blocks, const std::vector<Core*>& cores) {
  std::array<std::uint64_t, instruction_class_count> counts{};
  const auto totals = totals_of(blocks, cores);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (totals[i].executions == 0) continue;
    for (const Instruction& instruction : blocks[i]->instructions)
      counts[static_cast<std::size_t>(instruction.instruction_class())] += totals[i].executions;
  }
  return counts;
}

Json timing_report(const Parameters& parameters, const std::vector<const Block*>& blocks,
                   const std::vector<Core*>& cores, SymbolMap* symbols) {
  Json report;
  report["schema"] = "quern-timing-1";
  report["board"] = parameters.board;
  report["timing"] = "modelled";
  report["clock_hz"] = parameters.clock_hz;

  std::int64_t cycles = 0;
  std::uint64_t instructions = 0, replayed = 0, assumed = 0;
  MemoryCounts memory;
  Json per_core = Json::array();
  for (const Core* core : cores) {
    cycles = std::max(cycles, core->cycles());
    instructions += core->instructions();
    replayed += core->replayed_instructions();
    assumed += core->assumed_vector_types();
    const MemoryCounts& c = core->memory_counts();
    memory.l1_load_misses += c.l1_load_misses;
    memory.l1_store_misses += c.l1_store_misses;
    memory.late_prefetches += c.late_prefetches;
    memory.l2_hits += c.l2_hits;
    memory.l2_misses += c.l2_misses;
    memory.prefetches += c.prefetches;
    memory.streamed_lines += c.streamed_lines;
    memory.l1_write_backs += c.l1_write_backs;
    memory.dram_reads += c.dram_reads;
    memory.dram_writes += c.dram_writes;
    memory.tlb_misses += c.tlb_misses;
    per_core.push_back({{"cycles", core->cycles()}, {"instructions", core->instructions()}});
  }
  report["cycles"] = cycles;  // of the core that ran longest
  report["instructions"] = instructions;
  report["seconds"] = static_cast<double>(cycles) / parameters.clock_hz;
  report["cores"] = per_core;

  const auto totals = totals_of(blocks, cores);
  BlockTotals sum;
  for (const BlockTotals& t : totals) add(sum, t);
  report["stalls"] = stalls_json(sum.stalls);
  report["mispredicted_branches"] = sum.mispredicted;
  report["misaligned_vector_accesses"] = sum.misaligned;
  report["assumed_vector_types"] = assumed;
  report["memory"] = {{"l1_load_misses", memory.l1_load_misses},
                      {"l1_store_misses", memory.l1_store_misses},
                      {"late_prefetches", memory.late_prefetches},
                      {"l2_hits", memory.l2_hits},
                      {"l2_misses", memory.l2_misses},
                      {"prefetches", memory.prefetches},
                      {"streamed_lines", memory.streamed_lines},
                      {"l1_write_backs", memory.l1_write_backs},
                      {"dram_reads", memory.dram_reads},
                      {"dram_writes", memory.dram_writes},
                      {"tlb_misses", memory.tlb_misses}};

  const auto classes = class_counts(blocks, cores);
  report["classes"] = Json::object();
  for (std::size_t c = 0; c < instruction_class_count; ++c)
    if (classes[c] > 0) report["classes"][std::string(instruction_class_names[c])] = classes[c];
  std::uint64_t unknown_count = 0;
  report["unknown"] = Json::array();
  for (const auto& unknown : unknown_instructions(blocks, cores)) {
    report["unknown"].push_back({{"name", unknown.name}, {"count", unknown.count}});
    unknown_count += unknown.count;
  }
  report["unknown_instructions"] = unknown_count;
  report["replayed_instructions"] = replayed;

  if (symbols) {
    struct Entry {
      std::string name, file;
      std::uint64_t instructions = 0;
      BlockTotals totals;
    };
    std::map<std::pair<std::string, std::string>, Entry> functions;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (totals[i].executions == 0) continue;
      const auto* range = symbols->find(blocks[i]->address);
      const std::string name = range ? range->name : "(no symbol)", file = range ? range->file : "";
      Entry& entry = functions[{name, file}];
      entry.name = name;
      entry.file = file;
      entry.instructions += totals[i].executions * blocks[i]->instructions.size();
      add(entry.totals, totals[i]);
    }
    std::vector<const Entry*> order;
    for (const auto& [key, entry] : functions) order.push_back(&entry);
    std::stable_sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
      return a->totals.cycles > b->totals.cycles;
    });
    report["functions"] = Json::array();
    for (const Entry* entry : order)
      report["functions"].push_back({{"name", demangled(entry->name)},
                                     {"symbol", entry->file.empty() ? Json() : Json(entry->name)},
                                     {"file", entry->file},
                                     {"cycles", entry->totals.cycles},
                                     {"instructions", entry->instructions},
                                     {"stalls", stalls_json(entry->totals.stalls)},
                                     {"l1_misses", entry->totals.l1_misses},
                                     {"l2_misses", entry->totals.l2_misses}});
  }
  return report;
}

}  // namespace quern::timing
