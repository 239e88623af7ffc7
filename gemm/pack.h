// Packing: a block of A or B is copied into panels that the micro-kernel reads from front to back.
//
//      block, `width` along the panel's short side, `length` (k) along the long one
//
//        contiguous:   the short side is contiguous in memory  (A not transposed, B transposed)
//        transposing:  the long side is contiguous in memory   (A transposed, B not transposed)
//
//      panel[p * width + i] = element (i, p)
//
// A last panel that is narrower than m_r or n_r is packed at its own width, without padding:
// kernels read no further.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm/memory_hints.h"

namespace quern::gemm {

// Packs one panel. `stride` is the distance, in elements, between neighbours along the side that is
// not contiguous.
template <class T>
using PackFunction = void (*)(std::int64_t width, std::int64_t length, const T* source,
                              std::int64_t stride, T* panel);

template <class T>
struct PackPair {
  int width;  // of the panels that the two functions below are unrolled for
  PackFunction<T> contiguous;
  PackFunction<T> transposing;
};

namespace detail {

// `Width` is a compile-time panel width, or 0 to take it from `width`.
//
// Neighbouring columns of the source are far apart, so each is a cache miss that no prefetcher
// foresees. Several columns are loaded before the first is stored: an in-order core then has that
// many misses under way at once.
template <class T, int Width>
void pack_contiguous(std::int64_t width, std::int64_t length, const T* __restrict source,
                     std::int64_t stride, T* __restrict panel) {
  const std::int64_t w = Width > 0 ? Width : width;
  std::int64_t p = 0;
  if constexpr (Width > 0) {
    // As many columns as fit into half of the vector registers of a 256-bit machine.
    constexpr int together = Width * sizeof(T) <= 128 ? 4 : 2;
    for (; p + together <= length; p += together) {
      T columns[together][Width];
      for (int q = 0; q < together; ++q) {
        for (int i = 0; i < Width; ++i) columns[q][i] = source[q * stride + i];
      }
      for (int q = 0; q < together; ++q) {
        for (int i = 0; i < Width; ++i) panel[q * Width + i] = columns[q][i];
      }
      panel += together * Width;
      source += together * stride;
    }
  }
  for (; p < length; ++p) {
    for (std::int64_t i = 0; i < w; ++i) panel[i] = source[i];
    panel += w;
    source += stride;
  }
}

// Works through the long side in strips of a cache line, so that each line of the source is used up
// while it is in L1, even where a power-of-two stride lets all `width` lines fall into the same few
// sets. A strip is turned in a small buffer that stays in L1 and then copied to the panel from
// front to back: lines that are written whole and in order need not be read from memory first. The
// lines of the next strip are asked for before they are needed.
template <class T, int Width>
void pack_transposing(std::int64_t width, std::int64_t length, const T* __restrict source,
                      std::int64_t stride, T* __restrict panel) {
  constexpr std::int64_t strip = 64 / sizeof(T);
  const std::int64_t w = Width > 0 ? Width : width;
  std::int64_t p = 0;
  if constexpr (Width > 0) {
    for (; p + strip <= length; p += strip) {
      alignas(64) T turned[strip * Width];
      for (int i = 0; i < Width; ++i) {
        const T* __restrict from = source + i * stride + p;
        if (p + strip < length) touch(from + strip);
        for (int q = 0; q < strip; ++q) turned[q * Width + i] = from[q];
      }
      copy_forward(panel + p * Width, turned, sizeof turned);
    }
  }
  for (; p < length; ++p) {
    for (std::int64_t i = 0; i < w; ++i) panel[p * w + i] = source[i * stride + p];
  }
}

}  // namespace detail

template <class T, int Width>
constexpr PackPair<T> pack_pair() {
  return {Width, &detail::pack_contiguous<T, Width>, &detail::pack_transposing<T, Width>};
}

// One operand of a GEMM as packing sees it: element (i, p) of the short and the long side.
template <class T>
struct Operand {
  const T* data;
  std::int64_t stride;    // leading dimension
  bool short_contiguous;  // neighbours along the short side are neighbours in memory

  const T* at(std::int64_t i, std::int64_t p) const {
    return short_contiguous ? data + p * stride + i : data + i * stride + p;
  }
};

// Packs `width` x `length` elements from (i0, p0) into panels of pair.width, one behind the other.
// The panel that starts at short-side offset i is at packed + i * length.
template <class T>
void pack_block(const PackPair<T>& pair, const Operand<T>& operand, std::int64_t i0,
                std::int64_t p0, std::int64_t width, std::int64_t length, T* packed) {
  for (std::int64_t i = 0; i < width; i += pair.width) {
    const std::int64_t w = std::min<std::int64_t>(pair.width, width - i);
    const T* source = operand.at(i0 + i, p0);
    T* panel = packed + i * length;
    if (w == pair.width) {
      (operand.short_contiguous ? pair.contiguous : pair.transposing)(w, length, source,
                                                                      operand.stride, panel);
    } else if (operand.short_contiguous) {
      detail::pack_contiguous<T, 0>(w, length, source, operand.stride, panel);
    } else {
      detail::pack_transposing<T, 0>(w, length, source, operand.stride, panel);
    }
  }
}

}  // namespace quern::gemm
