#include "generator/rvv/loop_body.h"

#include <fmt/format.h>

#include <algorithm>

namespace quern::generator::rvv {
namespace {

constexpr int scalar_registers = 32;

// A load on the circle of FMA positions. `place` may be negative: that is in the iteration before.
struct Load {
  Operation operation;
  int place = 0;     // it stands just before the FMA of this position
  int last_use = 0;  // position of the last FMA that reads it
};

int fmas_of(const Tile& tile, const Schedule& schedule) {
  return schedule.unroll * tile.accumulators();
}

std::vector<Load> a_loads(const Tile& tile, const Schedule& schedule) {
  // The group is free once the vector that had it before met its last scalar.
  const int ahead = std::min(schedule.a_ahead(), (schedule.a_groups - 1) * tile.n_r);
  std::vector<Load> loads;
  for (int s = 0; s < schedule.unroll; ++s) {
    for (int i = 0; i < tile.vector_rows; ++i) {
      const int index = s * tile.vector_rows + i, use = index * tile.n_r;
      loads.push_back({{Operation::load_a, i, 0, s, index % schedule.a_groups, 0},
                       use - ahead,
                       use + tile.n_r - 1});
    }
  }
  return loads;
}

// Do two values need different registers, in a loop of `length` FMAs?
bool overlap(const Load& x, const Load& y, int length) {
  for (const int turn : {-length, 0, length}) {
    if (x.place + turn <= y.last_use && y.place <= x.last_use + turn) return true;
  }
  return false;
}

// First fit on the circle, in the order of use.
std::vector<Load> b_loads(const Tile& tile, const Schedule& schedule) {
  const int length = fmas_of(tile, schedule);
  std::vector<Load> loads;
  for (int s = 0; s < schedule.unroll; ++s) {
    for (int j = 0; j < tile.n_r; ++j) {
      const int use = s * tile.accumulators() + j;
      Load load{{Operation::load_b, 0, j, s, 0, 0},
                use - schedule.ahead,
                use + (tile.vector_rows - 1) * tile.n_r};
      for (int r = 0;; ++r) {
        const bool taken = std::ranges::any_of(loads, [&](const Load& other) {
          return other.operation.b_register == r && overlap(load, other, length);
        });
        if (taken) continue;
        load.operation.b_register = r;
        break;
      }
      loads.push_back(load);
    }
  }
  return loads;
}

int registers_of(const std::vector<Load>& b) {
  int count = 0;
  for (const Load& load : b) count = std::max(count, load.operation.b_register + 1);
  return count;
}

}  // namespace

std::vector<Operation> k_step(const Tile& tile) {
  std::vector<Operation> operations;
  for (int j = 0; j < tile.n_r; ++j) operations.push_back({Operation::load_b, 0, j, 0, 0, j});
  for (int i = 0; i < tile.vector_rows; ++i) {
    operations.push_back({Operation::load_a, i, 0, 0, 0, 0});
    for (int j = 0; j < tile.n_r; ++j) operations.push_back({Operation::fma, i, j, 0, 0, j});
  }
  return operations;
}

Schedule schedule_of(const KernelPoint& point) {
  return {std::stoi(point.choices.at("unroll")), std::stoi(point.choices.at("buffers")),
          std::stoi(point.choices.at("pipeline"))};
}

std::optional<Infeasible> infeasible(const Tile& tile, const Schedule& schedule) {
  const int length = fmas_of(tile, schedule);
  const int vectors = tile.vector_rows * schedule.unroll;
  if (vectors % schedule.a_groups != 0) {
    return Infeasible{"rotation",
                      fmt::format("{} A vectors an iteration do not rotate through {} groups: "
                                  "choose an unroll that does",
                                  vectors, schedule.a_groups)};
  }
  if (schedule.a_groups > 1 && schedule.ahead == 0) {
    return Infeasible{"look-ahead",
                      fmt::format("{} A groups have no use without --pipeline", schedule.a_groups)};
  }
  // From its load to its last use a value must not meet itself on the circle.
  const int life = schedule.ahead + (tile.vector_rows - 1) * tile.n_r + 1;
  if (life > length) {
    return Infeasible{"look-ahead",
                      fmt::format("a B scalar lives for {} FMAs, an iteration has {}: choose a "
                                  "smaller pipeline or a larger unroll",
                                  life, length)};
  }
  // As many as are alive at once are needed at least; first fit may need more.
  if (schedule.ahead > 0) {
    const int needed = registers_of(b_loads(tile, schedule));
    if (needed > scalar_registers) {
      return Infeasible{"scalar registers", fmt::format("the B scalars need {} of {} registers",
                                                        needed, scalar_registers)};
    }
  }
  return std::nullopt;
}

LoopBody schedule_loop(const Tile& tile, const Schedule& schedule) {
  const int length = fmas_of(tile, schedule);
  const std::vector<Load> a = a_loads(tile, schedule), b = b_loads(tile, schedule);
  LoopBody body;
  body.b_registers = registers_of(b);
  for (int q = -length; q < length; ++q) {
    for (const auto* loads : {&a, &b}) {
      for (const Load& load : *loads) {
        if (load.place != q) continue;
        if (q < 0) {
          body.before.push_back(load.operation);
        } else {
          body.last.push_back(load.operation);
        }
      }
    }
    if (q < 0) continue;
    const int s = q / tile.accumulators(), i = q / tile.n_r % tile.vector_rows, j = q % tile.n_r;
    const Operation& vector = a[static_cast<std::size_t>(s * tile.vector_rows + i)].operation;
    const Operation& scalar = b[static_cast<std::size_t>(s * tile.n_r + j)].operation;
    body.last.push_back({Operation::fma, i, j, s, vector.a_group, scalar.b_register});
  }
  // The loop is the last iteration and, among its FMAs, the early loads of the next one.
  int q = 0;
  const auto early = [&] {
    for (const auto* loads : {&a, &b}) {
      for (const Load& load : *loads) {
        if (load.place + length != q || load.place >= 0) continue;
        Operation operation = load.operation;
        operation.step += schedule.unroll;
        body.loop.push_back(operation);
      }
    }
  };
  for (const Operation& operation : body.last) {
    if (operation.kind == Operation::fma) {
      early();
      ++q;
    }
    body.loop.push_back(operation);
  }
  return body;
}

}  // namespace quern::generator::rvv
