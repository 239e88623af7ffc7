#include "tuner/measure.h"

#include <fmt/format.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/statistics.h"
#include "bench/kernel_program.h"

namespace quern::tuner {
namespace {

// The first line of a program's output that is a JSON object; null if there is none.
Json first_json_line(const std::string& output) {
  for (std::size_t at = 0; at < output.size();) {
    const auto end = std::min(output.find('\n', at), output.size());
    if (output[at] == '{') {
      Json line = Json::parse(output.substr(at, end - at), nullptr, false);
      if (!line.is_discarded()) return line;
    }
    at = end + 1;
  }
  return nullptr;
}

void take_figures(const Json& line, const boards::Session& session, int element_bits,
                  Record& record) {
  record.max_error = line.value("max_error", 0.0);
  if (!line.value("correct", false)) {
    record.outcome = Outcome::wrong_result;
    record.reason = fmt::format("element ({}, {}) of C is wrong", line.value("wrong_row", -1),
                                line.value("wrong_column", -1));
    return;
  }
  if (line.contains("cycles")) {
    record.cycles = line["cycles"].get<std::vector<double>>();
    record.instructions = median(line["instructions"].get<std::vector<double>>());
    record.unknown_instructions = line["unknown_instructions"];
  } else if (session.timing() == boards::Timing::measured) {
    record.seconds = line["seconds"].get<std::vector<double>>();
  }
  rate(record, session.board().clock_hz, session.board().peak_gflops(element_bits));
}

}  // namespace

Json versions(const boards::Session& session, const boards::Compiler& compiler) {
  Json out = {{"quern", QUERN_VERSION},
              {"compiler", compiler.version()},
              {"flags", compiler.flags()},
              {"board_file", digest({read_file(session.board().file)})}};
  // The transport says what is missing when it runs something; records need not.
  if (session.via() == "qemu" && find_program(compiler.toolchain().emulator)) {
    const auto told = run_process({compiler.toolchain().emulator, "--version"});
    out["emulator"] = told.output.substr(0, told.output.find('\n'));
  }
  return out;
}

void measure_kernels(boards::Session& session, const boards::Compiler& compiler,
                     const std::filesystem::path& root,
                     const std::vector<generator::KernelPoint>& points,
                     const MeasureOptions& options, const std::function<void(Record)>& take) {
  const bench::KernelProgram program =
      bench::build_kernel_program(compiler, root, session.board(), points);
  const Json common_versions = versions(session, compiler);
  for (std::size_t i = 0; i < points.size() && !interrupted(); ++i) {
    const auto& dtype = generator::info(points[i].dtype);
    Record record;
    record.time = utc_now();
    record.board = session.board().name;
    record.via = session.via();
    record.timing = boards::to_string(session.timing());
    record.what = "kernel";
    record.id = program.sources[i].id;
    record.dtype = dtype.name;
    record.m = points[i].m_r;
    record.n = points[i].n_r;
    record.k = options.k_c;
    record.versions = common_versions;
    record.versions["source"] = digest({program.sources[i].source});
    if (!program.kernels[i].good) {
      record.outcome =
          program.kernels[i].timed_out ? Outcome::compile_timeout : Outcome::compile_failed;
      record.reason = program.kernels[i].log;
      take(record);
      continue;
    }
    boards::Program run{
        program.program,
        {"--id", record.id, "--k", std::to_string(options.k_c), "--warmup",
         std::to_string(options.warmup), "--samples", std::to_string(options.samples), "--repeat",
         std::to_string(options.repeat)}};
    run.time_limit = options.time_limit;
    const boards::RunResult result = session.run(run).result;
    const Json line = first_json_line(result.output);
    if (!line.is_null()) {
      take_figures(line, session, dtype.sum_bits, record);
    } else {
      record.outcome = result.outcome == boards::Outcome::ok ? Outcome::crash : outcome_of(result);
      record.reason = result.reason.empty() ? "the bench program printed nothing" : result.reason;
    }
    take(record);
  }
}

}  // namespace quern::tuner
