// IEEE-exact arithmetic on bit patterns of any FpFormat: every operation is computed exactly and
// rounded once, with RISC-V's flags (tininess after rounding) and its canonical NaN.
//
// Operands and results are the low width() bits of a 64-bit word; boxing is the caller's
// (instruction.h). `flags` is accumulated into.
#pragma once

#include <cstdint>

#include "boards/snitch/fpu/format.h"

namespace quern::snitch {

std::uint64_t canonical_nan(FpFormat format);

// a + b, a in `a_format`, b in `b_format`; likewise below. The result is in `result`.
std::uint64_t fp_add(FpFormat result, FpFormat a_format, std::uint64_t a, FpFormat b_format,
                     std::uint64_t b, Rounding rounding, std::uint8_t& flags);
std::uint64_t fp_multiply(FpFormat result, FpFormat operands, std::uint64_t a, std::uint64_t b,
                          Rounding rounding, std::uint8_t& flags);
// a * b + c, c in the format of the result.
std::uint64_t fp_multiply_add(FpFormat result, FpFormat operands, std::uint64_t a, std::uint64_t b,
                              std::uint64_t c, Rounding rounding, std::uint8_t& flags);
// a * b + c * d + e, rounded once; e in the format of the result.
std::uint64_t fp_dot2_add(FpFormat result, FpFormat operands, std::uint64_t a, std::uint64_t b,
                          std::uint64_t c, std::uint64_t d, std::uint64_t e, Rounding rounding,
                          std::uint8_t& flags);
// a + c + e, rounded once; e in the format of the result.
std::uint64_t fp_sum3(FpFormat result, FpFormat operands, std::uint64_t a, std::uint64_t c,
                      std::uint64_t e, Rounding rounding, std::uint8_t& flags);

std::uint64_t fp_convert(FpFormat result, FpFormat source, std::uint64_t a, Rounding rounding,
                         std::uint8_t& flags);
// To an integer of `bits` (8, 16 or 32), saturating; the result is zero-extended from `bits`.
std::uint64_t fp_to_integer(int bits, bool is_signed, FpFormat source, std::uint64_t a,
                            Rounding rounding, std::uint8_t& flags);
std::uint64_t fp_from_integer(FpFormat result, int bits, bool is_signed, std::uint64_t a,
                              Rounding rounding, std::uint8_t& flags);

// minimumNumber / maximumNumber: a NaN loses against a number, -0 < +0.
std::uint64_t fp_min_max(FpFormat format, bool maximum, std::uint64_t a, std::uint64_t b,
                         std::uint8_t& flags);

enum class FpOrder : std::uint8_t { less, equal, greater, unordered };
// `quiet`: only a signalling NaN is invalid (feq); otherwise every NaN is (flt, fle).
FpOrder fp_compare(FpFormat format, std::uint64_t a, std::uint64_t b, bool quiet,
                   std::uint8_t& flags);

// The ten-bit mask of fclass.
std::uint32_t fp_classify(FpFormat format, std::uint64_t a);

}  // namespace quern::snitch
