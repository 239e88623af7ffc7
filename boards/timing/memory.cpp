#include "boards/timing/memory.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

namespace quern::timing {
namespace {

int log2_of(int value) { return std::countr_zero(static_cast<unsigned>(value)); }

// A TLB as a cache of pages: 16 ways (assumed) or fully associative where smaller.
CacheGeometry tlb_geometry(int entries) {
  if (entries <= 0) return {1, 1, 1};
  const int ways = std::min(entries, 16);
  return {static_cast<int>(std::bit_floor(static_cast<unsigned>(entries / ways))), ways, 1};
}

constexpr Line none = ~Line{0};

}  // namespace

OuterMemory::OuterMemory(const Parameters& parameters)
    : l2_(parameters.memory.l2),
      l2_read_(to_ticks(parameters.memory.l2_read_cycles)),
      l2_write_(to_ticks(parameters.memory.l2_write_cycles)),
      dram_read_(to_ticks(parameters.memory.dram_read_cycles)),
      dram_write_(to_ticks(parameters.memory.dram_write_cycles)) {
  const Tick hit =
      parameters.classes[static_cast<std::size_t>(InstructionClass::load)].latency[3][3];
  l2_extra_ = parameters.memory.l2_latency * ticks_per_cycle - hit;
  dram_extra_ = parameters.memory.dram_latency * ticks_per_cycle - hit;
}

void OuterMemory::insert(const Cache::Entry& entry, Tick at, MemoryCounts& counts) {
  const Cache::Entry victim = l2_.insert(entry);
  if (Cache::valid(victim) && victim.dirty) {
    dram_busy_ = std::max(dram_busy_, at) + dram_write_;
    ++counts.dram_writes;
  }
}

OuterMemory::Arrival OuterMemory::read(Line line, Tick at, MemoryCounts& counts) {
  const std::lock_guard lock(mutex_);
  const Tick start = std::max(at, l2_read_busy_);
  l2_read_busy_ = start + l2_read_;
  if (Cache::Entry* entry = l2_.find(line)) {
    const bool pending = entry->ready > start + l2_extra_;
    return {std::max(start + l2_extra_, entry->ready), pending ? StallCause::dram : StallCause::l2};
  }
  const Tick begin = std::max(start, dram_busy_);
  dram_busy_ = begin + dram_read_;
  ++counts.dram_reads;
  const Tick ready = begin + dram_extra_;
  insert({.line = line, .ready = ready, .origin = StallCause::dram}, begin, counts);
  return {ready, StallCause::dram};
}

Tick OuterMemory::write(Line line, Tick at, MemoryCounts& counts) {
  const std::lock_guard lock(mutex_);
  const Tick start = std::max(at, l2_write_busy_);
  l2_write_busy_ = start + l2_write_;
  if (Cache::Entry* entry = l2_.find(line)) {
    entry->dirty = true;
    return l2_write_busy_;
  }
  insert({.line = line, .ready = l2_write_busy_, .dirty = true}, start, counts);
  return std::max(l2_write_busy_, dram_busy_);
}

Memory::Memory(const Parameters& parameters, std::shared_ptr<OuterMemory> outer)
    : parameters_(parameters),
      m_(parameters_.memory),
      outer_(std::move(outer)),
      l1_(m_.l1),
      tlb_(tlb_geometry(m_.tlb_entries)),
      line_shift_(log2_of(m_.l1.line_bytes)),
      page_shift_(log2_of(m_.page_bytes) - line_shift_),
      slots_(static_cast<std::size_t>(m_.miss_slots)),
      queue_(static_cast<std::size_t>(m_.store_queue)),
      streams_(static_cast<std::size_t>(m_.prefetch_streams)) {}

Tick Memory::translate(Line line) {
  if (m_.tlb_entries == 0) return 0;
  const Line page = line >> page_shift_;
  if (page == last_page_) return 0;
  last_page_ = page;
  if (tlb_.find(page)) return 0;
  tlb_.insert({.line = page});
  ++counts_.tlb_misses;
  return m_.tlb_walk * ticks_per_cycle;
}

std::size_t Memory::free_slot() const {
  return static_cast<std::size_t>(std::min_element(slots_.begin(), slots_.end()) - slots_.begin());
}

void Memory::fill(Line line, const OuterMemory::Arrival& arrival, bool dirty, bool prefetched,
                  Tick at) {
  const Cache::Entry victim = l1_.insert({.line = line,
                                          .ready = arrival.ready,
                                          .dirty = dirty,
                                          .prefetched = prefetched,
                                          .origin = arrival.origin});
  if (Cache::valid(victim) && victim.dirty) {
    ++counts_.l1_write_backs;
    outer_->write(victim.line, at, counts_);
  }
}

MemoryOutcome Memory::load(Line line, std::int64_t cycle) {
  MemoryOutcome outcome{.start = cycle};
  const Tick now = cycle * ticks_per_cycle;
  if (Cache::Entry* entry = l1_.find(line)) {
    const Cache::Entry found = *entry;
    if (found.ready > now) {
      outcome.extra_latency = found.ready - now;
      outcome.data_cause = found.origin;
      counts_.late_prefetches += found.prefetched;
    }
    if (found.prefetched) {
      entry->prefetched = false;
      train(line, now);
    }
    return outcome;
  }
  if (line == combining_) {  // its stores must reach a cache first
    leave_combining(now);
    return load(line, cycle);
  }
  ++counts_.l1_load_misses;
  Tick& slot = slots_[free_slot()];
  if (slot > now) outcome.start = (slot + ticks_per_cycle - 1) / ticks_per_cycle;
  const Tick start = outcome.start * ticks_per_cycle + translate(line);
  const auto arrival = outer_->read(line, start, counts_);
  ++(arrival.origin == StallCause::l2 ? counts_.l2_hits : counts_.l2_misses);
  slot = arrival.ready;
  fill(line, arrival, false, false, start);
  outcome.extra_latency = arrival.ready - outcome.start * ticks_per_cycle;
  outcome.data_cause = arrival.origin;
  train(line, start);
  return outcome;
}

Tick Memory::store_place(Tick at) const {
  Tick first = std::numeric_limits<Tick>::max();
  for (const PendingStore& pending : queue_) first = std::min(first, pending.done);
  return std::max(at, first);
}

Tick Memory::enqueue_store(Line line, Tick done, Tick at) {
  PendingStore* place = &queue_[0];
  for (PendingStore& pending : queue_) {
    if (pending.line == line && pending.done > at)
      return at;  // merges with a store that waits already
    if (pending.done < place->done) place = &pending;
  }
  const Tick start = std::max(at, place->done);
  *place = {line, std::max(done, start)};
  return start;
}

Tick Memory::allocate(Line line, Tick at) {
  Tick& slot = slots_[free_slot()];
  const Tick start = std::max(at, slot) + translate(line);
  const auto arrival = outer_->read(line, start, counts_);
  ++(arrival.origin == StallCause::l2 ? counts_.l2_hits : counts_.l2_misses);
  slot = arrival.ready;
  fill(line, arrival, true, false, start);
  return arrival.ready;
}

void Memory::leave_combining(Tick at) {
  if (combining_ == none) return;
  const Line line = combining_;
  const bool full = combined_bytes_ >= static_cast<unsigned>(m_.l1.line_bytes);
  combining_ = none;
  combined_bytes_ = 0;
  counts_.streamed_lines += full;
  enqueue_store(line, full ? outer_->write(line, at, counts_) : allocate(line, at), at);
}

MemoryOutcome Memory::store(Line line, unsigned offset, unsigned bytes, std::uint64_t ascending,
                            std::int64_t cycle) {
  MemoryOutcome outcome{.start = cycle, .start_cause = StallCause::store_queue};
  const Tick now = cycle * ticks_per_cycle;
  const auto whole = [](Tick t) { return (t + ticks_per_cycle - 1) / ticks_per_cycle; };
  if (line == combining_) {
    if (offset == combined_bytes_) {
      combined_bytes_ += bytes;
      return outcome;
    }
    combined_bytes_ = 0;  // out of order: the line must be read after all
    outcome.start = whole(store_place(now));
    leave_combining(outcome.start * ticks_per_cycle);
    return outcome;
  }
  if (Cache::Entry* entry = l1_.find(line)) {
    entry->dirty = true;
    const Tick ready = entry->ready;
    if (entry->prefetched) {
      entry->prefetched = false;
      train(line, now);
    }
    if (ready > now) outcome.start = whole(enqueue_store(line, ready, now));
    return outcome;
  }
  ++counts_.l1_store_misses;
  const auto enough =
      static_cast<std::uint64_t>(m_.streaming_after) * static_cast<std::uint64_t>(m_.l1.line_bytes);
  outcome.start = whole(store_place(now));
  const Tick start = outcome.start * ticks_per_cycle;
  leave_combining(start);
  const bool streams = m_.combine_lines || (m_.streaming_after > 0 && ascending >= enough);
  if (streams && offset == 0) {
    outcome.start = whole(store_place(start));
    combining_ = line;
    combined_bytes_ = bytes;
    return outcome;
  }
  outcome.start = whole(enqueue_store(line, allocate(line, start), start));
  return outcome;
}

void Memory::prefetch(Line line, std::int64_t cycle) {
  if (l1_.contains(line)) return;
  const Tick now = cycle * ticks_per_cycle;
  Tick& slot = slots_[free_slot()];
  if (slot > now) return;
  const Tick start = now + translate(line);
  const auto arrival = outer_->read(line, start, counts_);
  slot = arrival.ready;
  ++counts_.prefetches;
  fill(line, arrival, false, false, start);
}

// A stream is a run of new lines at one stride. Two equal distances make it trusted.
void Memory::train(Line line, Tick at) {
  if (streams_.empty()) return;
  ++clock_;
  Stream* near = nullptr;
  for (Stream& stream : streams_) {
    if (stream.used == 0) continue;
    const auto distance = static_cast<std::int64_t>(line - stream.last);
    if (stream.stride != 0 && distance == stream.stride) {
      stream.last = line;
      stream.used = clock_;
      if (stream.confidence < 3) ++stream.confidence;
      run_ahead(stream, at);
      return;
    }
    if (distance != 0 && std::abs(distance) <= m_.prefetch_stride &&
        (!near || std::abs(distance) < std::abs(static_cast<std::int64_t>(line - near->last))))
      near = &stream;
  }
  if (near && near->confidence <= 1) {
    near->stride = static_cast<std::int64_t>(line - near->last);
    near->last = line;
    near->ahead = line;
    near->confidence = 1;
    near->used = clock_;
    return;
  }
  Stream& oldest =
      *std::min_element(streams_.begin(), streams_.end(),
                        [](const Stream& a, const Stream& b) { return a.used < b.used; });
  oldest = {.last = line, .stride = 0, .confidence = 0, .ahead = line, .used = clock_};
}

void Memory::run_ahead(Stream& stream, Tick at) {
  if (stream.confidence < 2) return;
  const auto step = [&](Line from, std::int64_t count) {
    return static_cast<Line>(static_cast<std::int64_t>(from) + stream.stride * count);
  };
  // Behind the stream or too far (the stream was re-trained): start again from the line in use.
  const auto lead = static_cast<std::int64_t>(stream.ahead - stream.last) / stream.stride;
  if (lead < 0 || lead > m_.prefetch_distance) stream.ahead = stream.last;
  const Line furthest = step(stream.last, m_.prefetch_distance);
  for (int burst = 0; burst < 2 && stream.ahead != furthest; ++burst) {
    const Line line = step(stream.ahead, 1);
    if (!m_.prefetch_crosses_page && line >> page_shift_ != stream.last >> page_shift_) return;
    stream.ahead = line;
    if (l1_.contains(line)) continue;
    ++counts_.prefetches;
    const auto arrival = outer_->read(line, at, counts_);
    fill(line, arrival, false, true, at);
  }
}

}  // namespace quern::timing
