#include "generator/rvv/loop_body.h"

#include <algorithm>

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
  for (int i = 0; i < tile.vectors(); ++i)
    operations.push_back({Operation::load_vector, i, 0, step, i, 0});
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
    body.last = body.loop;
    return body;
  }
  const int length = schedule.unroll * tile.fmas();
  const Loads loads = place_loads(tile, schedule);
  body.scalar_registers = loads.scalar_registers;
  const auto vector = [](const Load& load) {
    return Operation{Operation::load_vector, load.index, 0, load.step, load.where, 0};
  };
  const auto scalar = [](const Load& load) {
    return Operation{Operation::load_scalar, 0, load.index, load.step, 0, load.where};
  };
  // The loads that stand at position q, vectors first.
  const auto loads_at = [&](int q, std::vector<Operation>& out) {
    for (const Load& load : loads.vectors) {
      if (load.place == q) out.push_back(vector(load));
    }
    for (const Load& load : loads.scalars) {
      if (load.place == q) out.push_back(scalar(load));
    }
  };
  for (int q = -length; q < 0; ++q) loads_at(q, body.before);
  for (int q = 0; q < length; ++q) {
    loads_at(q, body.last);
    const int s = q / tile.fmas(), i = q / tile.scalars() % tile.vectors(), j = q % tile.scalars();
    body.last.push_back({Operation::fma, i, j, s,
                         loads.vectors[static_cast<std::size_t>(s * tile.vectors() + i)].where,
                         loads.scalars[static_cast<std::size_t>(s * tile.scalars() + j)].where});
  }
  // The loop is the last iteration and, among its FMAs, the early loads of the next one.
  int q = 0;
  for (const Operation& operation : body.last) {
    if (operation.kind == Operation::fma) {
      std::vector<Operation> early;
      if (q - length < 0) loads_at(q - length, early);
      for (Operation& load : early) {
        load.step += schedule.unroll;
        body.loop.push_back(load);
      }
      ++q;
    }
    body.loop.push_back(operation);
  }
  return body;
}

}  // namespace quern::generator::rvv
