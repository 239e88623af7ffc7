// Exact backtracking search for one capacity: place or postpone.
//
//   cap ------------------------------     Solutions are built bottom-up on a skyline.
//             :  c?  :                       `earliest` of a buffer is the lowest offset that it
//        +----+......+--------+              can still have, at least the skyline below it. The
//        | a  | floor|   b    |              search takes a buffer that nothing can go beneath:
//        +----+--+---+----+---+              place:     it rests at `earliest`;
//        |   d   |        | e |              postpone:  it lies higher, because one of the buffers
//        +-------+--------+---+-> time                  still to come is in its way there.
//
// Each canonical solution (no buffer can move down, not even by a jump) is met exactly once: after
// "postpone", some buffer k live at the same time must begin below the postponed one's old top, and
// the postponed one lies above k; without such a k the branch ends. This is both the dominance rule
// (no hole is left that a later buffer fits in) and a bound: earliest >= min over k of (earliest(k)
// + size(k)).
//
// Pruning. In each section the buffers still to come stack above their `earliest`: ordering them by
// it gives the least height (preemptive one-machine bound), which must not exceed the section's
// limit. `strong` also applies "not first" reasoning: a buffer that cannot have all of a set above
// it lies above one of it.
//
// Decomposition. When the buffers to come fall apart in time, the parts are searched one by one; a
// failure in one goes back to before the parts separated, past all choices in the others.
//
// Sections that fail gain weight, and choices go to heavy sections first; weights survive in the
// object, so that a restart begins where the trouble was. The ideas of canonical solutions, section
// bounds, dominance and decomposition are MiniMalloc's (Moffitt, ASPLOS 2023); place-or-postpone
// branching and the one-machine bounds come from scheduling (Le Pape et al. 1994; Carlier 1982),
// failure weights from constraint programming (Boussemart et al. 2004).
#pragma once

#include <cstdint>
#include <vector>

#include "planner/allocation/model.h"

namespace quern::planner::allocation {

// Which buffer to branch on.
enum class Branching {
  lowest,  // the lowest `earliest`
  scarce,  // in the section of most weight per buffer that can go to its bottom, little slack first
  scarce_choices,  // the same regardless of slack
  tight,           // in the section of least slack
};

class Search {
 public:
  enum class State { running, found, exhausted };

  // `latest`: the largest offset of each buffer. The model must outlive the search.
  Search(const Model& model, std::vector<std::int64_t> latest);

  // Begins anew, keeping the weights. Among the candidates of a section, higher priority goes
  // first.
  void restart(Branching branching, std::vector<double> priority, bool strong);
  // Goes on for at most `nodes` more placements and postponements.
  State run(std::int64_t nodes);

  std::int64_t nodes() const { return nodes_; }  // of all runs
  // The offsets of the solution that was found.
  const std::vector<std::int64_t>& offsets() const { return earliest_; }

 private:
  enum Stage : char { free_, postponed, placed };
  struct Change {
    enum What : char { earliest, stage, refused, floor, remaining, slack, choices } what;
    int index;
    std::int64_t old;
  };
  struct Part {
    int parent;
    int first_section = 0, last_section = 0;
    std::vector<int> buffers;  // by first section; those placed since are still in
  };
  struct Open {
    int part, next;
  };
  struct Frame {
    int buffer, part;
    bool second;  // `postpone` is being explored
    std::size_t changes, postponed;
    int parts, opens, open;
  };

  bool place(int buffer);
  bool postpone(int buffer);
  bool backtrack(int failed_part);
  bool propagate();
  bool raise_postponed();
  bool bound_section(int section);
  bool not_first(int section);
  bool raise(int buffer, std::int64_t offset);
  void touch(int section);
  void save(Change::What what, int index, std::int64_t old) {
    trail_.push_back({what, index, old});
  }
  void undo(const Frame& frame);
  void split(int part);
  int choose(const Part& part);
  int lowest(const Part& part) const;
  int critical_section(const Part& part) const;
  int bottom(int section) const;
  bool better(int a, int b) const;

  const Model& model_;
  std::vector<std::int64_t> latest_, limit_;  // by buffer; by section
  Branching branching_ = Branching::lowest;
  std::vector<double> priority_;
  bool strong_ = false;
  std::int64_t nodes_ = 0;
  bool started_ = false, dead_ = false;

  // The state, restored through the trail.
  std::vector<std::int64_t> earliest_, refused_;  // refused: where a postponed buffer does not lie
  std::vector<Stage> stage_;
  std::vector<std::int64_t> floor_, remaining_, slack_, choices_;  // by section

  std::vector<Change> trail_;
  std::vector<int> postponed_;
  std::vector<Frame> frames_;
  std::vector<Part> parts_;
  int part_count_ = 0;
  std::vector<Open> opens_;
  int open_ = -1;  // the list of parts to be solved

  std::vector<double> weight_;  // of sections
  double increment_ = 1;

  // Work space.
  std::vector<std::vector<Member>> stack_;  // members of a section, nearly ordered by `earliest`
  std::vector<char> touched_;
  std::vector<int> queue_, wave_;
  std::int64_t clock_ = 0;
  std::vector<std::int64_t> section_time_, buffer_time_;
  struct Ending {
    std::int64_t end, size;
    int buffer;
    std::int64_t lower;
  };
  std::vector<Ending> endings_;
  std::vector<std::int64_t> sums_;
};

}  // namespace quern::planner::allocation
