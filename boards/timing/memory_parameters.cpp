// Caches, DRAM, TLB and prefetcher: /caches and /timing/memory.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "boards/timing/parameter_reader.h"

namespace quern::timing {
namespace {

constexpr std::int64_t largest_cache = std::int64_t{1} << 30;

bool power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

CacheGeometry read_cache(const Reader& cache) {
  const auto bytes = cache.child("bytes").plain_integer(1, largest_cache);
  const auto ways = cache.child("ways").plain_integer(1, 1024);
  const auto line = cache.child("line").plain_integer(8, 4096);
  if (!power_of_two(line)) cache.fail("line", fmt::format("{} is not a power of two", line));
  if (bytes % (ways * line) != 0)
    cache.fail("ways",
               fmt::format("{} ways of {}-byte lines do not divide {} bytes", ways, line, bytes));
  const auto sets = bytes / (ways * line);
  if (!power_of_two(sets))
    cache.fail("", fmt::format("{} sets: the index of a set is taken from address bits, so a power "
                               "of two is expected",
                               sets));
  return {static_cast<int>(sets), static_cast<int>(ways), static_cast<int>(line)};
}

}  // namespace

void read_memory(const Reader& board, const Reader& timing, Parameters& parameters) {
  MemoryParameters& m = parameters.memory;
  bool found[3] = {};
  const Reader caches = board.child("caches");
  if (!caches.json().is_array()) caches.fail("", "expected an array");
  for (std::size_t i = 0; i < caches.json().size(); ++i) {
    const Reader cache = caches.item(i);
    const auto level = cache.child("level").plain_integer(1, 8);
    if (level > 2) continue;
    if (found[level]) cache.fail("level", fmt::format("a cache of level {} stands above", level));
    found[level] = true;
    (level == 1 ? m.l1 : m.l2) = read_cache(cache);
    if (level == 2)
      m.l2_shared_by = static_cast<int>(cache.child("shared_by").plain_integer(1, 4096));
  }
  if (!found[1] || !found[2])
    board.fail("caches", "the timing model needs caches of level 1 and 2");
  if (m.l1.line_bytes != m.l2.line_bytes)
    board.fail("caches", "lines of levels 1 and 2 differ in size");
  if (static_cast<std::int64_t>(m.l2.sets) * m.l2.ways <=
      static_cast<std::int64_t>(m.l1.sets) * m.l1.ways)
    board.fail("caches", "level 2 is no larger than level 1");

  const Reader memory = timing.child("memory");
  memory.allow({"miss_slots", "l2_latency", "l2_read_cycles", "l2_write_cycles", "dram_latency",
                "dram_read_cycles", "dram_write_cycles", "store_queue", "streaming_after",
                "combine_lines", "prefetch_streams", "prefetch_distance", "prefetch_stride",
                "prefetch_crosses_page", "page_bytes", "tlb_entries", "tlb_walk", "line_cross"});
  m.miss_slots = memory.integer("miss_slots", 1, 64);
  m.l2_latency = memory.integer("l2_latency", 1, 10000);
  m.l2_read_cycles = memory.number("l2_read_cycles", 0.25, 1000);
  m.l2_write_cycles = memory.number("l2_write_cycles", 0.25, 1000);
  m.dram_latency = memory.integer("dram_latency", 1, 100000);
  m.dram_read_cycles = memory.number("dram_read_cycles", 0.25, 10000);
  m.dram_write_cycles = memory.number("dram_write_cycles", 0.25, 10000);
  m.store_queue = memory.integer("store_queue", 1, 256);
  m.streaming_after = memory.integer("streaming_after", 0, 4096);
  if (memory.has("combine_lines")) m.combine_lines = memory.boolean("combine_lines");
  m.prefetch_streams = memory.integer("prefetch_streams", 0, 64);
  m.prefetch_distance = memory.integer("prefetch_distance", 0, 64);
  m.prefetch_stride = memory.integer("prefetch_stride", 1, 4096);
  m.prefetch_crosses_page = memory.boolean("prefetch_crosses_page");
  m.page_bytes = memory.integer("page_bytes", 4096, 1 << 30);
  m.tlb_entries = memory.integer("tlb_entries", 0, 1 << 16);
  m.tlb_walk = memory.integer("tlb_walk", 0, 10000);
  m.line_cross = memory.number("line_cross", 0, 1000);
  if (!power_of_two(m.page_bytes))
    memory.fail("page_bytes/value", fmt::format("{} is not a power of two", m.page_bytes));
  const auto load = static_cast<int>(
      parameters.classes[static_cast<std::size_t>(InstructionClass::load)].latency[3][3] /
      ticks_per_cycle);
  if (m.l2_latency <= load)
    memory.fail(
        "l2_latency/value",
        fmt::format("{} cycles is no more than the {} of a load that hits L1", m.l2_latency, load));
  if (m.dram_latency <= m.l2_latency)
    memory.fail("dram_latency/value", fmt::format("{} cycles is no more than the {} of L2",
                                                  m.dram_latency, m.l2_latency));
  if (m.prefetch_streams > 0 && m.prefetch_distance == 0)
    memory.fail("prefetch_distance/value", "0 lines ahead, but prefetch_streams is not 0");
  if (m.tlb_entries > 0 && !power_of_two(m.tlb_entries))
    memory.fail("tlb_entries/value", fmt::format("{} is not a power of two", m.tlb_entries));
  if (m.tlb_entries > 0 && m.tlb_walk == 0)
    memory.fail("tlb_walk/value", "a walk takes time, but is 0 cycles");
}

}  // namespace quern::timing
