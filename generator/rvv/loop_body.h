// The middle level between the tile and the text: the operations of the k loop in program order,
// with registers assigned. Both back ends write what stands here.
//
// Two forms. The plain step is one k step with its B scalars loaded first and one A group:
//
//     load b0..b2 | load a0 | c00 += a0*b0  c01 += a0*b1  c02 += a0*b2 | load a1 | c10 += ...
//
// A vectors are outermost: a vector row is loaded, meets every B scalar of the row, and dies. The
// other order (B scalars outermost) would change the vector length for every FMA of a tile with a
// tail, and would keep all A vectors alive.
//
// The pipelined loop is `unroll` k steps in the same order, on a circle: every load stands `ahead`
// FMAs before the first FMA that needs it, if need be in the iteration before.
//
//     FMA position    0      1      2      3   |   0      1   ...
//     ahead = 3      fma0   fma1   fma2   fma3 |  fma0   fma1
//                    b3     b0'    b1'    b2'  |  b3     b0'        b': the next iteration's
//
// so the loop is entered through `before` (the loads with a prime) and left through `last` (an
// iteration without them). Nothing is loaded that is not used: panels end where they end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generator/rvv/tile.h"

namespace quern::generator::rvv {

struct Operation {
  enum Kind {
    load_a,  // vector row i of A's column p
    load_b,  // scalar j of B's row p
    fma,     // c[i][j] += a[i] * b[j]
  };
  Kind kind;
  int i = 0;           // vector row
  int j = 0;           // column
  int step = 0;        // p - (first k step of this iteration)
  int a_group = 0;     // register group of the A vector
  int b_register = 0;  // scalar register of the B element

  friend bool operator==(const Operation&, const Operation&) = default;
};

// One plain k step; B element j is in scalar register j.
std::vector<Operation> k_step(const Tile& tile);

// How the loop is scheduled.
struct Schedule {
  int unroll = 1;    // k steps in an iteration
  int a_groups = 1;  // register groups through which the A vectors rotate
  int ahead = 0;     // FMAs between the load of a B scalar and its first use

  bool plain() const { return unroll == 1 && a_groups == 1 && ahead == 0; }
  // Vectors come a little earlier than scalars: a vector load of LMUL 4 takes about as long as four
  // FMAs of LMUL 1 more than a scalar load. Fewer if the rotation has no group free.
  int a_ahead() const { return ahead == 0 ? 0 : ahead + 4; }
};

Schedule schedule_of(const KernelPoint& point);

struct LoopBody {
  int b_registers = 0;            // scalar registers used
  std::vector<Operation> before;  // ahead of the first iteration
  std::vector<Operation> loop;    // every iteration but the last
  std::vector<Operation> last;    // equal to `loop` where `before` is empty
};

// Why a schedule cannot be had for a tile; `constraint` is a name for `quern space`.
struct Infeasible {
  std::string constraint;
  std::string reason;
};
std::optional<Infeasible> infeasible(const Tile& tile, const Schedule& schedule);

// The body of a feasible schedule.
LoopBody schedule_loop(const Tile& tile, const Schedule& schedule);

}  // namespace quern::generator::rvv
