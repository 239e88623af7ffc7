// The middle level between the tile and the text: the operations of the k loop in program order,
// with registers assigned. Both back ends write what stands here.
//
// The plain step is one k step with its scalars loaded first and one group for its vectors:
//
//     load b0..b2 | load a0 | c00 += a0*b0  c01 += a0*b1  c02 += a0*b2 | load a1 | c10 += ...
//
// Vectors are outermost: one is loaded, meets every scalar of the row, and dies. The other order
// (scalars outermost) would change the vector length for every FMA of a tile with a tail, and would
// keep all vectors alive. Scalars that are spread over a vector of their own (broadcast, gather)
// need that order nevertheless: there are not enough registers for a row of them.
//
//     load a0, a1 | spread b0 | spread b1 | c00 += a0*b0  c10 += a1*b0 | spread b2 | ...
//
// The scheduled loop is entered through `before` (the loads that schedule.h places in the iteration
// before) and left through `last` (an iteration without those of the next). Nothing is loaded that
// is not used: panels end where they end.
#pragma once

#include <vector>

#include "generator/rvv/schedule.h"

namespace quern::generator::rvv {

struct Operation {
  enum Kind {
    load_vector,  // vector i of the k step
    load_scalar,  // scalar j
    load_row,     // all scalars of the k step into one vector
    spread,       // scalar j over a vector, from its register or from the row
    fma,          // accumulator(i, j) += vector i * scalar j
    // Additions to pointers, which stand apart where the target's issue slots are known.
    advance_vectors,  // behind the load of vector i
    advance_scalars,  // behind all scalars of an iteration
  };
  Kind kind;
  int i = 0;
  int j = 0;
  int step = 0;             // k step, from the first of this iteration
  int vector_group = 0;     // register group of vector i
  int scalar_register = 0;  // of scalar j: a scalar register, or the group it is spread over

  friend bool operator==(const Operation&, const Operation&) = default;
};

// One plain k step, but for the scalars' pointer; with scalar operands, scalar j is in scalar
// register j.
std::vector<Operation> k_step(const Tile& tile, ScalarOperand operand, int step = 0);
// Scalar registers of a plain k step.
int k_step_scalars(const Tile& tile, ScalarOperand operand);

struct LoopBody {
  int scalar_registers = 0;       // used
  std::vector<Operation> before;  // ahead of the first iteration
  std::vector<Operation> loop;    // every iteration but the last
  std::vector<Operation> last;    // equal to `loop` where `before` is empty
};
// The body of a feasible schedule.
LoopBody schedule_loop(const Tile& tile, const Schedule& schedule);

}  // namespace quern::generator::rvv
