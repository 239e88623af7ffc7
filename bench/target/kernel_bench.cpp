// Runs micro-kernels of kernel_table alone, on packed panels: verified first, then timed.
//
//   kernel_bench --k K [--id ID] [--warmup W] [--samples S] [--repeat R] [--verify-only]
//
// Prints one JSON line a kernel:
// {"id":..,"m":..,"n":..,"k":..,"correct":..,"max_error":..,"bound":..,
// "cycles":[..],"instructions":[..],"seconds":[..]}; each entry of the lists is one sample, divided
// by the `repeat` calls in it. "cycles" is there only when a timing model counts them.
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "bench/target/guarded.h"
#include "bench/target/json_line.h"
#include "bench/target/kernel_table.h"
#include "bench/target/stopwatch.h"
#include "gemm/verify.h"

namespace {

using namespace quern;
using bench::Guarded;

struct Options {
  std::int64_t k = 256;
  std::string id;
  int warmup = 2;  // calls before the first sample: panels and code are then where they will be
  int samples = 3;
  int repeat = 10;  // calls in a sample, so that reading the clock does not count
  bool verify_only = false;
};

struct Panels {
  Guarded<float> a, b;
  Panels(int m, int n, std::int64_t k, std::uint64_t seed) : a(m * k), b(k * n) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::int64_t i = 0; i < m * k; ++i) a[i] = uniform(random);
    for (std::int64_t i = 0; i < k * n; ++i) b[i] = uniform(random);
  }
};

// The cases of the contract in gemm/micro_kernel.h: k = 0 and 1, alpha and beta, a leading
// dimension beyond m, NaN in C under beta = 0, nothing read past the panels (guard pages), nothing
// written between the columns of C.
gemm::Verdict verify(const bench::KernelEntry& entry, int m, std::int64_t k_max) {
  gemm::Verdict worst;
  const int n = entry.n_r;
  const struct {
    std::int64_t k, pad;
    float alpha, beta;
  } cases[] = {{k_max, 0, 1, 0}, {k_max, 3, -0.5f, 1}, {1, 1, 1, 0.75f}, {2, 0, 2, 0},
               {0, 2, 1, 0},     {0, 2, 1, 0.5f},      {7, 5, 0, 0.5f}};
  for (const auto& c : cases) {
    const Panels panels(m, n, c.k, 1);
    const std::int64_t ldc = m + c.pad, size = ldc * (n - 1) + m;
    Guarded<float> before(size), after(size);
    std::mt19937_64 random(2);
    for (std::int64_t i = 0; i < size; ++i) {
      before[i] = c.beta == 0 ? std::numeric_limits<float>::quiet_NaN()
                              : static_cast<float>(random() % 1000) / 500 - 1;
      after[i] = before[i];
    }
    entry.kernel(m, c.k, &c.alpha, panels.a.data(), panels.b.data(), &c.beta, after.data(), ldc);
    // The panels are a column-major A (m x k) and a row-major, that is transposed, B.
    gemm::Verdict verdict = gemm::verify_elements(gemm::Transpose::no, gemm::Transpose::yes, m, n,
                                                  c.k, c.alpha, panels.a.data(), m, panels.b.data(),
                                                  n, c.beta, before.data(), after.data(), ldc);
    for (int j = 0; j + 1 < n; ++j) {
      const std::int64_t gap = j * ldc + m;
      if (std::memcmp(&after[gap], &before[gap], static_cast<std::size_t>(c.pad) * sizeof(float)) !=
          0) {
        verdict = {false, verdict.max_error, m, j};
      }
    }
    worst.max_error = std::max(worst.max_error, verdict.max_error);
    if (!verdict.correct && worst.correct) {
      worst.correct = false;
      worst.wrong_row = verdict.wrong_row;
      worst.wrong_column = verdict.wrong_column;
    }
  }
  return worst;
}

void time(const bench::KernelEntry& entry, const Options& options, bench::JsonLine& line) {
  const Panels panels(entry.m_r, entry.n_r, options.k, 1);
  Guarded<float> c(entry.m_r * entry.n_r);
  const float alpha = 1, beta = 0;
  const auto call = [&] {
    entry.kernel(entry.m_r, options.k, &alpha, panels.a.data(), panels.b.data(), &beta, c.data(),
                 entry.m_r);
  };
  for (int i = 0; i < options.warmup; ++i) call();
  bench::Samples samples;
  for (int s = 0; s < options.samples; ++s) {
    samples.take(options.repeat, [&] {
      for (int i = 0; i < options.repeat; ++i) call();
    });
  }
  samples.write(line);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--verify-only") {
      options.verify_only = true;
      continue;
    }
    if (name == "--k")
      options.k = std::atoll(value);
    else if (name == "--id")
      options.id = value;
    else if (name == "--warmup")
      options.warmup = std::atoi(value);
    else if (name == "--samples")
      options.samples = std::atoi(value);
    else if (name == "--repeat")
      options.repeat = std::atoi(value);
    else
      return std::fprintf(stderr, "kernel_bench: unknown option %s\n", argv[i]), 2;
    ++i;
  }
  bool found = false, correct = true;
  for (int i = 0; i < bench::kernel_count; ++i) {
    const bench::KernelEntry& entry = bench::kernel_table[i];
    if (!options.id.empty() && options.id != entry.id) continue;
    found = true;
    // The full tile and two edges: the fewest rows that the kernel takes, and some between.
    gemm::Verdict verdict = verify(entry, entry.m_r, options.k);
    for (const int m : {entry.m_least, (entry.m_least + entry.m_r) / 2}) {
      if (verdict.correct && m < entry.m_r) {
        const double error = verdict.max_error;
        verdict = verify(entry, m, options.k);
        verdict.max_error = std::max(verdict.max_error, error);
      }
    }
    bench::JsonLine line;
    line.text("id", entry.id);
    line.integer("m", entry.m_r);
    line.integer("n", entry.n_r);
    line.integer("k", options.k);
    line.flag("correct", verdict.correct);
    line.number("max_error", verdict.max_error);
    line.number("bound", gemm::error_bound<float>(options.k));
    if (!verdict.correct) {
      correct = false;
      line.integer("wrong_row", verdict.wrong_row);
      line.integer("wrong_column", verdict.wrong_column);
    } else if (!options.verify_only) {
      time(entry, options, line);  // nothing is timed that is not right
    }
    line.print();
  }
  return !found ? 2 : correct ? 0 : 1;
}
