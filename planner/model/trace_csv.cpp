// The CSV form: X_Nodes.csv (Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs; Bufs a quoted comma list) and
// X_Edges.csv (StartNodeId,EndNodeId). Columns are found by their heading.
#include <charconv>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "planner/model/trace_reader.h"

namespace quern::planner {
namespace {

constexpr std::size_t longest_line = 1 << 20;

// One line at a time, split into fields; quoted fields may hold commas and doubled quotes.
class CsvFile {
 public:
  explicit CsvFile(const std::filesystem::path& path)
      : path_(path.string()), in_(open_input(path)) {}

  bool next() {
    while (read_line()) {
      if (!text_.empty()) {
        split();
        return true;
      }
    }
    return false;
  }

  // Reads the heading; -1 for a column that is not there.
  std::vector<int> columns(const std::vector<std::string>& names) {
    if (!next()) throw bad_input("{}:1: empty, expected a heading line", path_);
    std::vector<int> at(names.size(), -1);
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t f = 0; f < fields.size(); ++f) {
        if (fields[f] == names[i]) at[i] = static_cast<int>(f);
      }
      if (at[i] < 0) throw bad_input("{}:1: no column \"{}\"", path_, names[i]);
    }
    width_ = fields.size();
    return at;
  }

  void check_width() const {
    if (fields.size() != width_) {
      throw bad_input("{}:{}: {} fields, expected {}", path_, line, fields.size(), width_);
    }
  }

  // An empty field is -1. "12.0" is accepted since spreadsheets write whole numbers so.
  std::int64_t integer(const std::string& field, const char* column) const {
    std::string_view text = trim(field);
    if (text.empty()) return -1;
    if (text.ends_with(".0")) text.remove_suffix(2);
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) {
      throw bad_input("{}:{}: {} must be an integer, not \"{}\"", path_, line, column, field);
    }
    return value;
  }

  static std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
  }

  std::vector<std::string> fields;
  std::int64_t line = 0;
  const std::string& path() const { return path_; }

 private:
  bool read_line() {
    text_.clear();
    std::streambuf* stream = in_.rdbuf();
    int c = stream->sbumpc();
    if (c == std::char_traits<char>::eof()) return false;
    ++line;
    for (; c != '\n' && c != std::char_traits<char>::eof(); c = stream->sbumpc()) {
      if (text_.size() >= longest_line) {
        throw bad_input("{}:{}: line is longer than {} bytes", path_, line, longest_line);
      }
      text_ += static_cast<char>(c);
    }
    if (!text_.empty() && text_.back() == '\r') text_.pop_back();
    if (line == 1 && text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
    return true;
  }

  void split() {
    fields.assign(1, "");
    bool quoted = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quoted && c == '"' && i + 1 < text_.size() && text_[i + 1] == '"') {
        fields.back() += '"';
        ++i;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    if (quoted) throw bad_input("{}:{}: a quote is not closed", path_, line);
  }

  std::string path_;
  std::ifstream in_;
  std::string text_;
  std::size_t width_ = 0;
};

void read_nodes(CsvFile& file, Trace& trace, const TraceLimits& limits) {
  const auto at = file.columns({"Id", "Op", "BufId", "Size", "Type", "Pipe", "Cycles", "Bufs"});
  while (file.next()) {
    file.check_width();
    if (static_cast<std::int64_t>(trace.nodes.size()) >= limits.max_nodes) {
      throw bad_input("{}:{}: more than {} nodes, the limit of --max-nodes", file.path(), file.line,
                      limits.max_nodes);
    }
    TraceNode node;
    node.line = file.line;
    node.id = file.integer(file.fields[at[0]], "Id");
    node.op = CsvFile::trim(file.fields[at[1]]);
    node.buffer = file.integer(file.fields[at[2]], "BufId");
    node.size = file.integer(file.fields[at[3]], "Size");
    node.type = CsvFile::trim(file.fields[at[4]]);
    node.pipe = CsvFile::trim(file.fields[at[5]]);
    node.cycles = file.integer(file.fields[at[6]], "Cycles");
    std::string list = file.fields[at[7]];
    for (char& c : list) {
      if (c == '[' || c == ']' || c == ';') c = c == ';' ? ',' : ' ';
    }
    std::string_view rest = CsvFile::trim(list);
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      const std::string item(CsvFile::trim(rest.substr(0, comma)));
      if (item.empty()) {
        throw bad_input("{}:{}: Bufs has an empty entry: \"{}\"", file.path(), file.line, list);
      }
      node.buffers.push_back(file.integer(item, "Bufs"));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    trace.nodes.push_back(std::move(node));
  }
}

void read_edges(CsvFile& file, Trace& trace, const TraceLimits& limits) {
  const auto at = file.columns({"StartNodeId", "EndNodeId"});
  while (file.next()) {
    file.check_width();
    if (static_cast<std::int64_t>(trace.edges.size()) >= limits.max_edges()) {
      throw bad_input("{}:{}: more than {} edges, the limit (eight times --max-nodes)", file.path(),
                      file.line, limits.max_edges());
    }
    const auto from = file.integer(file.fields[at[0]], "StartNodeId");
    const auto to = file.integer(file.fields[at[1]], "EndNodeId");
    trace.edges.emplace_back(from, to);
  }
}

}  // namespace

Trace read_trace_csv(const std::filesystem::path& nodes, const std::filesystem::path& edges,
                     const TraceLimits& limits) {
  Trace trace;
  trace.file = nodes.string();
  std::string name = nodes.stem().string();
  if (name.ends_with("_Nodes")) name.resize(name.size() - std::strlen("_Nodes"));
  trace.name = name;
  CsvFile node_file(nodes);
  read_nodes(node_file, trace, limits);
  CsvFile edge_file(edges);
  read_edges(edge_file, trace, limits);
  return trace;
}

Trace read_trace(const std::filesystem::path& path, const TraceLimits& limits) {
  const std::string name = path.filename().string();
  const auto twin = [&](const char* ending, const char* other) {
    return path.parent_path() / (name.substr(0, name.size() - std::strlen(ending)) + other);
  };
  if (name.ends_with("_Nodes.csv")) {
    return read_trace_csv(path, twin("_Nodes.csv", "_Edges.csv"), limits);
  }
  if (name.ends_with("_Edges.csv")) {
    return read_trace_csv(twin("_Edges.csv", "_Nodes.csv"), path, limits);
  }
  if (name.ends_with(".csv")) {
    throw bad_input("{}: a CSV trace is a pair X_Nodes.csv and X_Edges.csv", path.string());
  }
  return read_trace_json(path, limits);
}

}  // namespace quern::planner
