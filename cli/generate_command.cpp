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
    bool family = false;
    const CLI::App* command = nullptr;
  };
  auto options = std::make_shared<Options>();
  auto* command = add_subcommand(
      app, context, "generate", "Print the source of one micro-kernel",
      "quern generate --board bpi-f3 --dtype f32 --mr 16 --nr 15 -o kernel.c", [options, &context] {
        const auto board = boards::load_board(context.root, options->point.board);
        refuse_foreign_options(*options->command, board);
        if (board.kind == "snitch") {
          return run_snitch_generate(context, board, options->snitch, options->point,
                                     options->output);
        }
        const auto& emitter = generator::emitter(board.kind);
        const auto point = options->snitch.point.empty()
                               ? point_of(options->point, board)
                               : point_named(options->snitch.point, options->point, board);
        if (options->family) {
          if (options->output.empty()) throw bad_input("--family: name the folder with -o");
          Json files = Json::array();
          for (const auto& edge : emitter.family_of(point).points) {
            const auto kernel = emitter.emit(edge, board.target());
            const auto file =
                std::filesystem::path(options->output) / (kernel.id + kernel.extension);
            write_file(file, kernel.source);
            files.push_back(file.string());
          }
          context.say(fmt::format("wrote {} kernels to {}", files.size(), options->output));
          if (context.json) {
            context.print_json(
                "quern.generate.v1",
                {{"id", emitter.id(point)}, {"board", board.name}, {"files", files}});
          }
          return ExitCode::good;
        }
        const auto kernel = emitter.emit(point, board.target());
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
  options->command = command;
  add_point_options(*command, options->point, Tiles::one);
  add_snitch_options(*command, options->snitch, false);
  command->add_option("-o,--output", options->output, "Write to this file instead of stdout");
  command
      ->add_flag("--family", options->family,
                 "All kernels that cover the tile and its edges, into the folder -o")
      ->group(rvv_group);
}

}  // namespace quern::cli
