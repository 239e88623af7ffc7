// Reads a trace: X.json ({"Nodes":[...],"Edges":[[u,v],...]}) or its CSV twins X_Nodes.csv and
// X_Edges.csv.
//
// Both readers stream: a file of any length is read with memory for at most `max_nodes` nodes (and
// eight times as many edges), and a longer one is refused with a message that names the limit.
#pragma once

#include <cstdint>
#include <filesystem>

#include "planner/model/command_graph.h"

namespace quern::planner {

struct TraceLimits {
  std::int64_t max_nodes = 1'000'000;
  std::int64_t max_edges() const { return 8 * max_nodes; }
};

// `path` is the JSON file or either CSV twin. Throws bad_input with file and line or node.
Trace read_trace(const std::filesystem::path& path, const TraceLimits& limits = {});

Trace read_trace_json(const std::filesystem::path& path, const TraceLimits& limits);
Trace read_trace_csv(const std::filesystem::path& nodes, const std::filesystem::path& edges,
                     const TraceLimits& limits);

}  // namespace quern::planner
