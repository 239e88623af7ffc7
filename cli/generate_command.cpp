// quern generate: the source of one kernel point.
#include <fmt/core.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/point_options.h"
#include "cli/snitch_options.h"

namespace quern::cli {

void add_generate(CLI::App& app, Context& context) {
  struct Options {
    PointOptions point;
    SnitchOptions snitch;
    std::string output;
  };
  auto options = std::make_shared<Options>();
  auto* command = add_subcommand(
      app, context, "generate", "Print the source of one micro-kernel",
      "quern generate --board bpi-f3 --dtype f32 --mr 16 --nr 15 -o kernel.c", [options, &context] {
        const auto board = boards::load_board(context.root, options->point.board);
        if (board.kind == "snitch") {
          return run_snitch_generate(context, board, options->snitch, options->point,
                                     options->output);
        }
        const auto kernel =
            generator::emitter(board.kind).emit(point_of(options->point, board), board.target());
        if (!options->output.empty()) {
          write_file(options->output, kernel.source);
          context.say(fmt::format("wrote {} ({})", options->output, kernel.id));
        }
        if (context.json) {
          context.print_json("quern.generate.v1", {{"id", kernel.id},
                                                   {"symbol", kernel.symbol},
                                                   {"board", board.name},
                                                   {"source", kernel.source},
                                                   {"file", options->output}});
        } else if (options->output.empty()) {
          fmt::print("{}", kernel.source);
        }
        return ExitCode::good;
      });
  add_point_options(*command, options->point, Tiles::one);
  add_snitch_options(*command, options->snitch, false);
  command->add_option("-o,--output", options->output, "Write to this file instead of stdout");
}

}  // namespace quern::cli
