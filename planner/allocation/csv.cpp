#include "planner/allocation/csv.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "base/file.h"

namespace quern::planner::allocation {
namespace {

constexpr std::size_t none = std::string::npos;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == none) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Long or unprintable input is shortened, so that a message stays one readable line.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out;
  for (const char c : text.substr(0, most)) out += c >= ' ' && c < 127 ? c : '?';
  return text.size() > most ? out + "..." : out;
}

struct Columns {
  std::size_t id = none, start = none, end = none, size = none;
  std::size_t alignment = none, gaps = none, offset = none, hint = none;
  bool end_is_last = false;  // `end`: the last time, not the first one after
  std::size_t count = 0;
};

// One place of the input, for messages.
struct Place {
  std::string_view name;
  std::size_t line;
  template <class... Args>
  [[nodiscard]] Error error(fmt::format_string<Args...> format, Args&&... args) const {
    return bad_input("{}:{}: {}", name, line, fmt::format(format, std::forward<Args>(args)...));
  }
};

Columns parse_header(std::string_view line, const Place& place) {
  Columns columns;
  const auto names = split(line, ',');
  columns.count = names.size();
  std::unordered_map<std::string_view, std::size_t> seen;
  auto take = [&](std::size_t& column, std::size_t index) {
    if (column != none) {
      throw place.error("columns '{}' and '{}' mean the same", shown(trimmed(names[column])),
                        shown(trimmed(names[index])));
    }
    column = index;
  };
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::string_view name = trimmed(names[c]);
    if (name.starts_with('"')) throw place.error("quoted fields are not supported");
    if (!seen.emplace(name, c).second) throw place.error("column '{}' is given twice", shown(name));
    if (name == "id" || name == "buffer" || name == "buffer_id") take(columns.id, c);
    if (name == "lower" || name == "begin" || name == "start") take(columns.start, c);
    if (name == "upper" || name == "end") take(columns.end, c);
    if (name == "end") columns.end_is_last = true;
    if (name == "size") take(columns.size, c);
    if (name == "alignment") take(columns.alignment, c);
    if (name == "gaps") take(columns.gaps, c);
    if (name == "offset") take(columns.offset, c);
    if (name == "hint") take(columns.hint, c);
  }
  const char* missing = columns.id == none      ? "id (or buffer, buffer_id)"
                        : columns.start == none ? "lower (or begin, start)"
                        : columns.end == none   ? "upper (or end)"
                        : columns.size == none  ? "size"
                                                : nullptr;
  if (missing != nullptr) {
    throw place.error("no column {}; expected a header such as id,lower,upper,size", missing);
  }
  return columns;
}

std::int64_t parse_integer(std::string_view field, const Place& place, std::string_view what) {
  const std::string_view text = trimmed(field);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range || (error == std::errc() && value > largest_value)) {
    throw place.error("{}: {} is too large, expected at most {}", what, shown(text), largest_value);
  }
  if (error != std::errc() || stop != text.data() + text.size()) {
    throw place.error("{}: '{}', expected an integer", what, shown(text));
  }
  if (value < 0) throw place.error("{}: {}, expected no negative number", what, value);
  return value;
}

Interval parse_interval(std::string_view text, char separator, const Place& place,
                        std::string_view gap) {
  const std::size_t at = text.find(separator);
  if (at == none) throw place.error("gap '{}', expected a-b or a-b@l:h", shown(gap));
  return {parse_integer(text.substr(0, at), place, "gap"),
          parse_integer(text.substr(at + 1), place, "gap")};
}

std::vector<Gap> parse_gaps(std::string_view field, bool end_is_last, const Place& place) {
  std::vector<Gap> gaps;
  for (const std::string_view text : split(field, ' ')) {
    if (text.empty()) continue;
    const std::size_t at = text.find('@');
    Gap gap;
    gap.period = parse_interval(text.substr(0, at), '-', place, text);
    if (end_is_last) ++gap.period.upper;
    if (at != none) gap.window = parse_interval(text.substr(at + 1), ':', place, text);
    gaps.push_back(gap);
  }
  return gaps;
}

Buffer parse_row(const std::vector<std::string_view>& fields, const Columns& columns,
                 const Place& place) {
  Buffer buffer;
  buffer.id = trimmed(fields[columns.id]);
  if (buffer.id.empty()) throw place.error("id: empty");
  if (buffer.id.starts_with('"')) throw place.error("quoted fields are not supported");
  buffer.lifespan.lower = parse_integer(fields[columns.start], place, "lower");
  buffer.lifespan.upper = parse_integer(fields[columns.end], place, "upper");
  if (columns.end_is_last) ++buffer.lifespan.upper;
  buffer.size = parse_integer(fields[columns.size], place, "size");
  auto optional_field = [&](std::size_t column) -> std::optional<std::string_view> {
    if (column == none || trimmed(fields[column]).empty()) return std::nullopt;
    return trimmed(fields[column]);
  };
  if (auto text = optional_field(columns.alignment)) {
    buffer.alignment = parse_integer(*text, place, "alignment");
  }
  if (auto text = optional_field(columns.offset)) {
    buffer.offset = parse_integer(*text, place, "offset");
  }
  if (auto text = optional_field(columns.hint); text && *text != "-1") {  // MiniMalloc's "none"
    buffer.hint = parse_integer(*text, place, "hint");
  }
  if (auto text = optional_field(columns.gaps)) {
    buffer.gaps = parse_gaps(*text, columns.end_is_last, place);
  }
  if (auto wrong = defect(buffer)) throw place.error("buffer '{}': {}", shown(buffer.id), *wrong);
  return buffer;
}

// Takes the next line off `text`, without its line end.
std::string_view next_line(std::string_view& text) {
  const std::size_t at = text.find('\n');
  std::string_view line = text.substr(0, at);
  text.remove_prefix(at == none ? text.size() : at + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

ProblemFile parse_problem(std::string_view text, std::string_view name) {
  if (text.size() > largest_file) {
    throw bad_input("{}: {} bytes or more, expected at most {}", name, text.size(), largest_file);
  }
  ProblemFile file;
  file.name = name;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == none) {
    throw bad_input("{}:1: empty; expected a header such as id,lower,upper,size", name);
  }
  std::size_t line_number = 1;
  file.header = next_line(text);
  const Columns columns = parse_header(file.header, {name, line_number});
  file.columns = columns.count;
  file.offset_column = columns.offset;

  std::unordered_map<std::string, std::size_t> line_of;
  std::int64_t total = 0;
  std::size_t empty_line = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const Place place{name, ++line_number};
    if (trimmed(line).empty()) {
      if (empty_line == 0) empty_line = line_number;
      continue;
    }
    if (empty_line != 0) throw Place{name, empty_line}.error("empty line between buffers");
    const auto fields = split(line, ',');
    if (fields.size() != columns.count) {
      throw place.error("{} fields, expected {} as in the header", fields.size(), columns.count);
    }
    if (file.rows.size() == most_buffers) {
      throw place.error("more than {} buffers", most_buffers);
    }
    Buffer buffer = parse_row(fields, columns, place);
    const auto [other, fresh] = line_of.emplace(buffer.id, line_number);
    if (!fresh) {
      throw place.error("buffer '{}' is given twice, first on line {}", shown(buffer.id),
                        other->second);
    }
    total += buffer.size;
    if (total > largest_value) {
      throw place.error("the sizes add up to more than {}", largest_value);
    }
    file.problem.buffers.push_back(std::move(buffer));
    file.rows.emplace_back(line);
    file.lines.push_back(line_number);
  }
  if (file.rows.empty()) throw bad_input("{}:{}: no buffers after the header", name, line_number);
  return file;
}

ProblemFile read_problem(const std::filesystem::path& path) {
  std::error_code failed;
  const auto bytes = std::filesystem::file_size(path, failed);
  if (!failed && bytes > largest_file) {
    throw bad_input("{}: {} bytes, expected at most {}", path.string(), bytes, largest_file);
  }
  return parse_problem(read_file(path), path.string());
}

std::string solution_csv(const ProblemFile& file, const Solution& solution) {
  QUERN_CHECK(solution.offsets.size() == file.rows.size());
  std::string out = file.header;
  if (file.offset_column == none) out += ",offset";
  out += '\n';
  for (std::size_t i = 0; i < file.rows.size(); ++i) {
    if (file.offset_column == none) {
      out += fmt::format("{},{}\n", file.rows[i], solution.offsets[i]);
      continue;
    }
    const auto fields = split(file.rows[i], ',');
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (c > 0) out += ',';
      if (c == file.offset_column) {
        out += fmt::to_string(solution.offsets[i]);
      } else {
        out += fields[c];
      }
    }
    out += '\n';
  }
  return out;
}

}  // namespace quern::planner::allocation
