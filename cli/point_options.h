// The options that name kernel points: --board, --dtype, --mr, --nr and one option for each of the
// emitters' own parameters (--lmul, ...). Shared by generate, predict, bench, space and sweep.
#pragma once

#include <map>
#include <string>

#include "boards/board.h"
#include "cli/context.h"
#include "generator/core/space.h"

namespace quern::cli {

struct PointOptions {
  std::string board;
  std::string dtype = "f32";
  std::string m_r, n_r;                        // "16", or "1:32" where ranges are allowed
  std::map<std::string, std::string> choices;  // emitter parameters given on the command line
};

enum class Tiles { one, range };

// Adds the options. With Tiles::range, --mr and --nr take a:b and default to 1:32.
void add_point_options(CLI::App& command, PointOptions& options, Tiles tiles);

// Options of one kind of board stand in a group of that kind. Throws bad_input if one was given
// that is of another kind than the board, or --dtype beside --point, whose id has the type.
inline constexpr const char* rvv_group = "RVV boards";
inline constexpr const char* snitch_group = "Snitch boards";
void refuse_foreign_options(const CLI::App& command, const boards::Board& board);

// "16" -> {16, 16}, "1:32" -> {1, 32}. Throws bad_input naming the option.
generator::Range parse_range(const std::string& option, const std::string& text);

generator::DType dtype_of(const PointOptions& options);

// The one complete point that the options name on a board. Throws bad_input with the constraint
// that it breaks.
generator::KernelPoint point_of(const PointOptions& options, const boards::Board& board);

// The point with this id (--point), if the board can have it and no other option names a part of
// it.
generator::KernelPoint point_named(const std::string& id, const PointOptions& options,
                                   const boards::Board& board);

// The space that the options name.
generator::Space space_of(const PointOptions& options, const boards::Board& board);

// The choices that the space does not vary since nobody asked for it, and the value that each has.
std::map<std::string, std::string> held_choices(const PointOptions& options,
                                                const boards::Board& board);

}  // namespace quern::cli
