// The problem as the solvers see it: time cut into sections, addresses in units.
//
//   buffers      ==a====  ==d=====         A section is a moment at which a set of buffers is live
//   that is
//                   ===b====               not part of its neighbour's set: only there can the
//                   stack of
//                ==c=========              live buffers be too high. All times between are implied.
//   sections        |     |                |1: a b c, |2: b d c
//
// All addresses are divided by `unit`, the largest number that every offset of some canonical
// solution (one in which no buffer can move down) is a multiple of: the common divisor of all
// sizes, or of all alignments when that is larger (sizes are then rounded up).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/allocation/problem.h"

namespace quern::planner::allocation {

// Part [lower, upper) of `buffer`, counted from its offset, is occupied in a section.
struct Member {
  int buffer;
  std::int64_t lower, upper;
};
// The same seen from the buffer.
struct Occupancy {
  int section;
  std::int64_t lower, upper;
};
// Another buffer that is live at the same time as this one.
struct Conflict {
  int buffer;
  std::int64_t below;  // offset(this) >= offset(buffer) + below if `buffer` lies below this one
  std::int64_t above;  // offset(buffer) >= offset(this) + above if it lies above
};

// Rows of different lengths in one array.
template <class T>
class Rows {
 public:
  std::span<const T> operator[](std::size_t row) const {
    return {items_.data() + starts_[row], items_.data() + starts_[row + 1]};
  }
  std::size_t size() const { return starts_.size() - 1; }
  std::size_t total() const { return items_.size(); }
  void push(const T& item) { items_.push_back(item); }
  void end_row() { starts_.push_back(items_.size()); }

 private:
  std::vector<T> items_;
  std::vector<std::size_t> starts_{0};
};

// Above this many (buffer, section) or (buffer, buffer) pairs a problem is refused: about 1 GB.
inline constexpr std::size_t most_pairs = std::size_t{1} << 23;

class Model {
 public:
  // Throws bad_input if the problem is larger than most_pairs allows.
  explicit Model(const Problem& problem);

  int buffers() const { return static_cast<int>(size.size()); }
  int sections() const { return static_cast<int>(members.size()); }
  // For each buffer the largest offset (in units) that fits the capacity (in addresses); negative
  // if none.
  std::vector<std::int64_t> latest_offsets(std::int64_t capacity) const;
  // The solution in addresses.
  Solution solution(const std::vector<std::int64_t>& offsets) const;
  // x rounded up to what the buffer's alignment allows.
  std::int64_t aligned(int buffer, std::int64_t x) const {
    const std::int64_t a = alignment[buffer];
    return a == 1 ? x : (x + a - 1) / a * a;
  }

  std::int64_t unit = 1;
  std::vector<std::int64_t> size;          // units
  std::vector<std::int64_t> address_size;  // addresses
  std::vector<std::int64_t> alignment;     // units
  std::vector<std::int64_t> fixed;         // units; -1 if free
  std::vector<std::int64_t> duration;      // of the lifespan, for orderings
  std::vector<int> first_section,
      last_section;             // of a buffer; first > last if it never occupies anything
  Rows<Member> members;         // by section, sections in order of time
  Rows<Occupancy> occupancies;  // by buffer
  Rows<Conflict> conflicts;     // by buffer

  // Whether for every two live buffers one lies entirely below the other. Partial gaps can break
  // this: a small buffer may fit under an arch. Then the fast search finds solutions but cannot
  // prove that none is.
  bool ordered = true;

 private:
  void choose_unit(const Problem& problem);
  void cut_sections(const Problem& problem);
  void find_conflicts();
};

// The stretches of its lifespan in which a buffer occupies something, in order of time, in
// addresses.
struct Stretch {
  Interval time;
  Interval window;
};
std::vector<Stretch> stretches_of(const Buffer& buffer);

}  // namespace quern::planner::allocation
