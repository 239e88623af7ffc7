// GEMM as GotoBLAS builds it: five loops around a micro-kernel, with packed blocks of A and B.
//
//     for jc in n step n_c
//       for pc in k step k_c            pack B(pc, jc)  ->  k_c x n_c
//         for ic in m step m_c          pack A(ic, pc)  ->  m_c x k_c
//           macro-kernel                (macro_kernel.h)
//
// C = alpha * op(A) * op(B) + beta * C, all column-major, op(A) is m x k, op(B) is k x n, C is m x
// n. A and B hold elements of one type, C of another where sums are wider (gemm/element.h); with
// 16- bit sums C is rounded once for every k_c. As BLAS has it: beta = 0 overwrites C without
// reading it; with alpha = 0 or k = 0 neither A nor B is read and C is only scaled; empty C is
// legal. Arguments are not checked here (the BLAS entry points do that).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "gemm/blocking.h"
#include "gemm/kernel_family.h"
#include "gemm/macro_kernel.h"
#include "gemm/pack.h"

namespace quern::gemm {

// How an operand is stored: as it is used, transposed, or transposed with every element conjugated
// (BLAS 'N', 'T', 'C'; of real types the last two are the same).
enum class Transpose { no, yes, conjugate };

// Memory for the packed blocks, kept between calls and grown when needed.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() { std::free(memory_); }

  // At least `bytes` bytes, aligned to a page: blocks then start in the same cache set at every
  // call.
  void* reserve(std::size_t bytes) {
    if (bytes > size_) {
      std::free(memory_);
      size_ = (bytes + page - 1) / page * page;
      memory_ = std::aligned_alloc(page, size_);
      if (memory_ == nullptr) {
        size_ = 0;
        throw std::bad_alloc();
      }
    }
    return memory_;
  }

 private:
  static constexpr std::size_t page = 4096;
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

// C = beta * C, without reading C when beta is 0.
template <class Types>
void scale(std::int64_t m, std::int64_t n, typename Types::Sum beta, typename Types::Sum* c,
           std::int64_t ldc) {
  using Sum = typename Types::Sum;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      Sum& place = c[j * ldc + i];
      if constexpr (Types::integer) {  // modulo 2^32
        place =
            static_cast<Sum>(static_cast<std::uint32_t>(beta) * static_cast<std::uint32_t>(place));
      } else {
        place = beta == Sum(0) ? Sum(0) : static_cast<Sum>(beta * place);
      }
    }
  }
}

template <class Types>
Operand<Types> operand_a(Transpose trans, const typename Types::Element* a, std::int64_t lda) {
  return {a, lda, trans == Transpose::no, trans == Transpose::conjugate};
}
template <class Types>
Operand<Types> operand_b(Transpose trans, const typename Types::Element* b, std::int64_t ldb) {
  return {b, ldb, trans != Transpose::no, trans == Transpose::conjugate};
}

template <class Types>
void gemm(const KernelFamily<Types>& family, const Blocking& blocks, Workspace& workspace,
          Transpose trans_a, Transpose trans_b, std::int64_t m, std::int64_t n, std::int64_t k,
          typename Types::Sum alpha, const typename Types::Element* a, std::int64_t lda,
          const typename Types::Element* b, std::int64_t ldb, typename Types::Sum beta,
          typename Types::Sum* c, std::int64_t ldc) {
  using Sum = typename Types::Sum;
  using Panel = typename Types::Panel;
  if (m <= 0 || n <= 0) return;
  if (k <= 0 || alpha == Sum(0)) return scale<Types>(m, n, beta, c, ldc);

  const Blocking block = fit_to_problem(blocks, family.m_r, family.n_r, m, n, k);
  const auto from_a = operand_a<Types>(trans_a, a, lda);
  const auto from_b = operand_b<Types>(trans_b, b, ldb);
  // A's block is rounded up to a page so that B's block starts on one.
  const std::int64_t page = 4096 / sizeof(Panel);
  const std::int64_t room_a = (block.m_c * block.k_c * Types::parts + page - 1) / page * page;
  const std::int64_t room_b = block.k_c * block.n_c * Types::parts;
  auto* packed_a = static_cast<Panel*>(
      workspace.reserve(static_cast<std::size_t>(room_a + room_b) * sizeof(Panel)));
  Panel* packed_b = packed_a + room_a;

  for (std::int64_t jc = 0; jc < n; jc += block.n_c) {
    const std::int64_t n_now = std::min(block.n_c, n - jc);
    for (std::int64_t pc = 0; pc < k; pc += block.k_c) {
      const std::int64_t k_now = std::min(block.k_c, k - pc);
      pack_block(family.pack_b, from_b, jc, pc, n_now, k_now, packed_b);
      const Sum beta_now = pc == 0 ? beta : Sum(1);
      for (std::int64_t ic = 0; ic < m; ic += block.m_c) {
        const std::int64_t m_now = std::min(block.m_c, m - ic);
        pack_block(family.pack_a, from_a, ic, pc, m_now, k_now, packed_a);
        macro_kernel(family, m_now, n_now, k_now, alpha, packed_a, packed_b, beta_now,
                     c + jc * ldc + ic, ldc);
      }
    }
  }
}

}  // namespace quern::gemm
