#include "generator/rvv/loop_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "generator/rvv/issue_table.h"

namespace quern::generator::rvv {
namespace {

// Cycles by which an iteration may be longer than its bound before the search is given up.
constexpr int patience = 12;

int ceil_of(double value) { return static_cast<int>(std::ceil(value - 1e-9)); }
int floor_of(double value) { return static_cast<int>(std::floor(value + 1e-9)); }
// Of an iteration's length: the iteration that `at` is in.
int turn_of(int at, int length) { return at >= 0 ? at / length : -((-at + length - 1) / length); }

class Planner {
 public:
  Planner(const Tile& tile, const Schedule& schedule, const Loads& loads)
      : tile_(tile),
        schedule_(schedule),
        fmas_(schedule.unroll * tile.fmas()),
        vectors_(static_cast<int>(loads.vectors.size())),
        scalars_(static_cast<int>(loads.scalars.size())),
        loads_(loads) {
    const Costs& costs = schedule.costs;
    const int bits = tile.type.panel_bits, lmul = tile.lmul.halves;
    fma_ = Costs::at(tile.type.integer()    ? costs.widening_multiply_add
                     : tile.type.widening() ? costs.widening_fma
                                            : costs.fma,
                     bits, lmul);
    vector_ = Costs::at(costs.vector_load, bits, lmul);
    scalar_ = tile.type.integer() ? costs.integer_load : costs.scalar_load;
    if (costs.writes_in_order) {
      fma_write_ = std::max(1.0, fma_.latency);
      vector_write_ = std::max(1.0, vector_.latency);
      if (!tile.type.integer()) scalar_write_ = std::max(1.0, scalar_.latency);
    }
  }

  // The loads of the shortest iteration for which there is a plan.
  std::optional<Loads> plan() {
    // From a vector's last FMA over the load of its successor to that one's first FMA; or, with a
    // group to spare, what the writes of FMA, load and FMA need to be in order.
    const double lag = fma_write_ ? *fma_write_ - *vector_write_ : 0;
    const double gap = schedule_.groups == 1 ? std::max(0.0, lag) + vector_.latency : std::abs(lag);
    // A sum meets its next product a k step later (a complex one sooner).
    interval_ = std::max(fma_.occupancy, fma_.latency / (tile_.fmas() / tile_.type.parts));
    wider_ = std::max(0, ceil_of(gap - interval_));
    const int instructions = fmas_ + 2 * vectors_ + scalars_ + 2;
    const int bound = ceil_of(
        std::max({fmas_ * interval_ + vectors_ * wider_, instructions / schedule_.costs.issue_width,
                  vectors_ * vector_.occupancy + (shared() ? scalars_ * scalar_.occupancy : 0),
                  scalars_ * scalar_.occupancy}));
    for (int cycles = bound; cycles <= bound + patience; ++cycles) {
      // The wishes that can be left: the last vector's pointer moved ahead of the first FMA (where
      // no vector load needs that place), and loads that never meet in their unit.
      for (const bool first : {true, false}) {
        for (const bool apart : {true, false}) {
          add_first_ = first && schedule_.own_pointers && wider_ == 0;
          apart_ = apart;
          if (add_first_ == first && in(cycles)) return loads_;
        }
      }
    }
    return std::nullopt;
  }

 private:
  // A place in the table; `position` is the FMA that it stands before, counted on over iterations.
  struct Spot {
    int cycle = 0, slot = 0, position = 0;
  };

  bool shared() const { return schedule_.costs.one_load_unit; }
  int cycle_of(int q) const {
    const int turn = turn_of(q, fmas_);
    return turn * table_->cycles() + fma_cycles_[static_cast<std::size_t>(q - turn * fmas_)];
  }
  Spot spot(int cycle, int slot) const {
    const int turn = turn_of(cycle, table_->cycles()), c = cycle - turn * table_->cycles();
    auto before = std::ranges::lower_bound(fma_cycles_, c) - fma_cycles_.begin();
    for (int s = 0; s < slot; ++s) before += is_fma(table_->at(c)[static_cast<std::size_t>(s)].id);
    return {cycle, slot, turn * fmas_ + static_cast<int>(before)};
  }
  bool is_fma(int id) const { return id < fmas_; }
  // Behind the last FMA of its iteration, where only pointers are moved.
  bool at_the_end(const Spot& spot) const {
    return spot.position % fmas_ == 0 &&
           turn_of(spot.cycle, table_->cycles()) != spot.position / fmas_;
  }
  int size(int cycle) const { return static_cast<int>(table_->at(cycle).size()); }

  bool in(int cycles);
  bool place_end();
  bool place_vectors();
  bool place_advances();
  bool place_scalars();
  bool place_advance_behind(int v);
  void write_down();

  const Tile& tile_;
  const Schedule& schedule_;
  const int fmas_, vectors_, scalars_;
  Costs::Cost fma_, vector_, scalar_;
  std::optional<double> fma_write_, vector_write_, scalar_write_;
  double interval_ = 1;     // cycles from FMA to FMA, at least
  int wider_ = 0;           // cycles by which a gap with a vector load is wider
  bool apart_ = true;       // fractions of a unit's cycles are rounded up
  bool add_first_ = false;  // the last vector's pointer is moved ahead of the first FMA

  // Of the iteration length that is tried.
  std::optional<IssueTable> table_;
  std::optional<UnitTable> vector_unit_, scalar_unit_;
  std::vector<int> fma_cycles_;
  std::vector<int> turns_;  // of every instruction, by id: FMAs, vectors, scalars, advances, ...
  std::vector<Spot> vector_spots_;
  Loads loads_;
};

bool Planner::in(int cycles) {
  table_.emplace(cycles, std::max(1, static_cast<int>(schedule_.costs.issue_width)));
  vector_unit_.emplace(cycles);
  scalar_unit_.emplace(cycles);
  turns_.assign(static_cast<std::size_t>(fmas_ + 2 * vectors_ + scalars_ + 2), 0);
  vector_spots_.clear();
  // FMAs; the gap of the first one is wider at its end, behind the last.
  std::vector<int> wider(static_cast<std::size_t>(fmas_), 0);
  for (int v = 0; v < vectors_; ++v) {
    const int at = ((v - schedule_.groups + 1) * tile_.scalars() % fmas_ + fmas_) % fmas_;
    if (at > 0) wider[static_cast<std::size_t>(at)] += wider_;
  }
  // Without a group to spare the first vector is loaded at the start.
  const int start = schedule_.groups == 1 ? ceil_of(vector_.latency) : 0;
  wider[0] = start;
  const int rest = (vectors_ - (start > 0 ? 1 : 0)) * wider_ + start;
  const double interval = static_cast<double>(cycles - rest) / fmas_;
  if (interval < interval_ - 1e-9) return false;
  fma_cycles_.clear();
  for (int q = 0, later = 0; q < fmas_; ++q) {
    later += wider[static_cast<std::size_t>(q)];
    fma_cycles_.push_back(floor_of(q * interval) + later);
    const int slot = size(fma_cycles_.back());
    if (!table_->fits(fma_cycles_.back(), slot, {})) return false;
    table_->insert(fma_cycles_.back(), slot, {q, fma_write_});
  }
  return place_end() && place_vectors() && place_advances() && place_scalars() &&
         (write_down(), true);
}

// The branch, last of all, and before it the scalars' pointer, which it compares. What stands ahead
// of the first FMA is next to them too.
bool Planner::place_end() {
  const int branch = fmas_ + 2 * vectors_ + scalars_ + 1, last = table_->cycles() - 1;
  if (!table_->fits(last, size(last), {})) return false;
  table_->insert(last, size(last), {branch, {}});
  const int latest = moves_scalars_midway(tile_, schedule_) ? last / 2 : last - 1;
  for (int cycle = latest; cycle >= 0; --cycle) {
    if (!table_->fits(cycle, size(cycle), {})) continue;
    table_->insert(cycle, size(cycle), {branch - 1, {}});
    break;
  }
  if (add_first_) {
    if (!table_->fits(0, 0, {})) return false;
    table_->insert(0, 0, {branch - 2, {}});
  }
  return true;
}

// Vectors are loaded in the order of the panel, each as soon as its group is free.
bool Planner::place_vectors() {
  const int busy = std::max(1, apart_ ? ceil_of(vector_.occupancy) : floor_of(vector_.occupancy));
  int before = -3 * table_->cycles();
  for (int v = 0; v < vectors_; ++v) {
    const int use = v * tile_.scalars(), earliest = use - (schedule_.groups - 1) * tile_.scalars();
    const int from = std::max(cycle_of(earliest - 1), before + 1),
              to = cycle_of(use) - ceil_of(vector_.latency);
    std::optional<Spot> found;
    for (int cycle = from; cycle <= to && !found; ++cycle) {
      if (!vector_unit_->free(cycle, busy)) continue;
      for (int slot = 0; slot <= size(cycle) && !found; ++slot) {
        const Spot here = spot(cycle, slot);
        if (here.position >= earliest && here.position <= use && !at_the_end(here) &&
            table_->fits(cycle, slot, vector_write_))
          found = here;
      }
    }
    if (!found) return false;
    vector_unit_->take(found->cycle, busy);
    if (shared()) scalar_unit_->take(found->cycle, busy);
    table_->insert(found->cycle, found->slot, {fmas_ + v, vector_write_});
    turns_[static_cast<std::size_t>(fmas_ + v)] = turn_of(found->cycle, table_->cycles());
    vector_spots_.push_back(*found);
    before = found->cycle;
  }
  return true;
}

// The addition of the only pointer: behind its load and before the next one.
bool Planner::place_advance_behind(int v) {
  const int id = fmas_ + vectors_ + scalars_ + v;
  const int next = v + 1 < vectors_ ? vector_spots_[static_cast<std::size_t>(v + 1)].cycle
                                    : vector_spots_.front().cycle + table_->cycles();
  int cycle = vector_spots_[static_cast<std::size_t>(v)].cycle;
  for (; cycle < next; ++cycle) {
    if (table_->fits(cycle, size(cycle), {})) break;
  }
  const auto is_branch = [&](const IssueTable::Entry& entry) {
    return entry.id == fmas_ + 2 * vectors_ + scalars_ + 1;
  };
  int slot = size(cycle);
  if (slot > 0 && is_branch(table_->at(cycle)[static_cast<std::size_t>(slot - 1)])) --slot;
  if (cycle == next) {
    // In the cycle of the next load, before it.
    slot = 0;
    if (!table_->fits(cycle, slot, {})) return false;
  }
  table_->insert(cycle, slot, {id, {}});
  turns_[static_cast<std::size_t>(id)] = turn_of(cycle, table_->cycles());
  return true;
}

bool Planner::place_advances() {
  if (!schedule_.own_pointers) {
    for (int v = 0; v < vectors_; ++v) {
      if (!place_advance_behind(v)) return false;
    }
    return true;
  }
  const int cycles = table_->cycles();
  const auto add = [&](int v, int cycle, int slot) {
    const int id = fmas_ + vectors_ + scalars_ + v;
    table_->insert(cycle, slot, {id, {}});
    // Moved behind its load: with the early ones, an iteration early.
    turns_[static_cast<std::size_t>(id)] = turns_[static_cast<std::size_t>(fmas_ + v)];
  };
  // The pointers whose loads stand first in the iteration can be moved anywhere behind.
  std::vector<int> left;
  for (int v = 0; v < vectors_ - (add_first_ ? 1 : 0); ++v) left.push_back(v);
  if (add_first_) {
    turns_[static_cast<std::size_t>(fmas_ + 2 * vectors_ + scalars_ - 1)] =
        turns_[static_cast<std::size_t>(fmas_ + vectors_ - 1)];
  }
  const auto cycle_in_table = [&](int v) {
    const int cycle = vector_spots_[static_cast<std::size_t>(v)].cycle;
    return cycle - turn_of(cycle, cycles) * cycles;
  };
  std::ranges::sort(left, {}, [&](int v) { return -cycle_in_table(v); });
  // Before the branch.
  for (int cycle = cycles - 1; cycle >= fma_cycles_.back() && !left.empty(); --cycle) {
    while (table_->room(cycle) > 0 && !left.empty()) {
      add(left.front(), cycle, cycle == cycles - 1 ? size(cycle) - 1 : size(cycle));
      left.erase(left.begin());
    }
  }
  // The others in the gap that has most slots, or the gaps.
  while (!left.empty()) {
    int best = 0, most = 0;
    const auto slots_before = [&](int q) {
      int count = 0;
      for (int cycle = fma_cycles_[static_cast<std::size_t>(q - 1)];
           cycle < fma_cycles_[static_cast<std::size_t>(q)]; ++cycle)
        count += table_->room(cycle);
      return count;
    };
    for (int q = 1; q < fmas_; ++q) {
      if (cycle_in_table(left.front()) > fma_cycles_[static_cast<std::size_t>(q - 1)]) continue;
      if (const int slots = slots_before(q); slots > most) best = q, most = slots;
    }
    if (most == 0) return false;
    for (int cycle = fma_cycles_[static_cast<std::size_t>(best - 1)];
         cycle < fma_cycles_[static_cast<std::size_t>(best)]; ++cycle) {
      const bool behind_fma = cycle == fma_cycles_[static_cast<std::size_t>(best - 1)];
      while (table_->room(cycle) > 0 && !left.empty()) {
        add(left.front(), cycle, behind_fma ? size(cycle) : 0);
        left.erase(left.begin());
      }
    }
  }
  return true;
}

// Scalars are loaded as late as they can be, those of the last FMAs first.
bool Planner::place_scalars() {
  const int busy = std::max(1, apart_ ? ceil_of(scalar_.occupancy) : floor_of(scalar_.occupancy));
  for (int j = scalars_ - 1; j >= 0; --j) {
    const Load& load = loads_.scalars[static_cast<std::size_t>(j)];
    const int earliest = std::max(load.last_use - fmas_ + 1, -fmas_);
    const int latest = load.use - (schedule_.modulo ? 0 : schedule_.ahead);
    const int to = std::min(cycle_of(load.use) - ceil_of(scalar_.latency), cycle_of(latest));
    std::optional<Spot> found;
    for (int cycle = to; cycle >= cycle_of(earliest - 1) && !found; --cycle) {
      if (!scalar_unit_->free(cycle, busy)) continue;
      for (int slot = size(cycle); slot >= 0 && !found; --slot) {
        const Spot here = spot(cycle, slot);
        if (here.position >= earliest && here.position <= latest && !at_the_end(here) &&
            table_->fits(cycle, slot, scalar_write_))
          found = here;
      }
    }
    if (!found) return false;
    const int id = fmas_ + vectors_ + j;
    scalar_unit_->take(found->cycle, busy);
    table_->insert(found->cycle, found->slot, {id, scalar_write_});
    turns_[static_cast<std::size_t>(id)] = turn_of(found->cycle, table_->cycles());
  }
  return true;
}

// Reads the table in program order.
void Planner::write_down() {
  int position = 0, order = 0;
  for (int cycle = 0; cycle < table_->cycles(); ++cycle) {
    for (const IssueTable::Entry& entry : table_->at(cycle)) {
      const int turn = turns_[static_cast<std::size_t>(entry.id)];
      int id = entry.id;
      const auto load = [&](Load& to) {
        to.place = turn * fmas_ + position;
        to.order = order++;
      };
      if (is_fma(id)) {
        ++position;
      } else if ((id -= fmas_) < vectors_) {
        load(loads_.vectors[static_cast<std::size_t>(id)]);
      } else if ((id -= vectors_) < scalars_) {
        load(loads_.scalars[static_cast<std::size_t>(id)]);
      } else if ((id -= scalars_) < vectors_) {
        loads_.advances[static_cast<std::size_t>(id)] = {turn < 0, position, order++};
      } else if (id == vectors_) {
        loads_.scalars_advance = {false, position, order++};
      }
    }
  }
}

}  // namespace

bool plan_loop(const Tile& tile, const Schedule& schedule, Loads& loads) {
  const auto planned = Planner(tile, schedule, loads).plan();
  if (planned) loads = *planned;
  return planned.has_value();
}

}  // namespace quern::generator::rvv
