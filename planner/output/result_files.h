// Writes a plan as the result files of the problem's rules, whole or not at all:
//
//   DIR/Problem1/<case>_schedule.txt            one node id a line               (peak)
//   DIR/Problem2/<case>_schedule.txt            with the spill nodes             (traffic)
//               <case>_memory.txt               BufId:Offset, first placement
//               <case>_spill.txt                BufId:NewOffset, one line a pair
//   DIR/Problem3/...                            the same                         (cycles)
#pragma once

#include <filesystem>
#include <vector>

#include "planner/model/command_graph.h"
#include "planner/model/plan.h"

namespace quern::planner {

// "Problem1", "Problem2" or "Problem3".
const char* problem_folder(Objective objective);

// Writes into `folder` itself; returns the files, schedule first. Each file is replaced atomically,
// and the old schedule is removed first and the new one written last, so that a crash in between
// leaves an incomplete set, which `verify` refuses, and never a mixed one.
std::vector<std::filesystem::path> write_result_files(const CommandGraph& graph, const Plan& plan,
                                                      const std::filesystem::path& folder);

}  // namespace quern::planner
