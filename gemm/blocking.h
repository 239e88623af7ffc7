// Cache blocks m_c, n_c, k_c of the GotoBLAS loops, from the cache geometry and the tile.
//
//     L1   one k_c x n_r panel of B stays, m_r x k_c panels of A stream past it, C passes through
//     L2   one m_c x k_c block of A stays, the panels of B pass through
//     L3   one k_c x n_c block of B stays; boards without an L3 keep it in DRAM
//
// The rules are those of Low, Igual, Smith and Quintana-Orti, "Analytical Modeling Is Enough for
// High-Performance BLIS" (ACM TOMS 43(2), 2016), section 4, with a rule of our own for machines
// without an L3: B's block is then read from DRAM once for every m_c rows anyway, so n_c is bounded
// by what the TLB reaches, not by a cache.
#pragma once

#include <algorithm>
#include <cstdint>

namespace quern::gemm {

struct CacheGeometry {
  std::int64_t bytes = 0;  // 0: the board has no such cache
  int ways = 1;
  int line = 64;
  constexpr std::int64_t way_bytes() const { return bytes / ways; }
};

struct MemoryGeometry {
  CacheGeometry l1, l2, l3;
  // Without an L3: bytes of packed B that address translation covers without misses that reach
  // memory. 4 MiB: about 1024 TLB entries of 4 KiB, as the pointer chases on the K1 suggest (facts:
  // no effect up to 4 MB).
  std::int64_t tlb_reach = 4 << 20;
};

struct Blocking {
  std::int64_t m_c = 0, n_c = 0, k_c = 0;
};

namespace detail {
constexpr std::int64_t round_down(std::int64_t value, std::int64_t step) {
  return std::max(step, value / step * step);
}
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
}  // namespace detail

// Blocking of an m_r x n_r tile of elements of `element` bytes. All sizes are in elements, k_c >=
// 1; m_c is a multiple of m_r and n_c one of n_r.
constexpr Blocking analytical_blocking(const MemoryGeometry& memory, int m_r, int n_r,
                                       int element) {
  // L1: one way for C, the others shared by the panels of A and B in the ratio m_r : n_r (Low et
  // al., eq. 4 and 5).
  const CacheGeometry& l1 = memory.l1;
  std::int64_t ways_a =
      static_cast<std::int64_t>((l1.ways - 1) / (1.0 + static_cast<double>(n_r) / m_r));
  ways_a = std::max<std::int64_t>(ways_a, 1);
  std::int64_t k_c = ways_a * l1.way_bytes() / (static_cast<std::int64_t>(m_r) * element);
  // Where A alone would fill its ways with a tile that is far taller than wide, B must still fit
  // into the rest.
  const std::int64_t ways_b = std::max<std::int64_t>(l1.ways - 1 - ways_a, 1);
  k_c = std::min(k_c, ways_b * l1.way_bytes() / (static_cast<std::int64_t>(n_r) * element));
  k_c = std::max<std::int64_t>(k_c, 1);
  if (k_c > 8) k_c = detail::round_down(k_c, 8);

  // L2: one way for C, as many as a panel of B takes, the others for A.
  const CacheGeometry& l2 = memory.l2.bytes > 0 ? memory.l2 : memory.l1;
  const std::int64_t panel_b = k_c * n_r * element;
  const std::int64_t ways_for_a =
      std::max<std::int64_t>(l2.ways - 1 - detail::ceil_div(panel_b, l2.way_bytes()), 1);
  const std::int64_t m_c = detail::round_down(ways_for_a * l2.way_bytes() / (k_c * element), m_r);

  // L3 or the TLB.
  const std::int64_t room = memory.l3.bytes > 0
                                ? memory.l3.bytes / memory.l3.ways * std::max(memory.l3.ways - 2, 1)
                                : memory.tlb_reach;
  const std::int64_t n_c = detail::round_down(room / (k_c * element), n_r);
  return {m_c, n_c, k_c};
}

// The blocks of a problem: no larger than it, and k cut into equal parts so that no thin last pass
// over C remains.
constexpr Blocking fit_to_problem(Blocking blocking, int m_r, int n_r, std::int64_t m,
                                  std::int64_t n, std::int64_t k) {
  if (k > 0) {
    const std::int64_t passes = detail::ceil_div(k, blocking.k_c);
    blocking.k_c = detail::ceil_div(k, passes);
  }
  blocking.m_c = std::min(blocking.m_c, detail::ceil_div(std::max<std::int64_t>(m, 1), m_r) * m_r);
  blocking.n_c = std::min(blocking.n_c, detail::ceil_div(std::max<std::int64_t>(n, 1), n_r) * n_r);
  return blocking;
}

}  // namespace quern::gemm
