// The options that name a Snitch kernel point beside those of point_options.h (--dtype, --mr,
// --nr), and what bench and generate do on boards of that kind.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "boards/board.h"
#include "cli/context.h"
#include "cli/point_options.h"
#include "generator/snitch/point.h"

namespace quern::cli {

struct SnitchOptions {
  std::optional<std::string> kernel;  // matmul unless given
  std::optional<std::int64_t> m, n, k;
  std::string point;      // an id instead of the options above
  std::string simulator;  // of the user, instead of the RTL here
  std::chrono::milliseconds time_limit = std::chrono::hours(1);  // of one simulation, host's clock
  std::string published;  // file with cycles to compare with, instead of one kernel
};

// `measures`: with --simulator.
void add_snitch_options(CLI::App& command, SnitchOptions& options, bool measures);

// Throws bad_input: an option that the kernel does not have, or lacks.
generator::snitch::Point snitch_point(const SnitchOptions& options, const PointOptions& tile);

// The board must be of kind "snitch" (bad_input).
void require_snitch(const boards::Board& board, const std::string& command);

ExitCode run_snitch_bench(Context& context, const boards::Board& board, const std::string& via,
                          const SnitchOptions& options, const PointOptions& tile);
ExitCode run_snitch_generate(Context& context, const boards::Board& board,
                             const SnitchOptions& options, const PointOptions& tile,
                             const std::string& output);

}  // namespace quern::cli
