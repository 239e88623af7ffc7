#include "bench/target/peers.h"

#include <dlfcn.h>

#include <cstdlib>

namespace quern::bench {
namespace {

// The CBLAS interface, as both libraries have it (32-bit integers).
using CblasSgemm = void (*)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c,
                            int ldc);
constexpr int col_major = 102;
constexpr int no_trans = 111, with_trans = 112;

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

class CblasPeer : public Peer {
 public:
  CblasPeer(std::string name, std::string version, CblasSgemm function)
      : name_(std::move(name)), version_(std::move(version)), function_(function) {}
  std::string name() const override { return name_; }
  std::string version() const override { return version_; }
  void sgemm(gemm::Transpose trans_a, gemm::Transpose trans_b, std::int64_t m, std::int64_t n,
             std::int64_t k, float alpha, const float* a, std::int64_t lda, const float* b,
             std::int64_t ldb, float beta, float* c, std::int64_t ldc) override {
    const auto code = [](gemm::Transpose t) {
      return t == gemm::Transpose::no ? no_trans : with_trans;
    };
    function_(col_major, code(trans_a), code(trans_b), static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), alpha, a, static_cast<int>(lda), b, static_cast<int>(ldb), beta,
              c, static_cast<int>(ldc));
  }

 private:
  std::string name_, version_;
  CblasSgemm function_;
};

std::string openblas_version(void* library) {
  std::string out;
  if (const auto config = symbol<char* (*)()>(library, "openblas_get_config")) out = config();
  if (const auto core = symbol<char* (*)()>(library, "openblas_get_corename")) {
    out += std::string(" running ") + core();
  }
  return out;
}

std::string blis_version(void* library) {
  const auto version = symbol<const char* (*)()>(library, "bli_info_get_version_str");
  const auto arch = symbol<int (*)()>(library, "bli_arch_query_id");
  const auto name = symbol<const char* (*)(int)>(library, "bli_arch_string");
  std::string out = version != nullptr ? std::string("BLIS ") + version() : "BLIS";
  if (arch != nullptr && name != nullptr) out += std::string(" running ") + name(arch());
  return out;
}

}  // namespace

std::unique_ptr<Peer> open_peer(const std::string& name, std::string& why) {
#ifdef QUERN_WITH_EIGEN
  if (name == "eigen") return eigen_peer();
#endif
  const bool blis = name == "blis";
  if (!blis && name != "openblas") {
    why = "unknown peer " + name;
    return nullptr;
  }
  // One thread, before the library starts any.
  setenv(blis ? "BLIS_NUM_THREADS" : "OPENBLAS_NUM_THREADS", "1", 1);
  void* library = dlopen(blis ? "libblis.so.4" : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    why = dlerror();
    return nullptr;
  }
  const auto function = symbol<CblasSgemm>(library, "cblas_sgemm");
  if (function == nullptr) {
    why = "no cblas_sgemm in the library";
    return nullptr;
  }
  return std::make_unique<CblasPeer>(name, blis ? blis_version(library) : openblas_version(library),
                                     function);
}

}  // namespace quern::bench
