#include "planner/allocation/test_problems.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace quern::planner::allocation {
namespace {

using Engine = std::mt19937;

int between(Engine& engine, int least, int most) {  // the same with every standard library
  return least + static_cast<int>(engine() % static_cast<unsigned>(most - least + 1));
}
bool chance(Engine& engine, double share) {
  return static_cast<double>(engine()) < share * 4294967295.0;
}

}  // namespace

Problem random_problem(const RandomShape& shape, std::uint32_t seed) {
  Engine engine(seed);
  Problem problem;
  for (int b = 0; b < shape.buffers; ++b) {
    Buffer buffer;
    buffer.id = "b" + std::to_string(b);
    const int start = between(engine, 0, shape.times - 1);
    const int end = between(engine, start + 1, shape.times);
    buffer.lifespan = {start, end};
    buffer.size = between(engine, 1, shape.largest_size);
    if (chance(engine, shape.aligned)) buffer.alignment = between(engine, 1, 4);
    if (chance(engine, shape.fixed)) {
      const auto room = static_cast<int>((shape.capacity - buffer.size) / buffer.alignment);
      if (room >= 0) buffer.offset = between(engine, 0, room) * buffer.alignment;
    }
    if (chance(engine, shape.gaps)) {
      const int gap_start = between(engine, start, end - 1);
      Gap gap{{gap_start, between(engine, gap_start + 1, end)}, std::nullopt};
      if (chance(engine, shape.windows)) {
        const int lower = between(engine, 0, static_cast<int>(buffer.size) - 1);
        gap.window = Interval{lower, between(engine, lower + 1, static_cast<int>(buffer.size))};
      }
      buffer.gaps.push_back(gap);
    }
    problem.buffers.push_back(buffer);
  }
  return problem;
}

Problem cut_rectangle(int buffers, int times, std::int64_t capacity, std::uint32_t seed) {
  Engine engine(seed);
  struct Piece {
    Interval time, addresses;
    double area() const {
      return static_cast<double>(time.upper - time.lower) *
             static_cast<double>(addresses.upper - addresses.lower);
    }
  };
  std::vector<Piece> pieces = {{{0, times}, {0, capacity}}};
  while (static_cast<int>(pieces.size()) < buffers) {
    // The largest of three, so that pieces stay of like size.
    std::size_t largest = engine() % pieces.size();
    for (int i = 0; i < 2; ++i) {
      const std::size_t other = engine() % pieces.size();
      if (pieces[other].area() > pieces[largest].area()) largest = other;
    }
    Piece& piece = pieces[largest];
    Piece rest = piece;
    Interval& side = chance(engine, 0.5) ? piece.time : piece.addresses;
    Interval& rest_side = &side == &piece.time ? rest.time : rest.addresses;
    if (side.upper - side.lower < 2) continue;
    const auto length = static_cast<int>(side.upper - side.lower);
    side.upper = rest_side.lower = side.lower + between(engine, 1, length - 1);
    pieces.push_back(rest);
  }
  Problem problem;
  for (const Piece& piece : pieces) {
    Buffer buffer;
    buffer.lifespan = piece.time;
    buffer.size = piece.addresses.upper - piece.addresses.lower;
    problem.buffers.push_back(buffer);
  }
  for (std::size_t b = problem.buffers.size(); b > 1; --b) {
    std::swap(problem.buffers[b - 1], problem.buffers[engine() % b]);
  }
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    problem.buffers[b].id = std::to_string(b);
  }
  return problem;
}

Problem weld(Problem problem, int welds, std::uint32_t seed) {
  Engine engine(seed);
  auto& buffers = problem.buffers;
  int done = 0;
  for (int tries = 0; tries < 10'000 && done < welds; ++tries) {
    const std::size_t i = engine() % buffers.size(), j = engine() % buffers.size();
    if (buffers[i].lifespan.upper != buffers[j].lifespan.lower) continue;
    Buffer joined = buffers[i];
    joined.size = std::min(buffers[i].size, buffers[j].size);
    joined.lifespan.upper = buffers[j].lifespan.upper;
    buffers[i].size -= joined.size;
    buffers[j].size -= joined.size;
    buffers.push_back(joined);
    std::erase_if(buffers, [](const Buffer& buffer) { return buffer.size == 0; });
    ++done;
  }
  for (std::size_t b = 0; b < buffers.size(); ++b) buffers[b].id = std::to_string(b);
  return problem;
}

std::optional<Solution> brute_force(const Problem& problem, int capacity) {
  std::int64_t times = 0;
  for (const Buffer& buffer : problem.buffers) times = std::max(times, buffer.lifespan.upper);
  std::vector<std::uint64_t> taken(static_cast<std::size_t>(times), 0);  // a bit an address
  Solution solution;
  auto bits = [](std::int64_t lower, std::int64_t upper) {
    return ((std::uint64_t{1} << (upper - lower)) - 1) << lower;
  };
  auto mask = [&](const Buffer& buffer, std::int64_t time) -> std::uint64_t {
    if (time < buffer.lifespan.lower || time >= buffer.lifespan.upper) return 0;
    for (const Gap& gap : buffer.gaps) {
      if (time < gap.period.lower || time >= gap.period.upper) continue;
      return gap.window ? bits(gap.window->lower, gap.window->upper) : 0;
    }
    return bits(0, buffer.size);
  };
  std::function<bool(std::size_t)> next = [&](std::size_t b) {
    if (b == problem.buffers.size()) return true;
    const Buffer& buffer = problem.buffers[b];
    for (std::int64_t offset = 0; offset + buffer.size <= capacity; ++offset) {
      if (offset % buffer.alignment != 0 || (buffer.offset && *buffer.offset != offset)) continue;
      bool free = true;
      for (std::int64_t t = 0; t < times && free; ++t) {
        free = (taken[t] & (mask(buffer, t) << offset)) == 0;
      }
      if (!free) continue;
      for (std::int64_t t = 0; t < times; ++t) taken[t] |= mask(buffer, t) << offset;
      solution.offsets.push_back(offset);
      if (next(b + 1)) return true;
      solution.offsets.pop_back();
      for (std::int64_t t = 0; t < times; ++t) taken[t] &= ~(mask(buffer, t) << offset);
    }
    return false;
  };
  if (!next(0)) return std::nullopt;
  return solution;
}

}  // namespace quern::planner::allocation
