// The libraries that Quern is compared with, each behind the same call.
//
// OpenBLAS and BLIS are opened at run time, each with its own symbols: both define sgemm_ and
// cblas_sgemm, so they cannot be linked into one program. Eigen is a template library and is
// compiled in where the program was built with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gemm/gemm.h"

namespace quern::bench {

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string name() const = 0;
  virtual std::string version()
      const = 0;  // with the kernels that the library chose, where it tells
  // C = alpha * op(A) * op(B) + beta * C, column-major, one thread.
  virtual void sgemm(gemm::Transpose trans_a, gemm::Transpose trans_b, std::int64_t m,
                     std::int64_t n, std::int64_t k, float alpha, const float* a, std::int64_t lda,
                     const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc) = 0;
};

// Null with a message in `why` if the library is not there.
std::unique_ptr<Peer> open_peer(const std::string& name, std::string& why);

#ifdef QUERN_WITH_EIGEN
std::unique_ptr<Peer> eigen_peer();  // peer_eigen.cpp
#endif

}  // namespace quern::bench
