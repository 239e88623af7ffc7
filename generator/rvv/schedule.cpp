#include "generator/rvv/schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "generator/rvv/loop_plan.h"

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
      loads.push_back({i, s, use, use + tile.scalars() - 1, use, order % schedule.groups, 0});
    }
  }
  return loads;
}

std::vector<Load> scalar_loads(const Tile& tile, const Schedule& schedule) {
  std::vector<Load> loads;
  for (int s = 0; s < schedule.unroll; ++s) {
    for (int j = 0; j < tile.scalars(); ++j) {
      const int use = s * tile.fmas() + j;
      loads.push_back({j, s, use, use + (tile.vectors() - 1) * tile.scalars(), use, 0, 0});
    }
  }
  return loads;
}

// FMAs between a load and its use where the tables place it and no plan was found.
constexpr int fallback_ahead = 8;

void place_by_distance(const Tile& tile, const Schedule& schedule, Loads& loads) {
  const int ahead = schedule.modulo ? fallback_ahead : schedule.ahead;
  for (Load& load : loads.scalars) {
    load.place = load.use - ahead;
    if (schedule.modulo)
      load.place = std::max(load.place, load.last_use - fmas_of(tile, schedule) + 1);
  }
  // Vectors come a little earlier than scalars: a vector load of LMUL 4 takes about as long as four
  // FMAs of LMUL 1 more than a scalar load. Fewer if the rotation has no group free.
  const int vector_ahead =
      std::min(ahead == 0 ? 0 : ahead + 4, (schedule.groups - 1) * tile.scalars());
  for (Load& load : loads.vectors) load.place = load.use - vector_ahead;
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

// Where nothing is known of issue slots. With a group to spare, scalars stand before a vector: its
// load is best placed just ahead of an FMA (its write is then no earlier than the FMA's before, nor
// much later than that of the one behind), and pointers are moved at the end or, if there is one
// only, behind its load. Without one, FMAs wait for the vector, which goes first, and pointers are
// moved meanwhile.
void order(const Tile& tile, const Schedule& schedule, Loads& loads) {
  const int length = fmas_of(tile, schedule);
  int next = 0;
  const auto scalars = [&] {
    for (Load& load : loads.scalars) load.order = next++;
  };
  if (schedule.groups > 1) scalars();
  loads.advances.clear();
  for (Load& load : loads.vectors) {
    load.order = next++;
    const bool early = load.place < 0;
    const int place = schedule.own_pointers ? length : early ? load.place + length : load.place;
    loads.advances.push_back({early, place, next++});
  }
  if (schedule.groups > 1) {
    loads.scalars_advance = {false, moves_scalars_midway(tile, schedule) ? length / 2 : length,
                             next};
  } else {
    scalars();
    loads.scalars_advance = {false, loads.vectors.back().use, next};
  }
}

Loads placed_by_distance(const Tile& tile, const Schedule& schedule) {
  Loads loads{vector_loads(tile, schedule), scalar_loads(tile, schedule), {}, {}, 0};
  place_by_distance(tile, schedule, loads);
  if (schedule.grouped) group(tile, schedule, loads);
  order(tile, schedule, loads);
  return loads;
}

// Do values fit into the loop and the registers?
bool fits(const Tile& tile, const Schedule& schedule, Loads loads) {
  const int length = fmas_of(tile, schedule);
  for (const Load& load : loads.scalars) {
    if (load.last_use - load.place + 1 > length || load.place < -length) return false;
  }
  assign_registers(loads, length);
  return loads.scalar_registers <= scalar_registers_of(tile);
}

Loads placed(const Tile& tile, const Schedule& schedule) {
  Loads loads = placed_by_distance(tile, schedule);
  // Without a group to spare every vector is waited for, and where the others stand matters little.
  const bool waits = schedule.groups == 1 && !schedule.modulo;
  if (waits || schedule.grouped || schedule.costs.issue_width <= 0) return loads;
  Loads planned = loads;
  if (plan_loop(tile, schedule, planned) && (schedule.modulo || fits(tile, schedule, planned)))
    return planned;
  return loads;
}

}  // namespace

Schedule schedule_of(const KernelPoint& point, const Costs& costs) {
  const Choices choices = choices_of(point);
  Schedule schedule{choices.operand, choices.unroll, choices.buffers, choices.ahead,
                    choices.grouped, choices.modulo, false,           costs};
  const Tile tile = tile_of(point);
  const std::size_t vectors = static_cast<std::size_t>(tile.vectors() * choices.unroll);
  // Beside the panel's own pointer and the others one register holds the bytes of an iteration.
  schedule.own_pointers = choices.operand == ScalarOperand::scalar && choices.buffers > 1 &&
                          vectors <= pointer_registers(tile).size() && choices.panel_prefetch == 0;
  return schedule;
}

bool moves_scalars_midway(const Tile& tile, const Schedule& schedule) {
  // Loads run ahead into the next iteration, and 2047 is the largest offset.
  constexpr int most = 1024;
  return schedule.unroll * tile.scalars() * tile.panel_bytes() > most;
}

std::vector<const char*> pointer_registers(const Tile& tile) {
  // What assembly_writer.h leaves, and behind that what is easily made again where a last vector is
  // cut. a0 counts bytes where VLEN is not known; t6 and a1 hold scalars where these are integers.
  std::vector<const char*> out;
  if (!tile.type.integer()) out = {"a1", "t6"};
  if (tile.has_tail() && !tile.any_vlen) out.push_back("a0");
  for (const char* name : {"t1", "t5"}) out.push_back(name);
  if (!tile.has_tail() || !tile.any_vlen) out.push_back("t2");
  return out;
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
  if (schedule.modulo && schedule.costs.issue_width <= 0) {
    return Infeasible{"look-ahead", "the board has no timing tables for a modulo schedule"};
  }
  const int length = fmas_of(tile, schedule);
  // Plans that do not fit are not used, but for modulo schedules.
  Loads loads = schedule.modulo ? placed(tile, schedule) : placed_by_distance(tile, schedule);
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
