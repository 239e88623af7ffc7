// The issue slots of one loop iteration, over and over: what issues in which cycle, in program
// order, and when its result is written.
//
//     cycle       0          1           2
//     slots   [flw fma]  [add add]   [vle fma]     after the last cycle comes the first again
//     write     4   5                  5   7
//
// Where results are written in program order, an instruction fits only where its write is no
// earlier than those before it and no later than those behind it. A plan that fits is never late:
// issue in order, each instruction as soon as it can, takes each in its planned cycle or sooner.
#pragma once

#include <optional>
#include <vector>

namespace quern::generator::rvv {

class IssueTable {
 public:
  struct Entry {
    int id = 0;                   // the planner's
    std::optional<double> write;  // cycles after issue, of a result that is written in order
  };
  IssueTable(int cycles, int width)
      : width_(width), slots_(static_cast<std::size_t>(cycles)), cycles_(cycles) {}

  int cycles() const { return cycles_; }
  // Cycles are counted on: cycle -1 is the last one, `cycles()` the first.
  const std::vector<Entry>& at(int cycle) const { return slots_[index(cycle)]; }
  int room(int cycle) const { return width_ - static_cast<int>(at(cycle).size()); }
  // Before the `slot`-th instruction of the cycle.
  bool fits(int cycle, int slot, const std::optional<double>& write) const;
  void insert(int cycle, int slot, const Entry& entry);

 private:
  std::size_t index(int cycle) const {
    return static_cast<std::size_t>(((cycle % cycles_) + cycles_) % cycles_);
  }
  int width_;
  std::vector<std::vector<Entry>> slots_;
  int cycles_;
};

// When a unit takes no other instruction, on the same circle.
class UnitTable {
 public:
  explicit UnitTable(int cycles) : busy_(static_cast<std::size_t>(cycles), false) {}
  bool free(int cycle, int length) const;
  void take(int cycle, int length);

 private:
  std::size_t index(int cycle) const {
    const int cycles = static_cast<int>(busy_.size());
    return static_cast<std::size_t>(((cycle % cycles) + cycles) % cycles);
  }
  std::vector<bool> busy_;
};

}  // namespace quern::generator::rvv
