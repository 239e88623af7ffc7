// quern-snitch-sim PROGRAM.elf: runs a bare-metal program on the RTL of the Snitch core complex.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "boards/snitch/harness/machine.h"

namespace quern::snitch {
namespace {

struct Arguments {
  std::string program, trace, report;
  std::uint64_t max_cycles = RunOptions{}.max_cycles;
  bool json = false, strict = false;
};

// The program's bytes as they are, a line at a time.
void to_stdout(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (text.ends_with('\n')) std::fflush(stdout);
}

int simulate(const Arguments& arguments) {
  const ElfImage image = read_elf(arguments.program);
  RunOptions options;
  options.max_cycles = arguments.max_cycles;
  options.strict = arguments.strict;
  std::ofstream trace;
  if (!arguments.trace.empty()) {
    trace.open(arguments.trace);
    if (!trace) throw bad_input("{}: cannot write the trace", arguments.trace);
    options.trace = [&trace](const std::string& line) { trace << line << '\n'; };
  }
  if (!arguments.json) options.console = to_stdout;
  RunResult result;
  try {
    result = make_single_core()->run(image, options);
  } catch (const Error& e) {
    throw Error(e.code(), fmt::format("{}: {}", arguments.program, e.what()));
  }
  std::fflush(stdout);
  if (!arguments.trace.empty() && !trace.flush())
    throw bad_input("{}: cannot write the trace", arguments.trace);
  const int exit = exit_code(result.end, result.code);
  if (!result.warning.empty())
    fmt::print(stderr, "quern-snitch-sim: {}: warning: {}\n", arguments.program, result.warning);
  nlohmann::json document = {{"schema", "quern.snitch-sim.v1"},
                             {"program", arguments.program},
                             {"end", name(result.end)},
                             {"exit", exit},
                             {"message", result.message},
                             {"warning", result.warning},
                             {"timing", "rtl"},
                             {"cycles", result.cycles},
                             {"instructions", result.instructions},
                             {"fpu_issues", result.fpu_issues}};
  if (arguments.json) document["stdout"] = result.console;
  // A program may print any byte; JSON holds text.
  const std::string text =
      document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (arguments.json) fmt::print("{}", text);
  if (!arguments.report.empty())
    write_file(arguments.report, text);
  else if (!arguments.json && result.end != RunEnd::exited)
    fmt::print(stderr, "quern-snitch-sim: {}: {}: {}\n", arguments.program, name(result.end),
               result.message);
  return exit;
}

}  // namespace
}  // namespace quern::snitch

int main(int argc, char** argv) {
  CLI::App app{
      "Runs a bare-metal RV32 program on the cycle-accurate Snitch core complex.\n"
      "Exit code: the program's own; 124 time-out, 125 deadlock, 132 illegal instruction,\n"
      "133 ebreak or ecall, 135 misaligned, 139 access to nothing; 2 bad input."};
  quern::snitch::Arguments arguments;
  app.add_option("PROGRAM", arguments.program, "ELF file")->required();
  app.add_option("--max-cycles", arguments.max_cycles, "stop after so many cycles")
      ->check(CLI::PositiveNumber);
  app.add_option("--trace", arguments.trace, "write one line an instruction to this file");
  app.add_option("--report", arguments.report, "write how the run ended to this file, as JSON");
  app.add_flag(
      "--strict", arguments.strict,
      "end the run at a load or store where there is no memory; without, one warning, and\n"
      "what is stored there can be loaded");
  app.add_flag("--json", arguments.json, "print one JSON document instead of the console output");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    return quern::snitch::simulate(arguments);
  } catch (const quern::Error& e) {
    fmt::print(stderr, "quern-snitch-sim: {}\n", e.what());
    return static_cast<int>(e.code());
  }
}
