// Packing: a block of A or B is copied into panels that the micro-kernel reads from front to back.
//
//      block, `width` along the panel's short side, `length` (k) along the long one
//
//        contiguous:   the short side is contiguous in memory  (A not transposed, B transposed)
//        transposing:  the long side is contiguous in memory   (A transposed, B not transposed)
//
//      panel[p * width + i] = element (i, p)
//
//      complex:      panel[p * 2 width + i] = real part, panel[p * 2 width + width + i] = imaginary
//                    part, negated where the operand is to be conjugated
//      8-bit integers are widened to 16 bits
//
// A last panel that is narrower than m_r or n_r is packed at its own width, without padding:
// kernels read no further.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm/element.h"
#include "gemm/memory_hints.h"

namespace quern::gemm {

// Packs one panel. `stride` is the distance, in elements, between neighbours along the side that is
// not contiguous. `conjugate` matters to complex types only.
template <class Types>
using PackFunction = void (*)(std::int64_t width, std::int64_t length,
                              const typename Types::Element* source, std::int64_t stride,
                              bool conjugate, typename Types::Panel* panel);

template <class Types>
struct PackPair {
  int width;  // of the panels that the two functions below are unrolled for
  PackFunction<Types> contiguous;
  PackFunction<Types> transposing;
};

namespace detail {

// Element i of a step of a panel of width w.
template <class Types>
inline void put(typename Types::Panel* step, std::int64_t w, std::int64_t i,
                const typename Types::Element& element, bool conjugate) {
  if constexpr (Types::complex) {
    step[i] = element.real();
    step[w + i] = conjugate ? -element.imag() : element.imag();
  } else {
    static_cast<void>(w), static_cast<void>(conjugate);
    step[i] = static_cast<typename Types::Panel>(element);
  }
}

// `Width` is a compile-time panel width, or 0 to take it from `width`.
//
// Neighbouring columns of the source are far apart, so each is a cache miss that no prefetcher
// foresees, and a vector load that misses may hold back the next one. So the lines of several
// columns are asked for while the columns before them are copied: that many misses are under way at
// once.
template <class Types, int Width>
void pack_contiguous(std::int64_t width, std::int64_t length,
                     const typename Types::Element* __restrict source, std::int64_t stride,
                     bool conjugate, typename Types::Panel* __restrict panel) {
  using Panel = typename Types::Panel;
  constexpr int parts = Types::parts;
  const std::int64_t w = Width > 0 ? Width : width;
  std::int64_t p = 0;
  if constexpr (Width > 0) {
    // As many columns as fit into half of the vector registers of a 256-bit machine.
    constexpr int step = Width * parts;
    constexpr int together = step * sizeof(Panel) <= 128 ? 4 : 2;
    for (; p + together <= length; p += together) {
      if (p + 2 * together <= length)
        for (int q = together; q < 2 * together; ++q) {
          for (int i = 0; i < Width; i += 64 / sizeof(typename Types::Element))
            touch(source + q * stride + i);
          touch(source + q * stride + Width - 1);
        }
      Panel columns[together][step];
      for (int q = 0; q < together; ++q) {
        for (int i = 0; i < Width; ++i)
          put<Types>(columns[q], Width, i, source[q * stride + i], conjugate);
      }
      for (int q = 0; q < together; ++q) {
        for (int i = 0; i < step; ++i) panel[q * step + i] = columns[q][i];
      }
      panel += together * step;
      source += together * stride;
    }
  }
  for (; p < length; ++p) {
    for (std::int64_t i = 0; i < w; ++i) put<Types>(panel, w, i, source[i], conjugate);
    panel += w * parts;
    source += stride;
  }
}

// Works through the long side in strips of a cache line, so that each line of the source is used up
// while it is in L1, even where a power-of-two stride lets all `width` lines fall into the same few
// sets. A strip is turned in a small buffer that stays in L1 and then copied to the panel from
// front to back: lines that are written whole and in order need not be read from memory first. The
// lines of the next strip are asked for before they are needed.
template <class Types, int Width>
void pack_transposing(std::int64_t width, std::int64_t length,
                      const typename Types::Element* __restrict source, std::int64_t stride,
                      bool conjugate, typename Types::Panel* __restrict panel) {
  using Panel = typename Types::Panel;
  constexpr std::int64_t strip = 64 / sizeof(typename Types::Element);
  constexpr int parts = Types::parts;
  const std::int64_t w = Width > 0 ? Width : width;
  std::int64_t p = 0;
  if constexpr (Width > 0) {
    constexpr int step = Width * parts;
    for (; p + strip <= length; p += strip) {
      alignas(64) Panel turned[strip * step];
      for (int i = 0; i < Width; ++i) {
        const typename Types::Element* __restrict from = source + i * stride + p;
        if (p + strip < length) touch(from + strip);
        for (int q = 0; q < strip; ++q) put<Types>(turned + q * step, Width, i, from[q], conjugate);
      }
      copy_forward(panel + p * step, turned, sizeof turned);
    }
  }
  for (; p < length; ++p) {
    for (std::int64_t i = 0; i < w; ++i)
      put<Types>(panel + p * w * parts, w, i, source[i * stride + p], conjugate);
  }
}

}  // namespace detail

template <class Types, int Width>
constexpr PackPair<Types> pack_pair() {
  return {Width, &detail::pack_contiguous<Types, Width>, &detail::pack_transposing<Types, Width>};
}

// One operand of a GEMM as packing sees it: element (i, p) of the short and the long side.
template <class Types>
struct Operand {
  const typename Types::Element* data;
  std::int64_t stride;     // leading dimension
  bool short_contiguous;   // neighbours along the short side are neighbours in memory
  bool conjugate = false;  // of complex types: all imaginary parts negated

  const typename Types::Element* at(std::int64_t i, std::int64_t p) const {
    return short_contiguous ? data + p * stride + i : data + i * stride + p;
  }
};

// Packs `width` x `length` elements from (i0, p0) into panels of pair.width, one behind the other.
// The panel that starts at short-side offset i is at packed + i * length * Types::parts.
template <class Types>
void pack_block(const PackPair<Types>& pair, const Operand<Types>& operand, std::int64_t i0,
                std::int64_t p0, std::int64_t width, std::int64_t length,
                typename Types::Panel* packed) {
  for (std::int64_t i = 0; i < width; i += pair.width) {
    const std::int64_t w = std::min<std::int64_t>(pair.width, width - i);
    const bool full = w == pair.width;
    PackFunction<Types> pack;
    if (operand.short_contiguous) {
      pack = full ? pair.contiguous : &detail::pack_contiguous<Types, 0>;
    } else {
      pack = full ? pair.transposing : &detail::pack_transposing<Types, 0>;
    }
    pack(w, length, operand.at(i0 + i, p0), operand.stride, operand.conjugate,
         packed + i * length * Types::parts);
  }
}

}  // namespace quern::gemm
