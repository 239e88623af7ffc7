#include "planner/allocation/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace quern::planner::allocation {
namespace {

// A rectangle that is really occupied.
struct Piece {
  std::size_t buffer;
  Interval time;
  Interval addresses;
};

std::vector<Piece> pieces_of(const Problem& problem, const Solution& solution) {
  std::vector<Piece> pieces;
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const std::int64_t base = solution.offsets[b];
    auto gaps = buffer.gaps;
    std::sort(gaps.begin(), gaps.end(),
              [](const Gap& x, const Gap& y) { return x.period.lower < y.period.lower; });
    std::int64_t now = buffer.lifespan.lower;
    auto whole_until = [&](std::int64_t time) {
      if (now < time) pieces.push_back({b, {now, time}, {base, base + buffer.size}});
    };
    for (const Gap& gap : gaps) {
      whole_until(gap.period.lower);
      if (gap.window) {
        pieces.push_back({b, gap.period, {base + gap.window->lower, base + gap.window->upper}});
      }
      now = gap.period.upper;
    }
    whole_until(buffer.lifespan.upper);
  }
  return pieces;
}

std::optional<std::string> overlap(const Problem& problem, const std::vector<Piece>& pieces) {
  // A sweep over time keeps the occupied address ranges; a range that begins must not touch its
  // neighbours.
  struct Event {
    std::int64_t time;
    bool begins;  // at equal times, ends come first
    std::size_t piece;
  };
  std::vector<Event> events;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    events.push_back({pieces[p].time.lower, true, p});
    events.push_back({pieces[p].time.upper, false, p});
  }
  std::sort(events.begin(), events.end(), [](const Event& x, const Event& y) {
    return x.time != y.time ? x.time < y.time : x.begins < y.begins;
  });
  std::map<std::int64_t, std::size_t> occupied;  // lower address -> piece
  for (const Event& event : events) {
    const Piece& piece = pieces[event.piece];
    if (!event.begins) {
      occupied.erase(piece.addresses.lower);
      continue;
    }
    const auto above = occupied.lower_bound(piece.addresses.lower);
    const Piece* other = nullptr;
    if (above != occupied.end() && pieces[above->second].addresses.lower < piece.addresses.upper) {
      other = &pieces[above->second];
    }
    if (above != occupied.begin()) {
      const Piece& below = pieces[std::prev(above)->second];
      if (below.addresses.upper > piece.addresses.lower) other = &below;
    }
    if (other != nullptr) {
      return fmt::format("buffers '{}' [{}, {}) and '{}' [{}, {}) share addresses at time {}",
                         problem.buffers[other->buffer].id, other->addresses.lower,
                         other->addresses.upper, problem.buffers[piece.buffer].id,
                         piece.addresses.lower, piece.addresses.upper, event.time);
    }
    occupied.emplace(piece.addresses.lower, event.piece);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> verify(const Problem& problem, const Solution& solution,
                                  std::int64_t capacity) {
  if (solution.offsets.size() != problem.buffers.size()) {
    return fmt::format("{} offsets for {} buffers", solution.offsets.size(),
                       problem.buffers.size());
  }
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const std::int64_t offset = solution.offsets[b];
    if (offset < 0 || offset > capacity - buffer.size) {
      return fmt::format("buffer '{}' at offset {} with size {} leaves the capacity {}", buffer.id,
                         offset, buffer.size, capacity);
    }
    if (offset % buffer.alignment != 0) {
      return fmt::format("buffer '{}' at offset {} is not aligned to {}", buffer.id, offset,
                         buffer.alignment);
    }
    if (buffer.offset && *buffer.offset != offset) {
      return fmt::format("buffer '{}' at offset {}, prescribed is {}", buffer.id, offset,
                         *buffer.offset);
    }
  }
  return overlap(problem, pieces_of(problem, solution));
}

}  // namespace quern::planner::allocation
