#include "bench/snitch/runner.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <sstream>

#include "base/digest.h"
#include "base/error.h"
#include "bench/snitch/assembler.h"
#include "bench/snitch/program.h"
#include "boards/snitch/interpreter/interpreter.h"

namespace quern::bench::snitch {

using generator::snitch::Generated;
using generator::snitch::Kernel;
using generator::snitch::Passes;
using generator::snitch::Point;

namespace {

struct Report {
  std::uint64_t cold, warm;
  std::uint32_t checksum;
};

std::optional<Report> parse_report(const std::string& console) {
  const std::size_t at = console.find("RESULT ");
  if (at == std::string::npos) return std::nullopt;
  std::istringstream text(console.substr(at + 7));
  Report report{};
  if (!(text >> report.cold >> report.warm >> report.checksum)) return std::nullopt;
  return report;
}

std::uint64_t useful_operations(const Point& p) {
  const auto mn = static_cast<std::uint64_t>(p.m * p.n), k = static_cast<std::uint64_t>(p.k);
  switch (p.kernel) {
    case Kernel::fill:
    case Kernel::sum:
    case Kernel::relu:
    case Kernel::axpy:
      return mn;
    case Kernel::dot:
      return k;
    case Kernel::conv3x3:
    case Kernel::max_pool3x3:
    case Kernel::sum_pool3x3:
      return 9 * mn;
    default:
      return mn * k;
  }
}

std::uint64_t flops(const Point& p) {
  const auto mn = static_cast<std::uint64_t>(p.m * p.n), k = static_cast<std::uint64_t>(p.k);
  switch (p.kernel) {
    case Kernel::fill:
      return 0;
    case Kernel::sum:
    case Kernel::relu:
      return mn;
    case Kernel::axpy:
      return 2 * mn;
    case Kernel::dot:
      return 2 * k;
    case Kernel::conv3x3:
      return 18 * mn;
    case Kernel::max_pool3x3:
    case Kernel::sum_pool3x3:
      return 8 * mn;
    case Kernel::dense:
      return 2 * mn * k + 2 * mn;
    default:
      return 2 * mn * k;
  }
}

// The end of what a simulator printed, on one line.
std::string what_it_said(const boards::RunResult& run) {
  std::string said = run.errors.empty() ? run.output : run.errors;
  while (!said.empty() && std::isspace(static_cast<unsigned char>(said.back()))) said.pop_back();
  if (said.empty()) return "it printed nothing";
  constexpr std::size_t kMost = 200;
  const bool cut = said.size() > kMost;
  if (cut) said.erase(0, said.size() - kMost);
  for (char& c : said) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return fmt::format("it printed \"{}{}\"", cut ? "..." : "", said);
}

double largest_error(const MeasuredProgram& program,
                     const quern::snitch::interpreter::MemoryReader& read) {
  double largest = 0;
  for (const PlacedOperand& operand : program.operands) {
    if (!operand.output) continue;
    const auto size = static_cast<std::uint32_t>(size_of(operand.type));
    for (std::uint32_t i = 0; i < operand.elements; ++i) {
      std::uint64_t bits = 0;
      for (std::uint32_t byte = 0; byte < size; ++byte) {
        bits |= std::uint64_t{read(operand.address + i * size + byte)} << (8 * byte);
      }
      const double error = std::fabs(value_of(operand.type, bits) - program.output[i]);
      if (!(error <= largest)) largest = error;  // a NaN stays
      if (std::isnan(largest)) return largest;
    }
  }
  return largest;
}

boards::Outcome outcome_of(quern::snitch::interpreter::Outcome outcome) {
  using quern::snitch::interpreter::Outcome;
  switch (outcome) {
    case Outcome::exited:
      return boards::Outcome::ok;
    case Outcome::illegal_instruction:
      return boards::Outcome::illegal_instruction;
    case Outcome::timeout:
      return boards::Outcome::timeout;
    default:
      return boards::Outcome::crash;  // misaligned, bad address, misused stream or sequencer
  }
}

void verify_in_interpreter(const std::filesystem::path& elf, const MeasuredProgram& program,
                           Result& result) {
  namespace reference = quern::snitch::interpreter;
  const auto run = reference::interpret(quern::snitch::read_elf(elf), {},
                                        [&](const reference::MemoryReader& read) {
                                          result.max_error = largest_error(program, read);
                                        });
  if (run.outcome != reference::Outcome::exited) {
    result.outcome = outcome_of(run.outcome);
    result.failure = "interpreter: " + run.message;
    return;
  }
  const std::optional<Report> report = parse_report(run.console);
  if (!report || report->checksum != program.checksum) {
    result.failure = fmt::format(
        "interpreter: the output differs from the reference by up to {} "
        "(checksum {:#x}, expected {:#x})",
        *result.max_error, report ? report->checksum : 0, program.checksum);
    return;
  }
  if (run.stream_leftover != 0) {
    result.failure =
        fmt::format("interpreter: {} stream elements are left over", run.stream_leftover);
    return;
  }
  QUERN_CHECK(run.at_mcycle.size() == 4);
  const auto call = run.at_mcycle[3] - run.at_mcycle[2];
  // Between the two reads stand the first of them, the jump to the kernel and the fence behind it.
  constexpr std::uint64_t kFenceFpu = 1, kStub = 4;
  result.fpu_issues = call.fpu - kFenceFpu;
  result.loads = call.loads;
  result.stores = call.stores;
  result.instructions = call.instructions - kStub;
  result.correct = true;
}

// What is not as it should be counts against whoever ran the program: the interpreter has seen it
// end with its report.
void simulate(const std::filesystem::path& elf, const MeasuredProgram& program, const Setup& setup,
              Result& result) {
  const boards::RunResult run = setup.simulate(elf);
  // The exit code of an external simulator is its own affair; that the program got to its end shows
  // in its report.
  const bool ended =
      run.outcome == boards::Outcome::ok || run.outcome == boards::Outcome::nonzero_exit;
  const std::optional<Report> report = parse_report(run.output);
  if (!ended) {
    result.outcome = run.outcome;
    result.failure = "simulation: " + run.reason;
  } else if (!report || report->warm == 0) {
    result.outcome = boards::Outcome::unavailable;
    result.failure = fmt::format(
        "simulation: the simulator ended with exit code {} and without the program's report, a "
        "line \"RESULT COLD WARM CHECKSUM\" in cycles; {}",
        run.status, what_it_said(run));
  } else if (report->checksum != program.checksum) {
    result.failure = fmt::format("simulation: checksum {:#x}, the reference has {:#x}",
                                 report->checksum, program.checksum);
  } else {
    result.cold_cycles = report->cold;
    result.cycles = report->warm;
    result.correct = true;
  }
}

}  // namespace

std::optional<double> Result::fpu_occupancy() const {
  if (!cycles) return std::nullopt;
  return static_cast<double>(fpu_issues) / static_cast<double>(*cycles);
}

std::optional<double> Result::peak_fraction() const {
  if (!cycles) return std::nullopt;
  return static_cast<double>(useful) / (static_cast<double>(*cycles) * peak);
}

Result bench(const Point& point, const Setup& setup) {
  const Generated generated = generator::snitch::generate(point);
  const MeasuredProgram program = measured_program(point, generated);
  Result result;
  result.id = generated.id;
  result.source = digest({generated.assembly});
  result.freps = generated.freps;
  result.useful = useful_operations(point);
  result.flops = flops(point);
  result.peak = 8.0 / static_cast<double>(size_of(point.type));
  const boards::Compiled assembled =
      assemble(generated.id, generated.assembly + "\n# measured program\n" + program.assembly,
               setup.root, setup.build);
  result.assembled = assembled.good;
  if (!assembled.good) {
    result.failure = assembled.log;
    return result;
  }
  verify_in_interpreter(assembled.file, program, result);
  if (!result.correct || !setup.simulate) return result;
  result.correct = false;
  simulate(assembled.file, program, setup, result);
  return result;
}

std::vector<AblationStep> ablation(const Point& point) {
  struct Step {
    const char* name;
    bool Passes::*pass;
  };
  constexpr Step kSteps[] = {{"baseline", nullptr},
                             {"+ streams", &Passes::streams},
                             {"+ scalar replacement", &Passes::scalar_replacement},
                             {"+ frep", &Passes::frep},
                             {"+ fuse fill", &Passes::fuse_fill},
                             {"+ unroll and jam", &Passes::unroll_and_jam}};
  std::vector<AblationStep> steps;
  Point with = point;
  with.passes = {false, false, false, false, false};
  for (const Step& step : kSteps) {
    if (step.pass != nullptr) with.passes.*step.pass = true;
    steps.push_back({step.name, with});
  }
  return steps;
}

}  // namespace quern::bench::snitch
