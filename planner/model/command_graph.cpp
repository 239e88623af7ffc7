#include "planner/model/command_graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"

namespace quern::planner {
namespace {

constexpr std::int64_t most_cycles = std::int64_t{1} << 53;

class Builder {
 public:
  Builder(const Trace& trace, const Machine& machine) : trace_(trace), machine_(machine) {}

  CommandGraph build() {
    graph_.name = trace_.name;
    place_nodes();
    for (const TraceNode* node : by_id_) {
      if (node->op == "ALLOC" || node->op == "FREE") add_memory_node(*node);
    }
    for (const TraceNode* node : by_id_) {
      if (node->op != "ALLOC" && node->op != "FREE") add_operation(*node);
    }
    check_frees();
    add_edges();
    topological_order();
    check_lifetimes();
    check_operand_sizes();
    return std::move(graph_);
  }

 private:
  std::string where(const TraceNode& node) const {
    if (node.line > 0) return fmt::format("{}:{}: node {}", trace_.file, node.line, node.id);
    return fmt::format("{}: node {}", trace_.file, node.id);
  }

  void place_nodes() {
    const auto count = static_cast<std::int64_t>(trace_.nodes.size());
    if (count == 0) throw bad_input("{}: no nodes", trace_.file);
    by_id_.assign(trace_.nodes.size(), nullptr);
    for (const TraceNode& node : trace_.nodes) {
      if (node.id < 0 || node.id >= count) {
        throw bad_input("{}: Id must be within 0..{} since there are {} nodes", where(node),
                        count - 1, count);
      }
      if (by_id_[node.id] != nullptr) throw bad_input("{}: Id is given twice", where(node));
      by_id_[node.id] = &node;
    }
    graph_.commands.resize(trace_.nodes.size());
  }

  int op_index(const std::string& op) {
    const auto [at, added] = ops_.try_emplace(op, static_cast<int>(graph_.op_names.size()));
    if (added) graph_.op_names.push_back(op);
    return at->second;
  }

  void add_memory_node(const TraceNode& node) {
    Command& command = graph_.commands[node.id];
    command.op = op_index(node.op);
    command.kind = node.op == "ALLOC" ? CommandKind::alloc : CommandKind::free;
    if (node.buffer < 0) throw bad_input("{}: {} needs a BufId of 0 or more", where(node), node.op);
    if (node.size < 0) throw bad_input("{}: {} needs a Size of 0 or more", where(node), node.op);
    const int tier = machine_.find_tier(node.type);
    if (tier < 0) {
      throw bad_input("{}: unknown tier \"{}\" in Type; machine {} has {}", where(node), node.type,
                      machine_.name, tier_names());
    }
    if (node.size > machine_.tiers[tier].capacity) {
      throw bad_input("{}: buffer {} of size {} is larger than tier {} ({})", where(node),
                      node.buffer, node.size, node.type, machine_.tiers[tier].capacity);
    }
    const auto [at, added] =
        buffers_.try_emplace(node.buffer, static_cast<int>(graph_.buffers.size()));
    if (added) {
      graph_.buffers.push_back({.id = node.buffer, .size = node.size, .tier = tier});
    }
    command.buffer = at->second;
    Buffer& buffer = graph_.buffers[at->second];
    if (buffer.size != node.size || buffer.tier != tier) {
      throw bad_input("{}: {} of buffer {} says {} {}, elsewhere it is {} {}", where(node), node.op,
                      node.buffer, node.type, node.size, machine_.tiers[buffer.tier].name,
                      buffer.size);
    }
    int& slot = command.kind == CommandKind::alloc ? buffer.alloc : buffer.free;
    if (slot >= 0) {
      throw bad_input("{}: buffer {} is {} twice (first by node {})", where(node), node.buffer,
                      command.kind == CommandKind::alloc ? "allocated" : "freed", slot);
    }
    slot = static_cast<int>(node.id);
  }

  void add_operation(const TraceNode& node) {
    Command& command = graph_.commands[node.id];
    if (node.op.empty()) throw bad_input("{}: Op is missing", where(node));
    command.op = op_index(node.op);
    command.pipe = machine_.find_pipe(node.pipe);
    if (command.pipe < 0) {
      std::string names;
      for (const auto& pipe : machine_.pipes) names += (names.empty() ? "" : ", ") + pipe;
      throw bad_input("{}: unknown pipe \"{}\"; machine {} has {}", where(node), node.pipe,
                      machine_.name, names);
    }
    if (node.cycles < 0) throw bad_input("{}: {} needs Cycles of 0 or more", where(node), node.op);
    // Sums of all of them must stay far from overflow.
    if (node.cycles > most_cycles - total_cycles_) {
      throw bad_input("{}: {} of {} cycles: all commands together may take at most {}", where(node),
                      node.op, node.cycles, most_cycles);
    }
    total_cycles_ += node.cycles;
    command.cycles = node.cycles;
    const auto& backers = machine_.transfer.backed_by;
    const bool backs = std::find(backers.begin(), backers.end(), node.op) != backers.end();
    for (std::int64_t id : node.buffers) {
      const auto at = buffers_.find(id);
      if (at == buffers_.end() || graph_.buffers[at->second].alloc < 0) {
        throw bad_input("{}: Bufs names buffer {}, which no ALLOC makes", where(node), id);
      }
      if (backs) graph_.buffers[at->second].backed = true;
      uses_.emplace_back(static_cast<int>(node.id), at->second);
    }
  }

  void check_frees() {
    for (const Buffer& buffer : graph_.buffers) {
      if (buffer.alloc < 0) {
        throw bad_input("{}: node {}: buffer {} is freed but never allocated", trace_.file,
                        buffer.free, buffer.id);
      }
      if (buffer.free < 0) {
        throw bad_input("{}: node {}: buffer {} is allocated but never freed", trace_.file,
                        buffer.alloc, buffer.id);
      }
    }
  }

  void add_edges() {
    const std::int64_t count = graph_.size();
    std::vector<std::pair<int, int>> edges;
    edges.reserve(trace_.edges.size());
    for (std::size_t i = 0; i < trace_.edges.size(); ++i) {
      const auto [from, to] = trace_.edges[i];
      if (from < 0 || from >= count || to < 0 || to >= count) {
        throw bad_input("{}: edge {} is {} -> {}, but nodes are 0..{}", trace_.file, i, from, to,
                        count - 1);
      }
      const Command& a = graph_.commands[from];
      const Command& b = graph_.commands[to];
      const bool memory = a.kind != CommandKind::operation && b.kind != CommandKind::operation;
      const bool handover = a.kind == CommandKind::free && b.kind == CommandKind::alloc;
      const bool lifetime =
          a.kind == CommandKind::alloc && b.kind == CommandKind::free && a.buffer == b.buffer;
      if (memory && from != to && !handover && !lifetime) {
        throw bad_input(
            "{}: edge {} ({} -> {}): between ALLOC and FREE nodes only ALLOC -> FREE of one buffer "
            "and FREE -> ALLOC mean something",
            trace_.file, i, from, to);
      }
      edges.emplace_back(static_cast<int>(from), static_cast<int>(to));
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    graph_.successors = Adjacency(graph_.size(), edges);
    for (auto& [from, to] : edges) std::swap(from, to);
    std::sort(edges.begin(), edges.end());
    graph_.predecessors = Adjacency(graph_.size(), edges);

    std::sort(uses_.begin(), uses_.end());
    uses_.erase(std::unique(uses_.begin(), uses_.end()), uses_.end());
    graph_.buffers_of = Adjacency(graph_.size(), uses_);
    for (auto& [node, buffer] : uses_) std::swap(node, buffer);
    std::sort(uses_.begin(), uses_.end());
    graph_.commands_of = Adjacency(static_cast<int>(graph_.buffers.size()), uses_);
  }

  // Kahn's algorithm; what is left over holds a cycle, and walking back along unfinished
  // predecessors finds it.
  void topological_order() {
    std::vector<int> waiting(graph_.size());
    for (int node = 0; node < graph_.size(); ++node) {
      waiting[node] = static_cast<int>(graph_.predecessors[node].size());
      if (waiting[node] == 0) order_.push_back(node);
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (int next : graph_.successors[order_[i]]) {
        if (--waiting[next] == 0) order_.push_back(next);
      }
    }
    if (order_.size() == graph_.commands.size()) return;
    int node = 0;
    while (waiting[node] == 0) ++node;
    std::vector<int> seen_at(graph_.size(), -1), path;
    while (seen_at[node] < 0) {
      seen_at[node] = static_cast<int>(path.size());
      path.push_back(node);
      for (int previous : graph_.predecessors[node]) {
        if (waiting[previous] > 0) {
          node = previous;
          break;
        }
      }
    }
    std::string cycle = std::to_string(node);
    int shown = 0;
    for (std::size_t i = path.size(); i-- > static_cast<std::size_t>(seen_at[node]);) {
      if (++shown > 12) {
        cycle += " -> ...";
        break;
      }
      cycle += fmt::format(" -> {}", path[i]);
    }
    throw bad_input("{}: node {}: the graph has a cycle: {}", trace_.file, node, cycle);
  }

  // Every use must come after its ALLOC and before its FREE. Traces leave out edges that a path
  // implies: a direct edge settles most uses, the others need a search, bounded by the positions in
  // a topological order and ended as soon as every use is found.
  void check_lifetimes() {
    position_.resize(graph_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = static_cast<int>(i);
    mark_.assign(graph_.size(), -1);
    for (std::size_t b = 0; b < graph_.buffers.size(); ++b) {
      const Buffer& buffer = graph_.buffers[b];
      const auto uses = graph_.commands_of[static_cast<int>(b)];
      if (const int use = unreached(buffer.alloc, uses, graph_.successors, 1); use >= 0) {
        throw bad_input("{}: node {}: uses buffer {} but nothing orders it after ALLOC node {}",
                        trace_.file, use, buffer.id, buffer.alloc);
      }
      if (const int use = unreached(buffer.free, uses, graph_.predecessors, -1); use >= 0) {
        throw bad_input("{}: node {}: uses buffer {} but nothing orders it before FREE node {}",
                        trace_.file, use, buffer.id, buffer.free);
      }
    }
  }

  // The first of `uses` that no path from `start` along `next` reaches, or -1. `direction` is 1
  // when the path goes forwards in time and -1 when it goes back.
  int unreached(int start, std::span<const int> uses, const Adjacency& next, int direction) {
    ++stamp_;
    int missing = static_cast<int>(uses.size());
    int bound = direction * position_[start];
    for (int use : uses) bound = std::max(bound, direction * position_[use]);
    for (int use : uses) wanted_.insert(use);
    const auto visit = [&](int node) {
      if (mark_[node] == stamp_ || direction * position_[node] > bound) return;
      mark_[node] = stamp_;
      stack_.push_back(node);
      if (wanted_.count(node) > 0) --missing;
    };
    stack_.clear();
    visit(start);
    for (std::size_t at = 0; missing > 0 && at < stack_.size(); ++at) {
      const int node = stack_[at];
      for (int other : next[node]) visit(other);
    }
    int found = -1;
    for (int use : uses) {
      if (mark_[use] != stamp_ && found < 0) found = use;
      wanted_.erase(use);
    }
    return found;
  }

  void check_operand_sizes() {
    std::vector<std::int64_t> need(machine_.tiers.size());
    for (int node = 0; node < graph_.size(); ++node) {
      std::fill(need.begin(), need.end(), 0);
      for (int buffer : graph_.buffers_of[node]) {
        need[graph_.buffers[buffer].tier] += graph_.buffers[buffer].size;
      }
      for (std::size_t tier = 0; tier < need.size(); ++tier) {
        if (need[tier] > machine_.tiers[tier].capacity) {
          throw bad_input("{}: node {}: its buffers need {} units of tier {}, which holds {}",
                          trace_.file, node, need[tier], machine_.tiers[tier].name,
                          machine_.tiers[tier].capacity);
        }
      }
    }
  }

  std::string tier_names() const {
    std::string names;
    for (const Tier& tier : machine_.tiers) names += (names.empty() ? "" : ", ") + tier.name;
    return names;
  }

  const Trace& trace_;
  const Machine& machine_;
  CommandGraph graph_;
  std::vector<const TraceNode*> by_id_;
  std::unordered_map<std::string, int> ops_;
  std::unordered_map<std::int64_t, int> buffers_;
  std::vector<std::pair<int, int>> uses_;
  std::vector<int> order_;
  std::vector<int> position_, mark_, stack_;
  std::unordered_set<int> wanted_;
  int stamp_ = 0;
  std::int64_t total_cycles_ = 0;
};

}  // namespace

CommandGraph build_command_graph(const Trace& trace, const Machine& machine) {
  return Builder(trace, machine).build();
}

}  // namespace quern::planner
