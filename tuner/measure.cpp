#include "tuner/measure.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/digest.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/statistics.h"
#include "bench/kernel_program.h"
#include "boards/timing/code_quality.h"

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

void take_figures(const Json& line, const boards::Session& session, const boards::RunResult& result,
                  const generator::DTypeInfo& dtype, Record& record) {
  // The tile of a kernel for any VLEN grows with the machine's.
  record.m = line.value("m", record.m);
  record.n = line.value("n", record.n);
  record.max_error = line.value("max_error", 0.0);
  if (!line.value("correct", false)) {
    record.outcome = Outcome::wrong_result;
    record.reason =
        fmt::format("element ({}, {}) of C is wrong in case {}", line.value("wrong_row", -1),
                    line.value("wrong_column", -1), line.value("wrong_case", "?"));
    return;
  }
  record.reason = result.untimed;
  if (line.contains("cycles")) {
    record.cycles = line["cycles"].get<std::vector<double>>();
    record.instructions = median(line["instructions"].get<std::vector<double>>());
    record.unknown_instructions = line["unknown_instructions"];
  } else if (session.timing() == boards::Timing::measured) {
    record.seconds = line["seconds"].get<std::vector<double>>();
  }
  rate(record, session.board().clock_hz, session.board().peak_gflops(dtype.sum_bits),
       dtype.operations());
}

// Why a kernel's code must not be measured; empty if it may, or nothing is known of the board.
class QualityCheck {
 public:
  explicit QualityCheck(const boards::Board& board) {
    if (board.document.contains("timing"))
      parameters_ = timing::load_parameters(board.document, board.file.string());
  }
  std::string operator()(const generator::KernelPoint& point, const generator::Kernel& kernel,
                         const std::filesystem::path& object) {
    if (!parameters_) return {};
    if (object != path_) {  // kernels of a batch share theirs
      file_ = timing::read_elf(object);
      path_ = object;
    }
    const auto* function = file_.find(kernel.symbol);
    if (function == nullptr) return {};
    return timing::poor_code(
        timing::code_quality(*parameters_, file_, *function, bench::fmas_per_k(point)));
  }

 private:
  std::optional<timing::Parameters> parameters_;
  std::filesystem::path path_;
  timing::ElfFile file_;
};

}  // namespace

Json versions(const boards::Session& session, const boards::Compiler& compiler) {
  Json out = {{"quern", QUERN_VERSION},
              {"compiler", compiler.version()},
              {"flags", compiler.flags()},
              {"board_file", digest({read_file(session.board().file)})}};
  if (const auto runner = session.runner(); !runner.empty()) out["emulator"] = runner;
  return out;
}

void measure_kernels(boards::Session& session, const boards::Compiler& compiler,
                     const std::filesystem::path& root,
                     const std::vector<generator::KernelPoint>& points,
                     const MeasureOptions& options, const std::function<void(Record)>& take) {
  // A program holds one type; each point's place in its program.
  std::map<generator::DType, std::vector<generator::KernelPoint>> by_type;
  std::vector<std::size_t> places;
  for (const auto& point : points) {
    places.push_back(by_type[point.dtype].size());
    by_type[point.dtype].push_back(point);
  }
  std::map<generator::DType, bench::KernelProgram> programs;
  for (const auto& [dtype, of_type] : by_type) {
    programs[dtype] = bench::build_kernel_program(compiler, root, session.board(), of_type);
  }
  const Json common_versions = versions(session, compiler);
  QualityCheck poor(session.board());
  for (std::size_t i = 0; i < points.size() && !interrupted(); ++i) {
    const auto& dtype = generator::info(points[i].dtype);
    const bench::KernelProgram& program = programs.at(points[i].dtype);
    const generator::Kernel& source = program.sources[places[i]];
    const boards::Compiled& compiled = program.kernels[places[i]];
    Record record;
    record.time = utc_now();
    record.board = session.board().name;
    record.via = session.via();
    record.timing = boards::to_string(session.timing());
    record.what = "kernel";
    record.id = source.id;
    record.dtype = dtype.name;
    record.m = points[i].m_r;
    record.n = points[i].n_r;
    record.k = options.k_c;
    record.versions = common_versions;
    record.versions["source"] = digest({source.source});
    if (!program.needs.empty()) {
      if (const auto runner = session.runner(program.needs); !runner.empty())
        record.versions["emulator"] = runner;
    }
    if (!compiled.good) {
      record.outcome = compiled.timed_out ? Outcome::compile_timeout : Outcome::compile_failed;
      record.reason = compiled.log;
      take(record);
      continue;
    }
    if (!options.allow_poor) {
      record.reason = poor(points[i], source, compiled.file);
      if (!record.reason.empty()) {
        record.outcome = Outcome::poor_code;
        take(record);
        continue;
      }
    }
    boards::Program run{
        program.program,
        {"--id", record.id, "--k", std::to_string(options.k_c), "--warmup",
         std::to_string(options.warmup), "--samples", std::to_string(options.samples), "--repeat",
         std::to_string(options.repeat)}};
    run.time_limit = options.time_limit;
    run.needs = program.needs;
    const boards::RunResult result = session.run(run).result;
    const Json line = first_json_line(result.output);
    if (!line.is_null()) {
      take_figures(line, session, result, dtype, record);
    } else {
      record.outcome = result.outcome == boards::Outcome::ok ? Outcome::crash : outcome_of(result);
      record.reason = result.reason.empty() ? "the bench program printed nothing" : result.reason;
    }
    take(record);
  }
}

}  // namespace quern::tuner
