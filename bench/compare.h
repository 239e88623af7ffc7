// Whole GEMMs of Quern beside those of other libraries: same operands, packing included, every
// result verified before its time counts, our tile chosen by the shipped dispatch.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/kernel_set.h"
#include "bench/shapes.h"
#include "boards/session.h"
#include "boards/toolchain/compiler.h"

namespace quern::bench {

inline constexpr const char* known_peers[] = {"openblas", "blis", "eigen"};

struct CompareOptions {
  std::vector<std::string> peers = {"openblas"};
  bool trans_a = false, trans_b = false;
  // On silicon: enough pairs for a confidence interval. Under a model one sample says all.
  int samples = 0;                          // 0: 1 if modelled, 11 if measured
  std::optional<double> seconds_per_shape;  // time limit; default: by the size of the problem
};

// One contestant's part of a row.
struct Figure {
  bool correct = false;
  double max_error = 0;
  std::vector<double> cycles;   // samples, where a model counts them
  std::vector<double> seconds;  // samples of a real clock
  double instructions = 0;
  std::uint64_t unknown_instructions = 0;
  std::optional<double> gflops;  // median
};

struct CompareRow {
  Shape shape;
  boards::Outcome outcome =
      boards::Outcome::unavailable;  // of the run; figures are there only if it is ok
  std::string reason;
  std::string id;  // our kernel point
  gemm::Blocking blocking;
  std::map<std::string, Figure> figures;        // "quern" and the peers
  std::map<std::string, std::string> versions;  // peer -> what it says it is
  bool correct() const;                         // all contestants were right
};

struct Comparison {
  std::vector<CompareRow> rows;  // in the order of the shapes
  // What each peer says it is; the same in every row.
  std::map<std::string, std::string> versions() const;
};

// Runs all shapes, as many at a time as the host has processors where time is modelled, one at a
// time on silicon. `progress` is told of each finished row. Ends early, with the rows that are
// done, when interrupted.
Comparison compare(boards::Session& session, const boards::Compiler& compiler,
                   const std::filesystem::path& root, const KernelSet& set,
                   const std::vector<Shape>& shapes, const CompareOptions& options,
                   const std::function<void(const CompareRow&)>& progress);

// Ratio of our GFLOPS to the peer's, with a 95 % interval from a bootstrap over paired samples
// (both ends equal the ratio where there is one sample).
struct Ratio {
  double value, low, high;
};
std::optional<Ratio> ratio(const CompareRow& row, const std::string& peer);

// Geometric mean over the rows that have a ratio.
std::optional<double> geomean_ratio(const Comparison& comparison, const std::string& peer);

}  // namespace quern::bench
