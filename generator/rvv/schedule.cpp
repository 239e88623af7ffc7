#include "generator/rvv/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quern::generator::rvv {
namespace {

int fmas_of(const Tile& tile, const Schedule& schedule) { return schedule.unroll * tile.fmas(); }

// Vectors in order of use: the group is free once the vector that had it before met its last
// scalar.
std::vector<Load> vector_loads(const Tile& tile, const Schedule& schedule) {
  std::vector<Load> loads;
  for (int s = 0; s < schedule.unroll; ++s) {
    for (int i = 0; i < tile.vectors(); ++i) {
      const int order = s * tile.vectors() + i, use = order * tile.scalars();
      loads.push_back({i, s, use, use + tile.scalars() - 1, use, order % schedule.groups});
    }
  }
  return loads;
}

std::vector<Load> scalar_loads(const Tile& tile, const Schedule& schedule) {
  std::vector<Load> loads;
  for (int s = 0; s < schedule.unroll; ++s) {
    for (int j = 0; j < tile.scalars(); ++j) {
      const int use = s * tile.fmas() + j;
      loads.push_back({j, s, use, use + (tile.vectors() - 1) * tile.scalars(), use, 0});
    }
  }
  return loads;
}

void place_by_distance(const Tile& tile, const Schedule& schedule, Loads& loads) {
  for (Load& load : loads.scalars) load.place = load.use - schedule.ahead;
  const int ahead = std::min(schedule.vector_ahead(), (schedule.groups - 1) * tile.scalars());
  for (Load& load : loads.vectors) load.place = load.use - ahead;
}

// The cycles of one iteration, over and over: which issue slots are taken, and the load unit.
class ReservationTable {
 public:
  ReservationTable(int cycles, double width)
      : free_slots_(static_cast<std::size_t>(cycles), std::max(1, static_cast<int>(width))),
        loading_(static_cast<std::size_t>(cycles), false) {}
  // Takes an issue slot in `cycle` and the load unit for `busy` cycles from there; false if they
  // are not free.
  bool take(int cycle, int busy) {
    for (int c = 0; c < busy; ++c) {
      if (loading_[at(cycle + c)]) return false;
    }
    if (free_slots_[at(cycle)] < 1) return false;
    issue(cycle);
    for (int c = 0; c < busy; ++c) loading_[at(cycle + c)] = true;
    return true;
  }
  void issue(int cycle) { --free_slots_[at(cycle)]; }
  // Takes the first free issue slot from `cycle` on; none if all are taken.
  void issue_from(int cycle) {
    for (std::size_t c = 0; c < free_slots_.size(); ++c) {
      if (free_slots_[at(cycle + static_cast<int>(c))] > 0)
        return issue(cycle + static_cast<int>(c));
    }
  }

 private:
  std::size_t at(int cycle) const {
    const int length = static_cast<int>(free_slots_.size());
    return static_cast<std::size_t>(((cycle % length) + length) % length);
  }
  std::vector<int> free_slots_;
  std::vector<bool> loading_;
};

void place_modulo(const Tile& tile, const Schedule& schedule, Loads& loads) {
  const Costs& costs = *schedule.modulo;
  const Costs::Cost& fma = Costs::at(tile.type.widening() ? costs.widening_fma : costs.fma,
                                     tile.type.panel_bits, tile.lmul.registers());
  const Costs::Cost& vector =
      Costs::at(costs.vector_load, tile.type.panel_bits, tile.lmul.registers());
  const int length = fmas_of(tile, schedule);
  // A vector load brings an address step with it; loop end and count are two more.
  const double instructions = length + 2 * static_cast<double>(loads.vectors.size()) +
                              static_cast<double>(loads.scalars.size()) + 2;
  // Cycles from FMA to FMA where nothing stalls: the FMA unit's or the front end's.
  const double interval = std::max(fma.occupancy, instructions / costs.issue_width / length);
  const auto cycle_of = [&](int position) {
    return static_cast<int>(std::floor(position * interval));
  };
  ReservationTable table(std::max(1, cycle_of(length)), costs.issue_width);
  for (int q = 0; q < length; ++q) table.issue(cycle_of(q));

  const auto place = [&](Load& load, const Costs::Cost& cost, int earliest) {
    const int latest = static_cast<int>(std::floor(load.use * interval - cost.latency));
    const int busy = std::max(1, static_cast<int>(std::ceil(cost.occupancy)));
    const int first = cycle_of(earliest);
    int cycle = latest;
    while (cycle >= first && !table.take(cycle, busy)) --cycle;
    if (cycle < first) cycle = std::max(latest, first);
    // Behind the FMA that issues in the same cycle.
    const int position = static_cast<int>(std::ceil((cycle + 1) / interval));
    load.place = std::clamp(position, earliest, load.use);
  };
  // Vectors first: they hold the load unit longer and have fewer places to go. A panel is read from
  // front to back, so none stands ahead of the one before it.
  int before = -length;
  for (Load& load : loads.vectors) {
    place(load, vector, std::max(load.use - (schedule.groups - 1) * tile.scalars(), before));
    table.issue_from(cycle_of(load.place));
    before = load.place;
  }
  for (Load& load : loads.scalars) {
    place(load, costs.scalar_load, std::max(load.last_use - length + 1, -length));
  }
}

// Moves every load to the start of the k step that it stands in.
void group(const Tile& tile, const Schedule& schedule, Loads& loads) {
  const auto start = [&](int place) {
    const int step = tile.fmas();
    return (place >= 0 ? place / step : -((-place + step - 1) / step)) * step;
  };
  for (Load& load : loads.scalars) load.place = start(load.place);
  for (Load& load : loads.vectors) {
    load.place = std::max(start(load.place), load.use - (schedule.groups - 1) * tile.scalars());
  }
}

// Do two values need different registers, in a loop of `length` FMAs?
bool overlap(const Load& x, const Load& y, int length) {
  for (const int turn : {-length, 0, length}) {
    if (x.place + turn <= y.last_use && y.place <= x.last_use + turn) return true;
  }
  return false;
}

// First fit on the circle, in the order of use.
void assign_registers(Loads& loads, int length) {
  for (auto load = loads.scalars.begin(); load != loads.scalars.end(); ++load) {
    for (load->where = 0;; ++load->where) {
      const bool taken = std::any_of(loads.scalars.begin(), load, [&](const Load& other) {
        return other.where == load->where && overlap(*load, other, length);
      });
      if (!taken) break;
    }
    loads.scalar_registers = std::max(loads.scalar_registers, load->where + 1);
  }
}

Loads placed(const Tile& tile, const Schedule& schedule) {
  Loads loads{vector_loads(tile, schedule), scalar_loads(tile, schedule)};
  if (schedule.modulo) {
    place_modulo(tile, schedule, loads);
  } else {
    place_by_distance(tile, schedule, loads);
  }
  if (schedule.grouped) group(tile, schedule, loads);
  return loads;
}

}  // namespace

Schedule schedule_of(const KernelPoint& point, const Costs& costs) {
  const Choices choices = choices_of(point);
  Schedule schedule{choices.operand, choices.unroll,  choices.buffers,
                    choices.ahead,   choices.grouped, {}};
  if (choices.modulo) schedule.modulo = costs;
  return schedule;
}

int scalar_registers_of(const Tile& tile) {
  // Integers: what the calling convention's registers leave (assembly.cpp).
  return tile.type.integer() ? 14 : 32;
}

int panel_groups(const Tile& tile, const Schedule& schedule) {
  switch (schedule.operand) {
    case ScalarOperand::scalar:
      return schedule.groups;
    case ScalarOperand::broadcast:
      return tile.vectors() + 2;  // all vectors of the step, and two scalars in turn
    case ScalarOperand::gather:
      return tile.vectors() + 3;  // and the row that they come from
  }
  return 0;
}

std::optional<Infeasible> infeasible(const Tile& tile, const Schedule& schedule) {
  const int vectors = tile.vectors() * schedule.unroll;
  const char* names = tile.along_n ? "BA" : "AB";
  if (schedule.operand != ScalarOperand::scalar) {
    if (!schedule.plain() || schedule.grouped) {
      return Infeasible{"operand",
                        "broadcast and gathered operands take one buffer and no pipeline"};
    }
    const int least = tile.any_vlen ? tile.lanes * 128 / tile.vlen : tile.lanes;
    if (schedule.operand == ScalarOperand::gather && (tile.scalars() > least || least > 32)) {
      return Infeasible{"operand", fmt::format("{} elements of {} are gathered from a vector of {}"
                                               " (of 32 at most)",
                                               tile.scalars(), names[1], least)};
    }
    return std::nullopt;
  }
  if (vectors % schedule.groups != 0) {
    return Infeasible{"rotation",
                      fmt::format("{} {} vectors an iteration do not rotate through {} groups: "
                                  "choose an unroll that does",
                                  vectors, names[0], schedule.groups)};
  }
  if ((schedule.groups > 1 || schedule.grouped) && schedule.ahead == 0 && !schedule.modulo) {
    return Infeasible{"look-ahead",
                      fmt::format("{} {} groups, or grouped loads, have no use without --pipeline",
                                  schedule.groups, names[0])};
  }
  if (schedule.modulo && schedule.modulo->issue_width <= 0) {
    return Infeasible{"look-ahead", "the board has no timing tables for a modulo schedule"};
  }
  const int length = fmas_of(tile, schedule);
  Loads loads = placed(tile, schedule);
  // From its load to its last use a value must not meet itself on the circle, and loads reach one
  // iteration back.
  for (const Load& load : loads.scalars) {
    const int life = load.last_use - load.place + 1;
    if (life > length || load.place < -length) {
      return Infeasible{"look-ahead",
                        fmt::format("a scalar of {} lives for {} FMAs, an iteration has {}: choose "
                                    "a smaller pipeline or a larger unroll",
                                    names[1], life, length)};
    }
  }
  // As many as are alive at once are needed at least; first fit may need more.
  if (!schedule.plain()) {
    assign_registers(loads, length);
    if (loads.scalar_registers > scalar_registers_of(tile)) {
      return Infeasible{"scalar registers",
                        fmt::format("the scalars of {} need {} of {} registers", names[1],
                                    loads.scalar_registers, scalar_registers_of(tile))};
    }
  }
  return std::nullopt;
}

Loads place_loads(const Tile& tile, const Schedule& schedule) {
  Loads loads = placed(tile, schedule);
  assign_registers(loads, fmas_of(tile, schedule));
  return loads;
}

}  // namespace quern::generator::rvv
