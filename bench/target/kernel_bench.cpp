// Runs micro-kernels of kernel_table alone, on packed panels: verified first, then timed.
//
//   kernel_bench --k K [--id ID] [--warmup W] [--samples S] [--repeat R] [--verify-only]
//                [--case ALONG,K,PAD,ALPHA,ALPHA_I,BETA,BETA_I,FILL,PLACE,SEED ...]
//
// Prints one JSON line a kernel:
// {"id":..,"m":..,"n":..,"k":..,"correct":..,"max_error":..,"bound":..,
// "cycles":[..],"instructions":[..],"seconds":[..]}; each entry of the lists is one sample, divided
// by the `repeat` calls in it. "cycles" is there only when a timing model counts them. Of a wrong
// kernel: "wrong_row", "wrong_column" and "wrong_case", which --case takes (kernel_check.h). With
// --case only the cases given are checked, in place of those of the contract.
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/target/json_line.h"
#include "bench/target/kernel_check.h"
#include "bench/target/stopwatch.h"

namespace {

using namespace quern;

struct Options {
  std::int64_t k = 256;
  std::string id;
  int warmup = 2;  // calls before the first sample: panels and code are then where they will be
  int samples = 3;
  int repeat = 10;  // calls in a sample, so that reading the clock does not count
  bool verify_only = false;
  std::vector<bench::Case> cases;
};

// Bits of this machine's vector registers.
int machine_vlen() {
  long bytes = 0;
#if defined(__riscv_vector)
  __asm__("csrr %0, vlenb" : "=r"(bytes));
#endif
  return static_cast<int>(8 * bytes);
}

// The full tile and the edges: the least and the most that the kernel takes along its vectors, and
// some between.
std::vector<bench::Case> all_cases(const bench::Extent& extent, std::int64_t k) {
  std::vector<std::int64_t> sizes = {extent.full, extent.least, (extent.least + extent.most) / 2,
                                     extent.most};
  std::vector<bench::Case> out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::find(sizes.begin(), sizes.begin() + static_cast<long>(i), sizes[i]) !=
        sizes.begin() + static_cast<long>(i)) {
      continue;
    }
    const auto cases = bench::contract_cases(sizes[i], k);
    out.insert(out.end(), cases.begin(), cases.end());
  }
  return out;
}

// Checks and times one kernel, prints its line; true if it is right.
bool run(const bench::KernelEntry& entry, const Options& options) {
  const bench::Extent extent = bench::extent(entry, entry.any_vlen ? machine_vlen() : entry.vlen);
  const std::vector<bench::Case> cases =
      options.cases.empty() ? all_cases(extent, options.k) : options.cases;
  bench::Case largest;
  largest.along = extent.full;
  largest.k = options.k;
  for (const bench::Case& one : cases) {
    largest.along = std::max(largest.along, one.along);
    largest.k = std::max(largest.k, one.k);
    largest.pad = std::max(largest.pad, one.pad);
  }
  bench::KernelCheck check(entry, largest.along, largest.k, largest.pad);
  gemm::Verdict verdict;
  bench::Case wrong;
  for (const bench::Case& one : cases) {
    verdict.add(check.run(one));
    if (!verdict.correct) {
      wrong = one;
      break;
    }
  }
  bench::JsonLine line;
  line.text("id", entry.id);
  line.integer("m", check.rows(extent.full));
  line.integer("n", check.columns(extent.full));
  line.integer("k", options.k);
  line.flag("correct", verdict.correct);
  line.number("max_error", verdict.max_error);
  line.number("bound", gemm::error_bound<bench::Types>(options.k));
  if (!verdict.correct) {
    line.integer("wrong_row", verdict.wrong_row);
    line.integer("wrong_column", verdict.wrong_column);
    line.text("wrong_case", wrong.text());
  } else if (!options.verify_only) {  // nothing is timed that is not right
    bench::Case timed;
    timed.along = extent.full;
    timed.k = options.k;
    check.with_call(timed, [&](const auto& call) {
      for (int i = 0; i < options.warmup; ++i) call();
      bench::Samples samples;
      for (int s = 0; s < options.samples; ++s) {
        samples.take(options.repeat, [&] {
          for (int i = 0; i < options.repeat; ++i) call();
        });
      }
      samples.write(line);
    });
  }
  line.print();
  return verdict.correct;
}

// False if the arguments are none of ours.
bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verify-only") {
      options.verify_only = true;
      continue;
    }
    if (++i == argc) return false;
    const char* value = argv[i];
    if (name == "--k") {
      options.k = std::atoll(value);
    } else if (name == "--id") {
      options.id = value;
    } else if (name == "--warmup") {
      options.warmup = std::atoi(value);
    } else if (name == "--samples") {
      options.samples = std::atoi(value);
    } else if (name == "--repeat") {
      options.repeat = std::atoi(value);
    } else if (name == "--case") {
      options.cases.emplace_back();
      if (!options.cases.back().parse(value)) return false;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "kernel_bench: wrong arguments\n");
    return 2;
  }
  bool found = false, correct = true;
  for (int i = 0; i < bench::kernel_count; ++i) {
    const bench::KernelEntry& entry = bench::kernel_table[i];
    if (!options.id.empty() && options.id != entry.id) continue;
    found = true;
    correct = run(entry, options) && correct;
  }
  return !found ? 2 : correct ? 0 : 1;
}
