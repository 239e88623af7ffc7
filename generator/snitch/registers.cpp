#include "generator/snitch/registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace quern::generator::snitch {
namespace {

// Where a virtual register is live, in positions of the linearised program.
struct Interval {
  int first = -1, last = -1;
};

class Liveness {
 public:
  explicit Liveness(const Block& block) {
    walk(block);
    // A register that is set before a loop and used in it must survive to the loop's end.
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto& [reg, interval] : intervals_) {
        for (const auto& [start, end] : loops_) {
          if (interval.first < start && interval.last >= start && interval.last < end) {
            interval.last = end;
            changed = true;
          }
        }
      }
    }
  }
  const std::map<Register, Interval>& intervals() const { return intervals_; }

 private:
  void touch(const Register& reg) {
    if (!reg.is_virtual()) return;
    Interval& interval = intervals_[reg];
    if (interval.first < 0) interval.first = position_;
    interval.last = position_;
  }
  void walk(const Block& block) {
    for (const Node& node : block) {
      if (node.kind == Node::Kind::comment) continue;
      ++position_;
      if (node.kind == Node::Kind::instruction) {
        const Instruction& i = node.instruction;
        for (const Register& reg : {i.rd, i.rs1, i.rs2, i.rs3}) touch(reg);
        continue;
      }
      touch(node.loop.counter);
      const int start = position_;
      walk(*node.loop.body);
      ++position_;
      if (!node.loop.hardware) touch(node.loop.counter);
      loops_.emplace_back(start, position_);
    }
  }

  int position_ = 0;
  std::map<Register, Interval> intervals_;
  std::vector<std::pair<int, int>> loops_;
};

std::vector<int> integer_pool(const Program& program) {
  std::vector<int> pool = {5, 6, 7, 28, 29, 30, 31};
  for (int reg = 17; reg >= 10 + program.arguments; --reg) pool.push_back(reg);
  for (int reg : {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}) pool.push_back(reg);
  return pool;
}

std::vector<int> float_pool(bool scalar) {
  std::vector<int> pool = {3, 4, 5, 6, 7, 28, 29, 30, 31};
  for (int reg = scalar ? 11 : 10; reg <= 17; ++reg) pool.push_back(reg);
  for (int reg : {8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27}) pool.push_back(reg);
  return pool;
}

bool callee_saved(const Register& reg) {
  return (reg.id == 8 || reg.id == 9 || (reg.id >= 18 && reg.id <= 27));
}

// The largest number of registers that are live at once.
int pressure(const std::vector<std::pair<Register, Interval>>& live) {
  int most = 0;
  for (const auto& [reg, at] : live) {
    int count = 0;
    for (const auto& [other, interval] : live) {
      count += interval.first <= at.first && at.first < std::max(interval.last, interval.first + 1);
    }
    most = std::max(most, count);
  }
  return most;
}

void allocate_class(const Liveness& liveness, Register::Kind kind, Register::Kind fixed,
                    const std::vector<int>& pool, std::map<Register, Register>& physical) {
  std::vector<std::pair<Register, Interval>> order;
  for (const auto& [reg, interval] : liveness.intervals()) {
    if (reg.kind == kind) order.emplace_back(reg, interval);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  std::map<int, int> busy_until;  // physical register -> last position
  for (const auto& [reg, interval] : order) {
    const auto free = std::find_if(pool.begin(), pool.end(), [&](int candidate) {
      const auto busy = busy_until.find(candidate);
      return busy == busy_until.end() || busy->second <= interval.first;
    });
    if (free == pool.end()) {
      throw bad_input(
          "out of {} registers: the kernel needs {} at once, {} are free (no spilling); "
          "choose a smaller unroll and jam",
          kind == Register::Kind::floating ? "floating-point" : "integer", pressure(order),
          pool.size());
    }
    busy_until[*free] = std::max(interval.last, interval.first + 1);
    physical[reg] = {fixed, *free};
  }
}

void replace(Block& block, const std::map<Register, Register>& physical) {
  const auto apply = [&](Register& reg) {
    if (reg.is_virtual()) reg = physical.at(reg);
  };
  for (Node& node : block) {
    if (node.kind == Node::Kind::loop) {
      apply(node.loop.counter);
      replace(*node.loop.body, physical);
    } else if (node.kind == Node::Kind::instruction) {
      Instruction& i = node.instruction;
      for (Register* reg : {&i.rd, &i.rs1, &i.rs2, &i.rs3}) apply(*reg);
    }
  }
}

}  // namespace

int available_float_registers(bool scalar) { return static_cast<int>(float_pool(scalar).size()); }

Allocation allocate_registers(Program& program) {
  const Liveness liveness(program.body);
  Allocation result;
  allocate_class(liveness, Register::Kind::integer, Register::Kind::fixed_integer,
                 integer_pool(program), result.physical);
  allocate_class(liveness, Register::Kind::floating, Register::Kind::fixed_float,
                 float_pool(program.scalar_argument), result.physical);
  replace(program.body, result.physical);

  std::set<Register> saved;
  for (const auto& [reg, physical] : result.physical) {
    if (callee_saved(physical)) saved.insert(physical);
  }
  result.saved.assign(saved.begin(), saved.end());

  for (const auto& [reg, physical] : result.physical) {
    const std::string& role = reg.kind == Register::Kind::integer ? program.integer_roles[reg.id]
                                                                  : program.float_roles[reg.id];
    const auto same = std::find_if(result.roles.begin(), result.roles.end(),
                                   [&](const auto& r) { return r.first == role; });
    const std::string name = print(physical);
    if (same == result.roles.end()) {
      result.roles.emplace_back(role, name);
    } else if ((" " + same->second + " ").find(" " + name + " ") == std::string::npos) {
      same->second += " " + name;
    }
  }
  return result;
}

}  // namespace quern::generator::snitch
