// quern space: how many kernel points a board has, and what each constraint removes.
#include <fmt/core.h>

#include "cli/commands.h"
#include "cli/point_options.h"

namespace quern::cli {

void add_space(CLI::App& app, Context& context) {
  auto options = std::make_shared<PointOptions>();
  auto* command = add_subcommand(
      app, context, "space", "Count the kernel points of a board and what each constraint removes",
      "quern space --board bpi-f3 --dtype f32", [options, &context] {
        const auto board = boards::load_board(context.root, options->board);
        const auto space = space_of(*options, board);
        const auto held = held_choices(*options, board);
        if (context.json) {
          context.print_json("quern.space.v1", {{"board", board.name},
                                                {"dtype", options->dtype},
                                                {"points", space.points.size()},
                                                {"rejected", space.rejected},
                                                {"held", held}});
        } else {
          fmt::print("{} {}: {} valid points\n", board.name, options->dtype, space.points.size());
          for (const auto& [constraint, count] : space.rejected) {
            fmt::print("  {:>8} removed by: {}\n", count, constraint);
          }
          for (const auto& [choice, value] : held) {
            fmt::print("  held: --{} {} (vary it with --{} all)\n", choice, value, choice);
          }
        }
        return space.points.empty() ? ExitCode::nothing_valid : ExitCode::good;
      });
  add_point_options(*command, *options, Tiles::range);
}

}  // namespace quern::cli
