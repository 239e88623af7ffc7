// Runs whole GEMMs, packing included: Quern's and those of its peers, on the same operands,
// verified, then timed.
//
//   gemm_bench --shape NAME:M,N,K ... [--peer openblas] [--peer blis] [--peer eigen] [--warmup W]
//   [--samples S]
//              [--trans-a] [--trans-b]
//
// C = A * B (alpha 1, beta 0), column-major. Operands hold small integers, so that every right
// result is exact (gemm/verify.h). Samples are taken in turns, Quern first: a board that slows down
// slows all alike. Prints one JSON line for the program ({"peers":[..]..}) and one a shape and
// contestant.
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "bench/target/gemm_table.h"
#include "bench/target/json_line.h"
#include "bench/target/peers.h"
#include "bench/target/stopwatch.h"
#include "gemm/dispatch.h"
#include "gemm/verify.h"

namespace {

using namespace quern;
using gemm::Transpose;

struct Shape {
  std::string name;
  long long m = 0, n = 0, k = 0;
};

struct Options {
  std::vector<Shape> shapes;
  std::vector<std::string> peers;
  Transpose trans_a = Transpose::no, trans_b = Transpose::no;
  int warmup = 1;
  int samples = 1;

  // A large problem of which one sample is wanted (all that a deterministic model needs) runs only
  // once: warmed up on a corner of the operands, timed, and then verified; its time is reported
  // only if it was right. A second run would take minutes of emulation and change nothing, since
  // the operands are far larger than the caches.
  bool once(std::int64_t m, std::int64_t n, std::int64_t k) const {
    return samples == 1 && 2.0 * m * n * k >= 1e8;
  }
};

// Quern's own GEMM behind the interface of a peer: family by the shipped dispatch, blocks by the
// table.
class Quern : public bench::Peer {
 public:
  std::string name() const override { return "quern"; }
  std::string version() const override { return ""; }
  const bench::FamilyEntry& choice(std::int64_t m, std::int64_t n) const {
    return bench::family_table[gemm::choose_family(bench::family_table, bench::family_count, m, n)];
  }
  void sgemm(Transpose trans_a, Transpose trans_b, std::int64_t m, std::int64_t n, std::int64_t k,
             float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb,
             float beta, float* c, std::int64_t ldc) override {
    const bench::FamilyEntry& entry = choice(m, n);
    gemm::gemm<gemm::f32>(entry.family, entry.blocking, workspace_, trans_a, trans_b, m, n, k, alpha, a, lda,
               b, ldb, beta, c, ldc);
  }

 private:
  gemm::Workspace workspace_;
};

// Memory that starts on a page, so that the cache sets which an operand falls into do not depend on
// the allocator.
std::vector<float*>& pages() {
  static std::vector<float*> all;
  return all;
}
float* page_aligned(std::int64_t count) {
  auto* memory = static_cast<float*>(std::aligned_alloc(
      4096, (static_cast<std::size_t>(count) * sizeof(float) + 4096) / 4096 * 4096));
  if (memory == nullptr) {
    std::fprintf(stderr, "gemm_bench: out of memory\n");
    std::exit(1);
  }
  pages().push_back(memory);
  return memory;
}

// Small problems are checked whole; the reference takes m*n*k multiplications, emulated ones on
// most boards.
constexpr long long small_problem = 1 << 18;

bool run(const Shape& shape, const Options& options,
         std::vector<std::unique_ptr<bench::Peer>>& contestants, const Quern& quern) {
  const std::int64_t m = shape.m, n = shape.n, k = shape.k;
  const bool ta = options.trans_a == Transpose::yes, tb = options.trans_b == Transpose::yes;
  const std::int64_t lda = std::max<std::int64_t>(ta ? k : m, 1),
                     ldb = std::max<std::int64_t>(tb ? n : k, 1);
  const std::int64_t ldc = std::max<std::int64_t>(m, 1);
  float* a = page_aligned(m * k);
  float* b = page_aligned(k * n);
  float* c = page_aligned(m * n);
  gemm::fill_with_small_integers(a, m * k, 1);
  gemm::fill_with_small_integers(b, k * n, 2);
  std::vector<bench::Samples> samples(contestants.size());
  std::vector<gemm::Verdict> verdicts(contestants.size());
  const auto call = [&](bench::Peer& peer) {
    peer.sgemm(options.trans_a, options.trans_b, m, n, k, 1, a, lda, b, ldb, 0, c, ldc);
  };
  const bool once = options.once(m, n, k);
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    std::fill(c, c + m * n, std::numeric_limits<float>::quiet_NaN());
    if (once) {
      const std::int64_t corner = 64;
      contestants[i]->sgemm(options.trans_a, options.trans_b, std::min(m, corner),
                            std::min(n, corner), std::min(k, corner), 1, a, lda, b, ldb, 0, c, ldc);
      samples[i].take(1, [&] { call(*contestants[i]); });
    } else {
      call(*contestants[i]);
    }
    verdicts[i] = m * n * k <= small_problem
                      ? gemm::verify_elements<gemm::f32>(options.trans_a, options.trans_b, m, n, k, 1,
                                                     a, lda, b, ldb, 0, nullptr, c, ldc)
                      : gemm::verify_product<gemm::f32>(options.trans_a, options.trans_b, m, n, k, a,
                                                    lda, b, ldb, c, ldc);
    if (!verdicts[i].correct) continue;
    for (int w = 1; !once && w < options.warmup; ++w)
      call(*contestants[i]);  // the verified call was the first
  }
  if (!once && m > 0 && n > 0 && k > 0) {
    for (int s = 0; s < options.samples; ++s) {
      for (std::size_t i = 0; i < contestants.size(); ++i) {
        if (verdicts[i].correct) samples[i].take(1, [&] { call(*contestants[i]); });
      }
    }
  }
  bool correct = true;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    bench::JsonLine line;
    line.text("shape", shape.name);
    line.integer("m", m);
    line.integer("n", n);
    line.integer("k", k);
    line.text("who", contestants[i]->name());
    if (i == 0) {
      const bench::FamilyEntry& entry = quern.choice(m, n);
      const gemm::Blocking blocks =
          gemm::fit_to_problem(entry.blocking, entry.family.m_r, entry.family.n_r, m, n, k);
      line.text("id", entry.family.id);
      line.integer("m_c", blocks.m_c);
      line.integer("n_c", blocks.n_c);
      line.integer("k_c", blocks.k_c);
    }
    line.flag("correct", verdicts[i].correct);
    line.number("max_error", verdicts[i].max_error);
    if (!verdicts[i].correct) {
      correct = false;
      line.integer("wrong_row", verdicts[i].wrong_row);
      line.integer("wrong_column", verdicts[i].wrong_column);
    } else {
      samples[i].write(line);
    }
    line.print();
  }
  for (float* memory : pages()) std::free(memory);
  pages().clear();
  return correct;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--trans-a") {
      options.trans_a = Transpose::yes;
    } else if (name == "--trans-b") {
      options.trans_b = Transpose::yes;
    } else if (i + 1 == argc) {
      return false;
    } else if (name == "--shape") {
      const std::string value = argv[++i];
      const auto colon = value.rfind(':');
      Shape shape{value.substr(0, colon)};
      if (colon == std::string::npos || std::sscanf(value.c_str() + colon, ":%lld,%lld,%lld",
                                                    &shape.m, &shape.n, &shape.k) != 3) {
        return false;
      }
      options.shapes.push_back(shape);
    } else if (name == "--peer") {
      options.peers.push_back(argv[++i]);
    } else if (name == "--warmup") {
      options.warmup = std::atoi(argv[++i]);
    } else if (name == "--samples") {
      options.samples = std::atoi(argv[++i]);
    } else {
      return false;
    }
  }
  return true;
}

// Emulators compute on the host's own floating point only while the guest's inexact flag is up (it
// is sticky, and they then need not find out about it); exact operands would keep it down for the
// whole run. On silicon this changes nothing.
void raise_inexact() {
  volatile float value = 1;
  value = value / 3;
}

}  // namespace

int main(int argc, char** argv) {
  raise_inexact();
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "gemm_bench: wrong arguments\n");
    return 2;
  }
  std::vector<std::unique_ptr<bench::Peer>> contestants;
  auto own = std::make_unique<Quern>();
  const Quern& quern = *own;
  contestants.push_back(std::move(own));
  for (const std::string& name : options.peers) {
    std::string why;
    auto peer = bench::open_peer(name, why);
    if (peer == nullptr) {
      std::fprintf(stderr, "gemm_bench: %s: %s\n", name.c_str(), why.c_str());
      return 3;
    }
    bench::JsonLine line;
    line.text("peer", peer->name());
    line.text("version", peer->version());
    line.print();
    contestants.push_back(std::move(peer));
  }
  bool correct = true;
  for (const Shape& shape : options.shapes)
    correct = run(shape, options, contestants, quern) && correct;
  return correct ? 0 : 1;
}
