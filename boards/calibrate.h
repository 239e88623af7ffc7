// Calibration of a board's timing model, end to end, through any transport.
//
//   micro-benchmarks --compiler--> program --transport--> measurements --fit--> board file
//                                     '---- qemu with the new board file ---> residuals
//
// The residual of a loop is what the fitted model says of it against what the board said.
#pragma once

#include <filesystem>
#include <string>

#include "boards/board.h"
#include "boards/timing/calibration/fit.h"

namespace quern::boards {

// Calibrates and writes the new board file to `output` (whole or not at all). `start` is the board
// file whose values stay where no loop measures them (usually the board's own). `root` and `build`
// as everywhere. Throws unavailable if the board cannot run the program, check_failed if it does
// not compile.
timing::Calibration calibrate(const Board& board, const std::string& via, const Json& start,
                              const std::filesystem::path& root, const std::filesystem::path& build,
                              const std::filesystem::path& output);

}  // namespace quern::boards
