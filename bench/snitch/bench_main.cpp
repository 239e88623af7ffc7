// quern-snitch-bench: one kernel or one ablation from the command line, until and beside `quern
// bench`.
//
//   quern-snitch-bench ID...                 one line a point
//   quern-snitch-bench --ablate ID           one line a compiler step
//   quern-snitch-bench --print ID            all levels and the assembly
#include <fmt/core.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "bench/snitch/runner.h"

namespace {

using namespace quern;
using bench::snitch::Result;

void print_row(const std::string& name, const Result& r) {
  fmt::print(
      "{:<44} {} cold {:>8} warm {:>8} cycles (rtl) occupancy {:>6} peak {:>6} fpu {:>7} ld {:>6} "
      "st {:>6} frep {}{}\n",
      name, r.correct ? "right" : "WRONG", r.cold_cycles.value_or(0), r.cycles.value_or(0),
      r.cycles ? fmt::format("{:.2f}%", 100 * *r.fpu_occupancy()) : "-",
      r.cycles ? fmt::format("{:.2f}%", 100 * *r.peak_fraction()) : "-", r.fpu_issues, r.loads,
      r.stores, r.freps, r.failure.empty() ? "" : "  " + r.failure);
}

}  // namespace

int main(int argc, char** argv) {
  bench::snitch::Setup setup;
  setup.root = QUERN_SOURCE_DIR;
  setup.build = "/tmp/quern-snitch-bench";
  setup.simulate = bench::snitch::rtl_simulator();
  bool all_right = true, ablate = false, print = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--ablate") {
      ablate = true;
    } else if (argument == "--print") {
      print = true;
    } else if (argument == "--no-rtl") {
      setup.simulate = nullptr;
    } else {
      try {
        const auto point = generator::snitch::parse_id(argument);
        if (print) {
          const auto g = generator::snitch::generate(point);
          for (const auto& text : g.loop_nests) fmt::print("{}\n", text);
          for (const auto& text : g.stream_nests) fmt::print("{}\n", text);
          fmt::print("{}\n{}", g.program, g.assembly);
        } else if (ablate) {
          for (const auto& row : bench::snitch::ablate(point, setup)) {
            print_row(row.step, row.result);
            all_right &= row.result.correct;
          }
        } else {
          const Result result = bench::snitch::bench(point, setup);
          print_row(argument, result);
          all_right &= result.correct;
        }
      } catch (const Error& error) {
        fmt::print("{:<44} refused: {}\n", argument, error.what());
        all_right = false;
      }
      std::fflush(stdout);
    }
  }
  return all_right ? 0 : 1;
}
