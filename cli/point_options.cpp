#include "cli/point_options.h"

#include <fmt/ranges.h>

#include <charconv>
#include <set>

namespace quern::cli {
namespace {

int parse_positive(const std::string& option, const std::string& text) {
  if (text.empty()) throw bad_input("{} is missing: expected a whole number of 1 or more", option);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) {
    throw bad_input("{}: \"{}\": expected a whole number of 1 or more", option, text);
  }
  return value;
}

}  // namespace

void add_point_options(CLI::App& command, PointOptions& options, Tiles tiles) {
  command.add_option("--board", options.board, "Board name or board file")->required();
  std::vector<std::string_view> dtypes;
  for (const auto& info : generator::dtypes) dtypes.push_back(info.name);
  command
      .add_option("--dtype", options.dtype,
                  fmt::format("Element type [{}]", fmt::join(dtypes, ", ")))
      ->capture_default_str();
  // One tile is asked for by point_of: a board may choose it itself.
  auto* m_r = command.add_option("--mr", options.m_r, "Rows of the micro-tile");
  auto* n_r = command.add_option("--nr", options.n_r, "Columns of the micro-tile");
  if (tiles == Tiles::range) {
    m_r->default_str("1:32")->type_name("A[:B]");
    n_r->default_str("1:32")->type_name("A[:B]");
  }
  std::set<std::string> added;
  for (const generator::Emitter* emitter : generator::emitters()) {
    for (const generator::Parameter& parameter : emitter->parameters({})) {
      // What the board fixes (its VLEN) is no option.
      if (parameter.fixed_by_target || !added.insert(parameter.name).second) continue;
      command
          .add_option_function<std::string>(
              "--" + parameter.name,
              [&options, name = parameter.name](const std::string& value) {
                options.choices[name] = value;
              },
              fmt::format("{} [{}]", parameter.meaning, fmt::join(parameter.values, ", ")))
          ->group(rvv_group);
    }
  }
}

void refuse_foreign_options(const CLI::App& command, const boards::Board& board) {
  bool point = false, dtype = false;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    point |= option->check_name("--point");
    dtype |= option->check_name("--dtype");
    for (const auto& [group, kind] :
         {std::pair{rvv_group, "rvv"}, std::pair{snitch_group, "snitch"}}) {
      if (option->get_group() == group && board.kind != kind) {
        throw bad_input("{}: for boards of kind {}; \"{}\" is of kind {}", option->get_name(), kind,
                        board.name, board.kind);
      }
    }
  }
  if (point && dtype) throw bad_input("--point: has the type in its id; leave out --dtype");
}

generator::Range parse_range(const std::string& option, const std::string& text) {
  if (text.empty()) return {};
  const auto colon = text.find(':');
  if (colon == std::string::npos) {
    const int value = parse_positive(option, text);
    return {value, value};
  }
  const generator::Range range{parse_positive(option, text.substr(0, colon)),
                               parse_positive(option, text.substr(colon + 1))};
  if (range.last < range.first) throw bad_input("{}: \"{}\": the range is empty", option, text);
  if (range.last > 1024) throw bad_input("{}: \"{}\": expected at most 1024", option, text);
  return range;
}

generator::DType dtype_of(const PointOptions& options) {
  if (const auto dtype = generator::parse_dtype(options.dtype)) return *dtype;
  std::vector<std::string_view> known;
  for (const auto& info : generator::dtypes) known.push_back(info.name);
  throw bad_input("--dtype: \"{}\": expected one of {}", options.dtype, fmt::join(known, ", "));
}

generator::KernelPoint point_of(const PointOptions& options, const boards::Board& board) {
  const generator::Emitter& emitter = generator::emitter(board.kind);
  const auto point =
      emitter.complete({board.kind, dtype_of(options), parse_positive("--mr", options.m_r),
                        parse_positive("--nr", options.n_r), options.choices},
                       board.target());
  if (const auto broken = emitter.violations(point, board.target()); !broken.empty()) {
    throw bad_input("{}: not valid on {} ({}): {}", emitter.id(point), board.name,
                    broken.front().constraint, broken.front().reason);
  }
  return point;
}

generator::KernelPoint point_named(const std::string& id, const PointOptions& options,
                                   const boards::Board& board) {
  if (!options.m_r.empty() || !options.n_r.empty() || !options.choices.empty())
    throw bad_input("--point: names the whole kernel; --mr, --nr and the choices go without it");
  const generator::Emitter& emitter = generator::emitter(board.kind);
  const auto point = emitter.parse_id(id);
  if (const auto broken = emitter.violations(point, board.target()); !broken.empty()) {
    throw bad_input("{}: not valid on {} ({}): {}", id, board.name, broken.front().constraint,
                    broken.front().reason);
  }
  return point;
}

generator::Space space_of(const PointOptions& options, const boards::Board& board) {
  return generator::enumerate_space(generator::emitter(board.kind), board.target(),
                                    dtype_of(options), parse_range("--mr", options.m_r),
                                    parse_range("--nr", options.n_r), options.choices);
}

std::map<std::string, std::string> held_choices(const PointOptions& options,
                                                const boards::Board& board) {
  std::map<std::string, std::string> out;
  for (const auto& parameter : generator::emitter(board.kind).parameters(board.target())) {
    if (!parameter.varied && !options.choices.contains(parameter.name))
      out[parameter.name] = parameter.values.front();
  }
  return out;
}

}  // namespace quern::cli
