#include "generator/rvv/loop_body.h"

#include <algorithm>
#include <utility>

namespace quern::generator::rvv {
namespace {

// Scalars on their way into a vector: so many are loaded before the first is spread.
constexpr int broadcast_registers = 4;

std::vector<Operation> spread_step(const Tile& tile, ScalarOperand operand, int step) {
  std::vector<Operation> operations;
  const bool gather = operand == ScalarOperand::gather;
  const auto load = [&](int j) {
    if (gather || j >= tile.scalars()) return;
    operations.push_back({Operation::load_scalar, 0, j, step, 0, j % broadcast_registers});
  };
  const auto spread = [&](int j) {
    if (j < tile.scalars()) operations.push_back({Operation::spread, 0, j, step, 0, j % 2});
  };
  if (gather) operations.push_back({Operation::load_row, 0, 0, step, 0, 0});
  for (int j = 0; j < broadcast_registers - 1; ++j) load(j);
  for (int i = 0; i < tile.vectors(); ++i) {
    operations.push_back({Operation::load_vector, i, 0, step, i, 0});
    operations.push_back({Operation::advance_vectors, i, 0, step, 0, 0});
  }
  spread(0);
  for (int j = 0; j < tile.scalars(); ++j) {
    load(j + broadcast_registers - 1);
    spread(j + 1);
    for (int i = 0; i < tile.vectors(); ++i)
      operations.push_back({Operation::fma, i, j, step, i, j % 2});
  }
  return operations;
}

}  // namespace

std::vector<Operation> k_step(const Tile& tile, ScalarOperand operand, int step) {
  if (operand != ScalarOperand::scalar) return spread_step(tile, operand, step);
  std::vector<Operation> operations;
  for (int j = 0; j < tile.scalars(); ++j)
    operations.push_back({Operation::load_scalar, 0, j, step, 0, j});
  for (int i = 0; i < tile.vectors(); ++i) {
    operations.push_back({Operation::load_vector, i, 0, step, 0, 0});
    operations.push_back({Operation::advance_vectors, i, 0, step, 0, 0});
    for (int j = 0; j < tile.scalars(); ++j)
      operations.push_back({Operation::fma, i, j, step, 0, j});
  }
  return operations;
}

int k_step_scalars(const Tile& tile, ScalarOperand operand) {
  switch (operand) {
    case ScalarOperand::scalar:
      return tile.scalars();
    case ScalarOperand::broadcast:
      return std::min(tile.scalars(), broadcast_registers);
    case ScalarOperand::gather:
      return 0;
  }
  return 0;
}

LoopBody schedule_loop(const Tile& tile, const Schedule& schedule) {
  LoopBody body;
  if (schedule.operand != ScalarOperand::scalar) {
    body.scalar_registers = k_step_scalars(tile, schedule.operand);
    for (int s = 0; s < schedule.unroll; ++s) {
      for (const Operation& operation : k_step(tile, schedule.operand, s))
        body.loop.push_back(operation);
    }
    body.loop.push_back({Operation::advance_scalars, 0, 0, 0, 0, 0});
    body.last = body.loop;
    return body;
  }
  const int length = schedule.unroll * tile.fmas();
  const Loads loads = place_loads(tile, schedule);
  body.scalar_registers = loads.scalar_registers;

  // What stands where, beside the FMAs, in an iteration's own places and in those before it.
  struct Placed {
    int place, order;
    Operation operation;
  };
  std::vector<Placed> own, early;
  const auto place = [&](bool is_early, int where, int order, const Operation& operation) {
    (is_early ? early : own).push_back({where, order, operation});
  };
  for (std::size_t v = 0; v < loads.vectors.size(); ++v) {
    const Load& load = loads.vectors[v];
    place(load.place < 0, load.place < 0 ? load.place + length : load.place, load.order,
          {Operation::load_vector, load.index, 0, load.step, load.where, 0});
    const Advance& advance = loads.advances[v];
    place(advance.early, advance.place, advance.order,
          {Operation::advance_vectors, load.index, 0, load.step, 0, 0});
  }
  for (const Load& load : loads.scalars) {
    place(load.place < 0, load.place < 0 ? load.place + length : load.place, load.order,
          {Operation::load_scalar, 0, load.index, load.step, 0, load.where});
  }
  place(false, loads.scalars_advance.place, loads.scalars_advance.order,
        {Operation::advance_scalars, 0, 0, 0, 0, 0});
  const auto fma = [&](int q) {
    const int s = q / tile.fmas(), i = q / tile.scalars() % tile.vectors(), j = q % tile.scalars();
    return Operation{Operation::fma,
                     i,
                     j,
                     s,
                     loads.vectors[static_cast<std::size_t>(s * tile.vectors() + i)].where,
                     loads.scalars[static_cast<std::size_t>(s * tile.scalars() + j)].where};
  };
  const auto in_order = [](const Placed& x, const Placed& y) {
    return std::pair(x.place, x.order) < std::pair(y.place, y.order);
  };
  const auto among_fmas = [&](std::vector<Placed> what) {
    std::ranges::sort(what, in_order);
    std::vector<Operation> out;
    auto next = what.begin();
    for (int q = 0; q <= length; ++q) {
      for (; next != what.end() && next->place == q; ++next) out.push_back(next->operation);
      if (q < length) out.push_back(fma(q));
    }
    return out;
  };
  std::ranges::sort(early, in_order);
  for (const Placed& one : early) body.before.push_back(one.operation);
  body.last = among_fmas(own);
  // The loop is the last iteration and, among its FMAs, the early loads of the next one.
  for (Placed& one : early) one.operation.step += schedule.unroll;
  own.insert(own.end(), early.begin(), early.end());
  body.loop = among_fmas(std::move(own));
  return body;
}

}  // namespace quern::generator::rvv
