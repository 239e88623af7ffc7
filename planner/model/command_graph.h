// The command graph of a kernel: operations on in-order pipes, typed buffers with one ALLOC and one
// FREE each, and the edges that say what must come first.
//
//   ALLOC a ─► COPY_IN a ─► MATMUL a,b,c ─► COPY_OUT c ─► FREE c
//                               └─► FREE a
//
// `build_command_graph` checks everything a trace can get wrong, so that the rest of the planner
// and the verifier may rely on it: ids, pipes, tiers, one ALLOC and one FREE a buffer, no cycle,
// every use between them, no command that needs more than a tier holds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/model/adjacency.h"
#include "planner/model/machine.h"

namespace quern::planner {

enum class CommandKind : std::uint8_t { operation, alloc, free };

struct Command {
  CommandKind kind = CommandKind::operation;
  int op = 0;               // index into CommandGraph::op_names
  int pipe = -1;            // of the machine; -1 for ALLOC and FREE
  std::int64_t cycles = 0;  // 0 for ALLOC and FREE
  int buffer = -1;          // of ALLOC and FREE: index into CommandGraph::buffers
};

struct Buffer {
  std::int64_t id = 0;  // BufId of the trace
  std::int64_t size = 0;
  int tier = 0;
  int alloc = -1;  // node ids
  int free = -1;
  bool backed = false;  // a copy exists outside: evicting it writes nothing back
};

struct CommandGraph {
  std::string name;  // of the case: the trace's file name without its ending
  std::vector<std::string> op_names;
  std::vector<Command> commands;  // by node id
  std::vector<Buffer> buffers;
  Adjacency successors, predecessors;
  Adjacency buffers_of;   // node -> buffers that an operation reads or writes
  Adjacency commands_of;  // buffer -> operations that read or write it, by node id

  int size() const { return static_cast<int>(commands.size()); }
  const std::string& op_name(int node) const { return op_names[commands[node].op]; }
};

// What a reader hands over: one trace node as written, before any meaning is checked.
struct TraceNode {
  std::int64_t id = -1;
  std::string op, pipe, type;
  std::int64_t cycles = -1, buffer = -1, size = -1;
  std::vector<std::int64_t> buffers;
  bool has_buffers = false;
  std::int64_t line = 0;  // of a CSV; 0 for JSON, whose messages name the node
};

struct Trace {
  std::string name;  // of the case
  std::string file;  // for messages
  std::vector<TraceNode> nodes;
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
};

// Throws bad_input naming the file and the node, edge, buffer or line.
CommandGraph build_command_graph(const Trace& trace, const Machine& machine);

}  // namespace quern::planner
