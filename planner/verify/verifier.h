// The independent judge of a plan. It shares the input model with the planner (graph and machine)
// and nothing else: it reads the result files itself, replays the order, keeps its own map of who
// owns which address, times the commands itself and then checks, at every instant of that timing,
// that no address has two owners.
//
//   schedule ─► each node once ─► edges ─► replay: residency, overlap, spill rules ─► peak, traffic
//                                             └► release→acquire edges ─► timing ─► cycles
//                                                                           └► ownership in time
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "planner/model/command_graph.h"
#include "planner/model/plan.h"

namespace quern::planner::verify {

// The result files as they were written: ids and offsets, nothing interpreted.
struct Submission {
  struct Place {
    std::int64_t buffer = 0;
    std::int64_t offset = 0;
    int line = 0;
  };
  std::vector<std::int64_t> schedule;
  std::vector<Place> memory;  // first placement of each buffer
  std::vector<Place> spills;  // k-th line: SPILL_OUT N + 2k, SPILL_IN N + 2k + 1
  bool has_memory = false;    // false: an order-only plan (problem 1)
  std::string where;          // for messages
};

// What the result files of `plan` would hold.
Submission as_submission(const CommandGraph& graph, const Plan& plan);

struct Verdict {
  bool valid = false;
  std::vector<std::string> problems;  // the first few, in words
  std::int64_t peak = 0;              // of the tiers that count, by position in the order
  std::int64_t peak_all_tiers = 0;
  std::vector<std::int64_t> peak_by_tier;
  std::vector<int> most_live_by_tier;   // buffers alive at one position
  std::optional<std::int64_t> traffic;  // only with memory files
  std::optional<std::int64_t> spills;
  std::int64_t cycles = 0;           // with reuse edges; of an order-only plan: without memory
  std::int64_t cycles_no_reuse = 0;  // the same without reuse edges
  std::int64_t reuse_edges = 0;
};

// Reads <case>_schedule.txt, and <case>_memory.txt and <case>_spill.txt if they are there. Throws
// bad_input for a missing schedule and for a line that is not of the form the rules give.
Submission read_submission(const std::filesystem::path& folder, const std::string& case_name);

// Judges it. `peak_limits`: also enforce the tiers' peak_live_limit (order-only plans).
Verdict judge(const CommandGraph& graph, const Machine& machine, const Submission& submission,
              bool peak_limits);

}  // namespace quern::planner::verify
