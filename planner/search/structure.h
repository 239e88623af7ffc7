// What a search knows about a graph beyond its edges: which buffers an anchor touches once its lazy
// feeders are counted, and which anchors form chains (an accumulation over k, a run of vector
// operations).
//
//   MOVE a,A ┐                          footprint of the first MATMUL: a b c and, of the lazy
//            ├► MATMUL a,b,c ─► MATMUL ...   MOVEs before it, the tiles A and B
//   MOVE b,B ┘                          chain: the MATMULs of one c
#pragma once

#include <vector>

#include "planner/decode/problem.h"

namespace quern::planner {

struct Structure {
  explicit Structure(const Problem& problem);

  Adjacency footprint;                   // operation (anchors only) -> buffers
  Adjacency touched_by;                  // buffer -> anchors whose footprint has it
  std::vector<int> chain_of;             // by operation; -1 if no anchor
  std::vector<std::vector<int>> chains;  // anchors in dependency order; by smallest operation
  std::vector<int> shared;               // buffers in the footprint of more than one anchor
};

}  // namespace quern::planner
