// Eigen as a peer: its own matrix product, on the caller's memory.
#include <Eigen/Core>

#include "bench/target/peers.h"

namespace quern::bench {
namespace {

class EigenPeer : public Peer {
 public:
  std::string name() const override { return "eigen"; }
  std::string version() const override {
    return "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
           std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
  }
  void sgemm(gemm::Transpose trans_a, gemm::Transpose trans_b, std::int64_t m, std::int64_t n,
             std::int64_t k, float alpha, const float* a, std::int64_t lda, const float* b,
             std::int64_t ldb, float beta, float* c, std::int64_t ldc) override {
    using Matrix = Eigen::Map<const Eigen::MatrixXf, 0, Eigen::OuterStride<>>;
    const bool ta = trans_a == gemm::Transpose::yes, tb = trans_b == gemm::Transpose::yes;
    const Matrix a_map(a, ta ? k : m, ta ? m : k, Eigen::OuterStride<>(lda));
    const Matrix b_map(b, tb ? n : k, tb ? k : n, Eigen::OuterStride<>(ldb));
    Eigen::Map<Eigen::MatrixXf, 0, Eigen::OuterStride<>> c_map(c, m, n, Eigen::OuterStride<>(ldc));
    if (beta == 0) {
      c_map.setZero();
    } else if (beta != 1) {
      c_map *= beta;
    }
    if (!ta && !tb) c_map.noalias() += alpha * a_map * b_map;
    if (ta && !tb) c_map.noalias() += alpha * a_map.transpose() * b_map;
    if (!ta && tb) c_map.noalias() += alpha * a_map * b_map.transpose();
    if (ta && tb) c_map.noalias() += alpha * a_map.transpose() * b_map.transpose();
  }
};

}  // namespace

std::unique_ptr<Peer> eigen_peer() { return std::make_unique<EigenPeer>(); }

}  // namespace quern::bench
