// Constructed orders: where a search begins. Each is a permutation of the anchors; the linearizer
// makes it legal. None knows a case; together they cover what good schedules of tiled kernels look
// like.
//
//   stable           by node id
//   depth first      from the last commands back, predecessors first; four ways to break ties
//   level            all commands of one depth before the next
//   mpas             see planner/lattice
//   relieved ...     each of these, but commands that give memory back go first
//   eased ...        each of these, but commands that take next to nothing go first
//   grouped chains   chains that share buffers in groups of g, w of them interleaved, the groups in
//                    a walk that always goes to the neighbour sharing most (which snakes over a
//                    tiled product)
#pragma once

#include <string>
#include <vector>

#include "planner/search/structure.h"

namespace quern::planner {

struct Start {
  std::string name;
  std::vector<int> anchors;
};

std::vector<Start> constructed_starts(const Problem& problem, const Structure& structure);

}  // namespace quern::planner
