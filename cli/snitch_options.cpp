#include "cli/snitch_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/file.h"
#include "generator/snitch/generate.h"

namespace quern::cli {

using generator::snitch::KernelInfo;
using generator::snitch::Point;

namespace {

int tile_factor(const std::string& option, const std::string& text) {
  if (text.empty()) return 0;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) {
    throw bad_input("{}: \"{}\": expected a whole number of 1 or more", option, text);
  }
  return value;
}

}  // namespace

void add_snitch_options(CLI::App& command, SnitchOptions& options, bool measures) {
  std::string names;
  for (const KernelInfo& kernel : generator::snitch::kernels()) {
    names += (names.empty() ? "" : ", ") + std::string(kernel.name);
  }
  command.add_option("--kernel", options.kernel, names + " (default matmul)")->group(snitch_group);
  command.add_option("--m", options.m, "Rows of the output")->group(snitch_group);
  command.add_option("--n", options.n, "Columns of the output")->group(snitch_group);
  command.add_option("--k", options.k, "Length of the reduction")->group(snitch_group);
  command.add_option("--point", options.point,
                     "A kernel point's id instead of the other options; \"-no-PASS\" at its end "
                     "switches a compiler pass off (streams, replacement, frep, fuse, jam)");
  if (!measures) return;
  command
      .add_option("--simulator", options.simulator,
                  "Run on this program (takes an ELF file) instead of the RTL here")
      ->group(snitch_group);
}

Point snitch_point(const SnitchOptions& options, const PointOptions& tile) {
  if (!options.point.empty()) {
    if (options.kernel || options.m || options.n || options.k || !tile.m_r.empty() ||
        !tile.n_r.empty()) {
      throw bad_input("--point: has all in its id; leave out --kernel, --m, --n, --k, --mr, --nr");
    }
    return generator::snitch::parse_id(options.point);
  }
  Point point;
  point.kernel = generator::snitch::parse_kernel(options.kernel.value_or("matmul"));
  point.type = generator::snitch::parse_type(tile.dtype);
  const KernelInfo& kernel = info(point.kernel);
  const auto size = [&](const char* name, const std::optional<std::int64_t>& given, bool used) {
    if (used && !given) throw bad_input("{}: missing; {} needs it", name, kernel.name);
    if (!used && given) throw bad_input("{}: {} has no such size", name, kernel.name);
    return given.value_or(1);
  };
  point.m = size("--m", options.m, kernel.uses_mn);
  point.n = size("--n", options.n, kernel.uses_mn);
  point.k = size("--k", options.k, kernel.uses_k);
  point.m_r = tile_factor("--mr", tile.m_r);
  point.n_r = tile_factor("--nr", tile.n_r);
  check(point);
  return point;
}

void require_snitch(const boards::Board& board, const std::string& command) {
  if (board.kind != "snitch") {
    throw bad_input("--board: \"{}\" is of kind {}; {} needs one of kind snitch", board.name,
                    board.kind, command);
  }
}

ExitCode run_snitch_generate(Context& context, const boards::Board& board,
                             const SnitchOptions& options, const PointOptions& tile,
                             const std::string& output) {
  const auto kernel = generator::snitch::generate(snitch_point(options, tile));
  if (!output.empty()) {
    write_file(output, kernel.assembly);
    context.say(fmt::format("wrote {} ({})", output, kernel.id));
  }
  if (context.json) {
    context.print_json("quern.generate.v1", {{"id", kernel.id},
                                             {"symbol", kernel.symbol},
                                             {"board", board.name},
                                             {"source", kernel.assembly},
                                             {"file", output},
                                             {"levels",
                                              {{"loop_nests", kernel.loop_nests},
                                               {"streams", kernel.stream_nests},
                                               {"program", kernel.program}}}});
  } else if (output.empty()) {
    fmt::print("{}", kernel.assembly);
  }
  return ExitCode::good;
}

}  // namespace quern::cli
