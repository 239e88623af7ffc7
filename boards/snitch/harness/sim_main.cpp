// quern-snitch-sim PROGRAM.elf: runs a bare-metal program on the RTL of the Snitch core complex.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "boards/snitch/harness/machine.h"

namespace quern::snitch {
namespace {

int simulate(const std::string& program, std::uint64_t max_cycles, const std::string& trace_file,
             bool json) {
  const ElfImage image = read_elf(program);
  RunOptions options;
  options.max_cycles = max_cycles;
  std::ofstream trace;
  if (!trace_file.empty()) {
    trace.open(trace_file);
    if (!trace) throw bad_input("{}: cannot write the trace", trace_file);
    options.trace = [&trace](const std::string& line) { trace << line << '\n'; };
  }
  if (!json) {
    options.console = [](const std::string& text) {
      std::fwrite(text.data(), 1, text.size(), stdout);
      std::fflush(stdout);
    };
  }
  const RunResult result = make_single_core()->run(image, options);
  const int exit = exit_code(result.end, result.code);
  if (!result.warning.empty())
    fmt::print(stderr, "quern-snitch-sim: {}: warning: {}\n", program, result.warning);
  if (json) {
    const nlohmann::json document = {{"schema", "quern.snitch-sim.v1"},
                                     {"program", program},
                                     {"end", name(result.end)},
                                     {"exit", exit},
                                     {"message", result.message},
                                     {"warning", result.warning},
                                     {"timing", "rtl"},
                                     {"cycles", result.cycles},
                                     {"instructions", result.instructions},
                                     {"fpu_issues", result.fpu_issues},
                                     {"stdout", result.console}};
    fmt::print("{}\n", document.dump(2));
  } else if (result.end != RunEnd::exited) {
    fmt::print(stderr, "quern-snitch-sim: {}: {}: {}\n", program, name(result.end), result.message);
  }
  return exit;
}

}  // namespace
}  // namespace quern::snitch

int main(int argc, char** argv) {
  CLI::App app{
      "Runs a bare-metal RV32 program on the cycle-accurate Snitch core complex.\n"
      "Exit code: the program's own; 124 time-out, 125 deadlock, 132 illegal instruction,\n"
      "133 ebreak or ecall, 135 misaligned, 139 access to nothing; 2 bad input."};
  std::string program, trace;
  std::uint64_t max_cycles = quern::snitch::RunOptions{}.max_cycles;
  bool json = false;
  app.add_option("PROGRAM", program, "ELF file")->required();
  app.add_option("--max-cycles", max_cycles, "stop after so many cycles")
      ->check(CLI::PositiveNumber);
  app.add_option("--trace", trace, "write one line an instruction to this file");
  app.add_flag("--json", json, "print one JSON document instead of the console output");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    return quern::snitch::simulate(program, max_cycles, trace, json);
  } catch (const quern::Error& e) {
    fmt::print(stderr, "quern-snitch-sim: {}\n", e.what());
    return static_cast<int>(e.code());
  }
}
