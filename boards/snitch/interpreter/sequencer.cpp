#include "boards/snitch/interpreter/sequencer.h"

#include <fmt/format.h>

#include <algorithm>

namespace quern::snitch::interpreter {
namespace {

// Adds the stagger count to the register fields that the mask selects, each within its five bits.
std::uint32_t staggered(std::uint32_t bits, unsigned count, unsigned mask) {
  constexpr unsigned kFieldAt[] = {7, 15, 20, 27};  // rd, rs1, rs2, rs3
  for (unsigned field = 0; field < 4; ++field) {
    if ((mask >> field & 1) == 0) continue;
    const unsigned at = kFieldAt[field];
    const std::uint32_t moved = ((bits >> at & 31) + count) & 31;
    bits = (bits & ~(31u << at)) | moved << at;
  }
  return bits;
}

}  // namespace

void Sequencer::start_loop(std::uint32_t bits, std::uint32_t repetitions) {
  Loop loop;
  loop.first = body_.size();
  loop.count = (bits >> 20 & 0x7ff) + 1;
  loop.iterations = std::uint64_t{repetitions & 0xffff} + 1;  // 16 bits in this configuration
  loop.stagger_max = bits >> 12 & 7;
  loop.stagger_mask = bits >> 8 & 15;
  if (bits >> 31 != 0) throw SequencerMisuse("frep.o with stream control is not supported");
  if (loop.count > entries_) {
    throw SequencerMisuse(fmt::format("frep.o body of {} instructions, the sequencer holds {}",
                                      loop.count, entries_));
  }
  std::size_t depth = 1;
  for (const Loop& outer : loops_) {
    const std::size_t outer_end = outer.first + outer.count;
    if (loop.first >= outer_end) continue;
    ++depth;
    if (loop.first + loop.count > outer_end) {
      throw SequencerMisuse("inner frep.o body reaches past the end of the outer one");
    }
  }
  if (depth > levels_) {
    throw SequencerMisuse(
        fmt::format("frep.o nested {} deep, the sequencer has {} levels", depth, levels_));
  }
  loops_.push_back(loop);
}

void Sequencer::offload(FpOffload instruction) {
  if (!collecting()) {
    execute_(instruction);
    return;
  }
  body_.push_back(std::move(instruction));
  if (body_.size() < loops_.front().count) return;
  run(0, body_.size(), 0, 0, 0);
  loops_.clear();
  body_.clear();
  taken_over_ = false;
}

std::size_t Sequencer::loops_inside(std::size_t loop) const {
  const std::size_t end = loops_[loop].first + loops_[loop].count;
  std::size_t count = 0;
  while (loop + 1 + count < loops_.size() && loops_[loop + 1 + count].first < end) ++count;
  return count;
}

bool Sequencer::repeats(std::size_t loop) const {
  if (loop + 1 < levels_ || loops_.size() <= levels_) return true;
  return loop + 1 == levels_ && !taken_over_;
}

void Sequencer::run(std::size_t begin, std::size_t end, std::size_t loop, unsigned stagger,
                    unsigned mask) {
  for (std::size_t at = begin; at < end;) {
    if (loop < loops_.size() && loops_[loop].first == at) {
      const Loop& inner = loops_[loop];
      const std::size_t nested = loops_inside(loop);
      unsigned count = 0;
      const std::uint64_t iterations = repeats(loop) ? inner.iterations : 1;
      for (std::uint64_t i = 0; i < iterations; ++i) {
        // Only the innermost loop staggers.
        run(at, at + inner.count, loop + 1, nested == 0 ? count : 0,
            nested == 0 ? inner.stagger_mask : 0);
        count = count == inner.stagger_max ? 0 : count + 1;
      }
      if (loop + 1 == levels_ && loops_.size() > levels_) taken_over_ = true;
      loop += 1 + nested;
      at += inner.count;
    } else {
      FpOffload instruction = body_[at];
      if (stagger != 0) {
        instruction.bits = staggered(instruction.bits, stagger, mask);
        if (instruction.kind == FpOffload::Kind::arithmetic) {
          instruction.decoded = decode_fp(instruction.bits);
          if (!instruction.decoded) throw SequencerMisuse("staggered into an illegal instruction");
        }
      }
      execute_(instruction);
      ++at;
    }
  }
}

}  // namespace quern::snitch::interpreter
