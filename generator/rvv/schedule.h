// When the loads of a loop iteration stand: the places of vector and scalar loads among the FMAs.
//
// An iteration is `unroll` k steps whose FMAs stand in a fixed order, vectors outermost, on a
// circle; every load stands ahead of the first FMA that needs it, if need be in the iteration
// before:
//
//     FMA position    0      1      2      3   |   0      1   ...
//     ahead = 3      fma0   fma1   fma2   fma3 |  fma0   fma1
//                    b3     b0'    b1'    b2'  |  b3     b0'        b': the next iteration's
//
// Two ways to place them. By distance: so many FMAs ahead of the use. Modulo: as late as the
// target's latencies allow. Both are then fitted into the target's issue slots (loop_plan.h), if
// its tables are known and room is found; else the loads stand just ahead of their FMA, scalars
// before vectors.
//
// Vectors rotate through register groups in order of use; scalars get registers by first fit on the
// circle. Nothing is ever spilt: a schedule that needs more registers than there are is infeasible.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/core/emitter.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {

struct Schedule {
  ScalarOperand operand = ScalarOperand::scalar;
  int unroll = 1;  // k steps in an iteration
  int groups = 1;  // register groups through which the vectors rotate
  int ahead = 0;   // FMAs between a scalar's load and its first use
  bool grouped = false;
  bool modulo = false;  // the tables place the loads, not `ahead`
  // Every vector of an iteration has a pointer of its own, so that they can be moved together; else
  // one pointer goes from vector to vector.
  bool own_pointers = false;
  Costs costs = {};

  bool plain() const { return groups == 1 && ahead == 0 && !modulo; }
};

Schedule schedule_of(const KernelPoint& point, const Costs& costs);

// A load on the circle of FMA positions. `place` may be negative: that is in the iteration before.
struct Load {
  int index = 0;     // of the vector or scalar in its k step
  int step = 0;      // k step of the iteration
  int use = 0;       // position of the first FMA that reads it
  int last_use = 0;  // and of the last
  int place = 0;     // it stands just before the FMA of this position
  int where = 0;     // register group of a vector, register number of a scalar
  int order = 0;     // among what stands at the same place
};

// The addition that moves a pointer on behind a load.
struct Advance {
  bool early = false;  // in the iteration before, as its load
  int place = 0;       // 0 ... FMAs of an iteration: the last is its end
  int order = 0;
};

struct Loads {
  std::vector<Load> vectors, scalars;  // in order of use
  std::vector<Advance> advances;       // of the pointer of each vector
  Advance scalars_advance;             // once an iteration
  int scalar_registers = 0;
};
// The loads of a feasible schedule whose scalars are FMA operands.
Loads place_loads(const Tile& tile, const Schedule& schedule);

// Why a schedule cannot be had for a tile; `constraint` is a name for `quern space`.
struct Infeasible {
  std::string constraint;
  std::string reason;
};
std::optional<Infeasible> infeasible(const Tile& tile, const Schedule& schedule);

// So many bytes of scalars in an iteration that offsets from its start would not fit into loads:
// their pointer is moved in the middle.
bool moves_scalars_midway(const Tile& tile, const Schedule& schedule);
// Integer registers that the loop of a kernel may use for pointers.
std::vector<const char*> pointer_registers(const Tile& tile);
// Scalar registers that kernels of the type may use for the other panel's elements.
int scalar_registers_of(const Tile& tile);
// Register groups of a panel's vector size that the loop needs beside the accumulators.
int panel_groups(const Tile& tile, const Schedule& schedule);

}  // namespace quern::generator::rvv
