#include "boards/calibrate.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "boards/session.h"
#include "boards/timing/calibration/loop_shapes.h"
#include "boards/timing/calibration/micro_benchmarks.h"
#include "boards/toolchain/compiler.h"

namespace quern::boards {
namespace {

std::vector<timing::Measurement> measure(const Board& board, const std::string& via,
                                         const std::filesystem::path& program, std::string* word) {
  Session session(board, via);
  Program run;
  run.binary = program;
  run.time_limit = std::chrono::minutes(10);
  const auto bytes = [&](std::size_t level) {
    return std::to_string(board.caches.at(level).bytes);
  };
  const auto sets = [&](std::size_t level) {
    return std::to_string(board.caches.at(level).sets());
  };
  run.arguments = {"--clock-hz", fmt::format("{}", board.clock_hz),
                   "--l1",       bytes(0),
                   "--l1-sets",  sets(0),
                   "--l2",       bytes(1),
                   "--l2-sets",  sets(1),
                   "--line",     std::to_string(board.caches.at(0).line)};
  const RunResult result = session.run(run).result;
  if (result.outcome != Outcome::ok)
    throw make_error(ExitCode::unavailable, "calibration program on {} via {}: {}: {}", board.name,
                     session.via(), to_string(result.outcome), result.reason);
  if (word) *word = to_string(session.timing());
  return timing::parse_measurements(result.output);
}

}  // namespace

timing::Calibration calibrate(const Board& board, const std::string& via, const Json& start,
                              const std::filesystem::path& root, const std::filesystem::path& build,
                              const std::filesystem::path& output) {
  if (board.caches.size() < 2)
    throw bad_input("{}: /caches: calibration needs caches of level 1 and 2", board.file.string());
  const auto before = timing::load_parameters(start, board.file.string());  // the starting point
  if (before.memory.l1.line_bytes != static_cast<int>(calibration::line_bytes))
    throw bad_input("{}: /caches: lines of {} bytes; the calibration's loops are written for {}",
                    board.file.string(), before.memory.l1.line_bytes, calibration::line_bytes);
  if (before.memory.page_bytes != static_cast<int>(calibration::page_bytes))
    throw bad_input("{}: /timing/memory/page_bytes: {}; the calibration's loops are written for {}",
                    board.file.string(), before.memory.page_bytes, calibration::page_bytes);
  if (board.caches[1].bytes < 4 * board.caches[0].bytes)
    throw bad_input("{}: /caches: calibration needs an L2 of at least four times L1",
                    board.file.string());
  const Compiler compiler(board, root, build);
  const Compiled object = compiler.compile(Unit{"calibration.cpp", timing::calibration_program()});
  if (!object.good)
    throw make_error(ExitCode::check_failed, "the calibration program does not compile:\n{}",
                     object.log);
  const Compiled program = compiler.link("calibration", {object.file});
  if (!program.good)
    throw make_error(ExitCode::check_failed, "the calibration program does not link:\n{}",
                     program.log);

  std::string word;
  const auto measurements = measure(board, via, program.file, &word);
  timing::check_measurements(measurements);
  timing::Calibration calibration = timing::fit(start, measurements, word);
  write_file(output, calibration.board.dump(2) + "\n");

  // The same loops under the fitted model.
  const Board fitted = load_board(root, output.string());
  const auto modelled = measure(fitted, "qemu", program.file, nullptr);
  for (auto& parameter : calibration.parameters)
    for (const auto& m : modelled)
      if (m.name == parameter.name) parameter.modelled = m.cycles;
  for (const auto& parameter : calibration.parameters)
    calibration.worst_residual =
        std::max(calibration.worst_residual, std::abs(parameter.residual()));
  return calibration;
}

}  // namespace quern::boards
