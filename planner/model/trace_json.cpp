// The JSON form, by streaming events: nothing is kept but the nodes and edges themselves.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "planner/model/token_guard.h"
#include "planner/model/trace_reader.h"

namespace quern::planner {
namespace {

using nlohmann::json;

class TraceEvents : public nlohmann::json_sax<json> {
 public:
  TraceEvents(Trace& trace, const TraceLimits& limits) : trace_(trace), limits_(limits) {}

  bool seen_nodes = false, seen_edges = false;

  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a boolean"); }
  bool number_float(number_float_t, const string_t& text) override {
    if (depth_ > ignored_at_) return true;
    if (place_ == Place::node_buffers || place_ == Place::edge || place_ == Place::node) {
      throw error("{} must be an integer, not {}", what(), text);
    }
    return scalar("a number");
  }
  bool number_integer(number_integer_t value) override { return number(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) {
      throw error("{} is too large: {}", what(), value);
    }
    return number(static_cast<std::int64_t>(value));
  }
  bool string(string_t& value) override {
    if (depth_ > ignored_at_) return true;
    if (place_ != Place::node) return scalar("a string");
    TraceNode& node = trace_.nodes.back();
    if (key_ == "Op")
      node.op = value;
    else if (key_ == "Pipe")
      node.pipe = value;
    else if (key_ == "Type")
      node.type = value;
    else if (is_number_key())
      throw error("{} must be an integer, not \"{}\"", what(), value);
    return true;
  }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ > ignored_at_) return true;
    if (place_ == Place::outside) {
      place_ = Place::top;
    } else if (place_ == Place::nodes) {
      if (static_cast<std::int64_t>(trace_.nodes.size()) >= limits_.max_nodes) {
        throw bad_input("{}: more than {} nodes, the limit of --max-nodes", trace_.file,
                        limits_.max_nodes);
      }
      trace_.nodes.emplace_back();
      node_keys_seen_ = 0;
      place_ = Place::node;
    } else if (place_ == Place::top || place_ == Place::node) {
      refuse_container("an object");
      ignored_at_ = depth_ - 1;
    } else {
      throw error("{} must not be an object", what());
    }
    return true;
  }
  bool end_object() override {
    --depth_;
    if (leave_ignored()) return true;
    if (place_ == Place::node) {
      if (trace_.nodes.back().id < 0) throw error("{} has no Id of 0 or more", what_node());
      place_ = Place::nodes;
    } else {
      place_ = Place::outside;
    }
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    if (depth_ > ignored_at_) return true;
    if (place_ == Place::top && key_ == "Nodes") {
      if (seen_nodes) throw error("\"Nodes\" is given twice");
      seen_nodes = true;
      place_ = Place::nodes;
    } else if (place_ == Place::top && key_ == "Edges") {
      if (seen_edges) throw error("\"Edges\" is given twice");
      seen_edges = true;
      place_ = Place::edges;
    } else if (place_ == Place::edges) {
      if (static_cast<std::int64_t>(trace_.edges.size()) >= limits_.max_edges()) {
        throw bad_input("{}: more than {} edges, the limit (eight times --max-nodes)", trace_.file,
                        limits_.max_edges());
      }
      trace_.edges.emplace_back(-1, -1);
      ends_ = 0;
      place_ = Place::edge;
    } else if (place_ == Place::node && key_ == "Bufs") {
      trace_.nodes.back().has_buffers = true;
      place_ = Place::node_buffers;
    } else if (place_ == Place::top || place_ == Place::node) {
      refuse_container("an array");
      ignored_at_ = depth_ - 1;
    } else {
      throw error("{}: an array is out of place here", what());
    }
    return true;
  }
  bool end_array() override {
    --depth_;
    if (leave_ignored()) return true;
    switch (place_) {
      case Place::edge:
        if (ends_ != 2) throw error("{} needs two node ids, has {}", what(), ends_);
        place_ = Place::edges;
        break;
      case Place::node_buffers:
        place_ = Place::node;
        break;
      default:
        place_ = Place::top;
        break;
    }
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ > ignored_at_) return true;
    key_ = name;
    if (place_ != Place::node) return true;
    const auto at = std::find(std::begin(node_keys), std::end(node_keys), name);
    if (at == std::end(node_keys)) return true;
    const unsigned bit = 1U << (at - std::begin(node_keys));
    if ((node_keys_seen_ & bit) != 0) throw error("{} is given twice", what());
    node_keys_seen_ |= bit;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception& problem) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: text"
    std::string text = problem.what();
    if (const auto at = text.find("] "); at != std::string::npos) text = text.substr(at + 2);
    if (text.size() > 200) text = text.substr(0, 200) + " ...";
    throw error("not JSON: {}", text);
  }

 private:
  enum class Place { outside, top, nodes, node, node_buffers, edges, edge };

  template <class... Args>
  Error error(fmt::format_string<Args...> format, Args&&... args) const {
    return bad_input("{}: {}", trace_.file, fmt::format(format, std::forward<Args>(args)...));
  }
  std::string what_node() const { return fmt::format("/Nodes/{}", trace_.nodes.size() - 1); }
  std::string what() const {
    switch (place_) {
      case Place::node:
        return fmt::format("{}/{}", what_node(), key_);
      case Place::node_buffers:
        return what_node() + "/Bufs";
      case Place::nodes:
        return fmt::format("/Nodes/{} (an object)", trace_.nodes.size());
      case Place::edge:
        return fmt::format("/Edges/{}", trace_.edges.size() - 1);
      case Place::edges:
        return fmt::format("/Edges/{} (a pair of node ids)", trace_.edges.size());
      case Place::top:
        return "/" + key_;
      case Place::outside:
        break;
    }
    return "the document (an object with Nodes and Edges)";
  }
  bool is_number_key() const {
    return key_ == "Id" || key_ == "Cycles" || key_ == "BufId" || key_ == "Size" || key_ == "Bufs";
  }
  // Unknown keys are skipped; known ones must have their type.
  void refuse_container(const char* kind) const {
    const bool known = place_ == Place::top
                           ? key_ == "Nodes" || key_ == "Edges"
                           : is_number_key() || key_ == "Op" || key_ == "Pipe" || key_ == "Type";
    if (known) throw error("{} must not be {}", what(), kind);
  }
  bool scalar(const char* kind) {
    if (depth_ > ignored_at_) return true;
    if (place_ == Place::node && key_ == "Bufs") return true;  // null for a node without buffers
    if (place_ != Place::top && place_ != Place::node) {
      throw error("{} must not be {}", what(), kind);
    }
    refuse_container(kind);
    return true;
  }
  bool number(std::int64_t value) {
    if (depth_ > ignored_at_) return true;
    switch (place_) {
      case Place::node: {
        TraceNode& node = trace_.nodes.back();
        if (key_ == "Id")
          node.id = value;
        else if (key_ == "Cycles")
          node.cycles = value;
        else if (key_ == "BufId")
          node.buffer = value;
        else if (key_ == "Size")
          node.size = value;
        else
          refuse_container("a number");
        return true;
      }
      case Place::node_buffers:
        trace_.nodes.back().buffers.push_back(value);
        return true;
      case Place::edge: {
        auto& [from, to] = trace_.edges.back();
        if (ends_ == 0) from = value;
        if (ends_ == 1) to = value;
        ++ends_;
        return true;
      }
      default:
        return scalar("a number");
    }
  }
  bool leave_ignored() {
    if (depth_ > ignored_at_) return true;
    if (depth_ == ignored_at_) {
      ignored_at_ = never_;
      return true;
    }
    return false;
  }

  static constexpr const char* node_keys[] = {"Id",   "Op",     "BufId", "Size",
                                              "Type", "Cycles", "Pipe",  "Bufs"};
  static constexpr int never_ = 1 << 30;
  unsigned node_keys_seen_ = 0;
  Trace& trace_;
  const TraceLimits& limits_;
  Place place_ = Place::outside;
  std::string key_;
  int depth_ = 0;
  int ignored_at_ = never_;  // depth that holds a value of an unknown key
  int ends_ = 0;
};

}  // namespace

Trace read_trace_json(const std::filesystem::path& path, const TraceLimits& limits) {
  std::ifstream in = open_input(path);
  Trace trace;
  trace.name = path.stem().string();
  trace.file = path.string();
  TraceEvents events(trace, limits);
  TokenGuard guarded(in, trace.file);
  std::istream text(&guarded);
  json::sax_parse(text, &events);
  if (!events.seen_nodes) throw bad_input("{}: no \"Nodes\" array", trace.file);
  if (!events.seen_edges) throw bad_input("{}: no \"Edges\" array", trace.file);
  return trace;
}

}  // namespace quern::planner
