#include "tuner/snitch/measure.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "bench/snitch/assembler.h"

namespace quern::tuner::snitch {

using bench::snitch::Result;
using generator::snitch::Point;

namespace {

Outcome outcome_of(const Result& result) {
  if (!result.assembled) return Outcome::compile_failed;
  if (result.correct) return Outcome::ok;
  if (result.outcome == boards::Outcome::ok) return Outcome::wrong_result;
  boards::RunResult run;
  run.outcome = result.outcome;
  return tuner::outcome_of(run);
}

Json versions(const boards::Session& session) {
  Json out = {{"quern", QUERN_VERSION},
              {"compiler", bench::snitch::assembler_version()},
              {"flags", bench::snitch::assembler_flags()},
              {"board_file", digest({read_file(session.board().file)})}};
  if (const auto runner = session.runner(); !runner.empty()) out["emulator"] = runner;
  return out;
}

Record record_of(const boards::Session& session, const Point& point, const Result& result) {
  Record record;
  record.time = utc_now();
  record.board = session.board().name;
  record.via = session.via();
  record.timing = boards::to_string(session.timing());
  record.what = "kernel";
  record.id = result.id;
  record.dtype = name_of(point.type);
  record.m = point.m;
  record.n = point.n;
  record.k = point.k;
  record.outcome = outcome_of(result);
  record.reason = result.failure;
  record.max_error = result.max_error;
  if (!result.cycles) return record;
  const auto cycles = static_cast<double>(*result.cycles);
  record.cycles = {cycles};
  record.instructions = static_cast<double>(result.instructions);
  if (result.flops > 0)
    record.gflops = static_cast<double>(result.flops) / cycles * session.board().clock_hz / 1e9;
  record.peak_fraction = result.peak_fraction();
  record.fpu_occupancy = result.fpu_occupancy();
  return record;
}

}  // namespace

void measure_kernels(boards::Session& session, const std::filesystem::path& root,
                     const std::filesystem::path& build, const std::vector<Point>& points,
                     std::chrono::milliseconds time_limit,
                     const std::function<void(const Measurement&)>& take) {
  const Json common_versions = versions(session);
  const bench::snitch::Setup setup{root, build / "snitch", [&](const std::filesystem::path& elf) {
                                     boards::Program program{elf};
                                     program.time_limit = time_limit;
                                     return session.run(program).result;
                                   }};
  bool any = false;
  for (const Point& point : points) {
    if (interrupted()) return;
    Result result;
    try {
      result = bench::snitch::bench(point, setup);
    } catch (const Error& error) {
      // The assembler was stopped: what was measured before is kept and shown.
      if (any && error.code() == ExitCode::interrupted) return;
      throw;
    }
    any = true;
    Record record = record_of(session, point, result);
    record.versions = common_versions;
    record.versions["source"] = result.source;
    take({result, record});
    if (record.outcome == Outcome::board_lost) return;
  }
}

}  // namespace quern::tuner::snitch
