// One Snitch kernel from its point to a verified figure:
//
//   point -> assembly -> ELF -> reference interpreter (right result? how many loads, stores, FPU
//   issues?)
//                           \-> cycle-accurate simulation (right result? how many cycles?)
//
// Nothing is timed that the interpreter has not verified.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/snitch/simulators.h"
#include "boards/transports/transport.h"
#include "generator/snitch/generate.h"

namespace quern::bench::snitch {

struct Result {
  std::string id;
  std::string source;                             // digest of the generated assembly
  bool assembled = false;                         // the assembler took it
  boards::Outcome outcome = boards::Outcome::ok;  // how the run ended, the last one that was made
  bool correct = false;             // the output is the reference's, wherever the kernel ran
  std::string failure;              // empty when correct
  std::optional<double> max_error;  // largest difference from the reference, in the interpreter
  std::optional<std::uint64_t> cold_cycles, cycles;  // rtl; nullopt without a simulation
  // Of one call, counted by the interpreter.
  std::uint64_t fpu_issues = 0, loads = 0, stores = 0, instructions = 0;
  int freps = 0;             // in the code
  std::uint64_t useful = 0;  // multiply-accumulates, or elements for elementwise kernels
  std::uint64_t flops = 0;   // floating-point operations, a multiply-accumulate counted as two
  double peak = 1;           // useful operations that the FPU can do in a cycle
  // FPU issues per cycle (as published), and useful operations as a fraction of the peak.
  std::optional<double> fpu_occupancy() const;
  std::optional<double> peak_fraction() const;
};

struct Setup {
  std::filesystem::path root;   // the checkout: bench/snitch/harness.S
  std::filesystem::path build;  // where sources and ELFs go
  Simulate simulate;            // empty: interpreter only
};

// Throws bad_input if there is no such kernel (operands that do not fit ...), tool_missing, and
// interrupted.
Result bench(const generator::snitch::Point& point, const Setup& setup);

// The published ablation: one point a compiler step, what is switched on grows from one to the
// next.
struct AblationStep {
  std::string name;
  generator::snitch::Point point;
};
std::vector<AblationStep> ablation(const generator::snitch::Point& point);

}  // namespace quern::bench::snitch
