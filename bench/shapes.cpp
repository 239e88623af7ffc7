#include "bench/shapes.h"

#include <fmt/ranges.h>

#include <charconv>
#include <regex>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/json_file.h"

namespace quern::bench {
namespace {

constexpr std::int64_t largest_size = (std::int64_t{1} << 31) - 1;
constexpr double largest_operands = 16.0 * (1 << 30);  // bytes of A, B and C together

std::int64_t parse_size(const std::string& text, const std::string& place) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) throw bad_input("{}: {} is too large", place, text);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw bad_input("{}: \"{}\": expected a whole number", place, text);
  }
  return value;
}

void check(const Shape& shape, const std::string& place) {
  for (const auto& [name, size] : {std::pair{"m", shape.m}, {"n", shape.n}, {"k", shape.k}}) {
    if (size < 0) throw bad_input("{}: {} = {}: expected 0 or more", place, name, size);
    if (size > largest_size)
      throw bad_input("{}: {} = {}: expected less than 2^31", place, name, size);
  }
  const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
             k = static_cast<double>(shape.k);
  const double bytes = 4 * (m * k + k * n + m * n);
  if (bytes > largest_operands) {
    throw bad_input("{}: A, B and C of {} x {} x {} take {:.0f} GiB: expected at most 16", place,
                    shape.m, shape.n, shape.k, bytes / (1 << 30));
  }
}

std::vector<Shape> parse_rows(const Json& rows, const std::string& place) {
  if (!rows.is_array()) throw bad_input("{}: expected a list of shapes", place);
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string at = fmt::format("{}/{}", place, i);
    if (!rows[i].is_object()) throw bad_input("{}: expected an object with m, n and k", at);
    Shape shape;
    for (const auto& [key, target] : {std::pair{"m", &shape.m}, {"n", &shape.n}, {"k", &shape.k}}) {
      const auto value = rows[i].find(key);
      if (value == rows[i].end()) throw bad_input("{}: {} is missing", at, key);
      if (value->is_number_unsigned() &&
          value->get<std::uint64_t>() > static_cast<std::uint64_t>(largest_size)) {
        throw bad_input("{}/{}: {}: expected less than 2^31", at, key, value->dump());
      }
      if (!value->is_number_integer())
        throw bad_input("{}/{}: {}: expected a whole number", at, key, value->dump());
      *target = *value;
    }
    const auto label = rows[i].find("label"), name = rows[i].find("name");
    const auto text = [](const Json& value) {
      return value.is_string() ? value.get<std::string>() : value.dump();
    };
    shape.name = label != rows[i].end()  ? text(*label)
                 : name != rows[i].end() ? text(*name)
                                         : std::to_string(i + 1);
    check(shape, at);
    shapes.push_back(shape);
  }
  if (shapes.empty()) throw bad_input("{}: holds no shape", place);
  return shapes;
}

std::vector<Shape> parse_table(const std::filesystem::path& file) {
  std::istringstream in(read_file(file));
  std::vector<Shape> shapes;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string place = fmt::format("{}:{}", file.string(), number);
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // byte order mark
    line = line.substr(0, line.find('#'));
    for (char& c : line) {
      if (c == ',' || c == ';' || c == '\t' || c == '\r') c = ' ';
    }
    std::istringstream words(line);
    std::vector<std::string> cells;
    for (std::string word; words >> word;) cells.push_back(word);
    if (cells.empty()) continue;
    if (number == 1 && cells.size() >= 4 && cells[1] == "m") continue;  // a heading
    if (cells.size() < 4 || cells.size() > 5) {
      throw bad_input(
          "{}: expected \"name m n k\" (and at most an operation count behind it), found {} words",
          place, cells.size());
    }
    const Shape shape{cells[0], parse_size(cells[1], place), parse_size(cells[2], place),
                      parse_size(cells[3], place)};
    check(shape, place);
    shapes.push_back(shape);
  }
  if (shapes.empty()) throw bad_input("{}: holds no shape", file.string());
  return shapes;
}

}  // namespace

std::vector<std::string> shape_sets(const std::filesystem::path& root) {
  std::vector<std::string> names;
  const Json document = read_json(root / "bench/shapes.json");
  for (const auto& [name, set] : document["sets"].items()) names.push_back(name);
  return names;
}

std::vector<Shape> find_shapes(const std::filesystem::path& root, const std::string& what) {
  static const std::regex three(R"(\s*(-?[^,\s]+)\s*,\s*(-?[^,\s]+)\s*,\s*(-?[^,\s]+)\s*)");
  std::smatch part;
  if (std::regex_match(what, part, three)) {
    const Shape shape{what, parse_size(part[1], "--shapes"), parse_size(part[2], "--shapes"),
                      parse_size(part[3], "--shapes")};
    check(shape, "--shapes");
    return {shape};
  }
  const auto file = root / "bench/shapes.json";
  const Json own = read_json(file);
  if (own["sets"].contains(what)) {
    return parse_rows(own["sets"][what]["rows"],
                      fmt::format("{}: /sets/{}/rows", file.string(), what));
  }
  const std::filesystem::path path(what);
  if (path.extension() == ".json") {
    const Json document = read_json(path);
    if (document.is_array()) return parse_rows(document, what + ": ");
    if (document.is_object() && document.contains("rows"))
      return parse_rows(document["rows"], what + ": /rows");
    if (document.is_object() && document.contains("sets") && document["sets"].is_object()) {
      std::vector<Shape> all;
      for (const auto& [name, set] : document["sets"].items()) {
        const std::string place = fmt::format("{}: /sets/{}/rows", what, name);
        const auto rows =
            parse_rows(set.is_object() && set.contains("rows") ? set["rows"] : Json(), place);
        all.insert(all.end(), rows.begin(), rows.end());
      }
      if (!all.empty()) return all;
    }
    throw bad_input("{}: /: expected \"rows\", a list of shapes", what);
  }
  if (std::filesystem::exists(path)) return parse_table(path);
  throw bad_input("--shapes: \"{}\": expected a set ({}), a file, or m,n,k", what,
                  fmt::join(shape_sets(root), ", "));
}

}  // namespace quern::bench
