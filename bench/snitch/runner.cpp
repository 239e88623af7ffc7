#include "bench/snitch/runner.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "bench/snitch/program.h"
#include "boards/snitch/interpreter/interpreter.h"

namespace quern::bench::snitch {

using generator::snitch::Generated;
using generator::snitch::Kernel;
using generator::snitch::Passes;
using generator::snitch::Point;

namespace {

constexpr const char* kCompiler = "riscv64-unknown-elf-gcc";

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

void verify_in_interpreter(const std::filesystem::path& elf, const MeasuredProgram& program,
                           Result& result) {
  namespace reference = quern::snitch::interpreter;
  const auto run = reference::interpret(quern::snitch::read_elf(elf), {},
                                        [&](const reference::MemoryReader& read) {
                                          result.max_error = largest_error(program, read);
                                        });
  if (run.outcome != reference::Outcome::exited) {
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

}  // namespace

std::optional<double> Result::fpu_occupancy() const {
  if (!cycles) return std::nullopt;
  return static_cast<double>(fpu_issues) / static_cast<double>(*cycles);
}

std::optional<double> Result::peak_fraction() const {
  if (!cycles) return std::nullopt;
  return static_cast<double>(useful) / (static_cast<double>(*cycles) * peak);
}

std::filesystem::path build_program(const Generated& generated, const std::string& program_assembly,
                                    const Setup& setup) {
  const std::filesystem::path base = setup.build / generated.id;
  const std::filesystem::path source = base.string() + ".S", elf = base.string() + ".elf";
  write_file(source, generated.assembly + "\n# measured program\n" + program_assembly);
  const std::filesystem::path harness = setup.root / "bench/snitch";
  const ProcessResult compiled = run_process(
      {kCompiler, "-march=rv32imafd_zicsr_zifencei", "-mabi=ilp32d", "-nostdlib", "-nostartfiles",
       "-static", "-Wl,--no-relax", "-Wl,--build-id=none", "-T", (harness / "link.ld").string(),
       (setup.root / "boards/snitch/runtime/crt0.S").string(), (harness / "harness.S").string(),
       source.string(), "-o", elf.string()});
  if (!compiled.good()) {
    throw bad_input("{}: {} could not assemble it:\n{}", source.string(), kCompiler,
                    compiled.errors);
  }
  return elf;
}

Result bench(const Point& point, const Setup& setup) {
  const Generated generated = generator::snitch::generate(point);
  const MeasuredProgram program = measured_program(point, generated);
  const std::filesystem::path elf = build_program(generated, program.assembly, setup);
  Result result;
  result.id = generated.id;
  result.freps = generated.freps;
  result.useful = useful_operations(point);
  result.flops = flops(point);
  result.peak = 8.0 / static_cast<double>(size_of(point.type));
  verify_in_interpreter(elf, program, result);
  if (!result.correct || !setup.simulate) return result;

  const Simulated run = setup.simulate(elf);
  const std::optional<Report> report = parse_report(run.console);
  if (!run.ended || !report) {
    result.correct = false;
    result.failure = "simulation: " + (run.message.empty() ? "no report" : run.message);
  } else if (report->checksum != program.checksum) {
    result.correct = false;
    result.failure = fmt::format("simulation: checksum {:#x}, the reference has {:#x}",
                                 report->checksum, program.checksum);
  } else {
    result.cold_cycles = report->cold;
    result.cycles = report->warm;
  }
  return result;
}

std::vector<AblationRow> ablate(const Point& point, const Setup& setup) {
  Passes passes{false, false, false, false, false};
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
  std::vector<AblationRow> rows;
  for (const Step& step : kSteps) {
    if (step.pass != nullptr) passes.*step.pass = true;
    Point with = point;
    with.passes = passes;
    rows.push_back({step.name, passes, bench(with, setup)});
  }
  return rows;
}

}  // namespace quern::bench::snitch
