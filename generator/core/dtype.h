// Element types of a GEMM, named as users write them (--dtype f32).
//
//     name     A and B         sums and C   panels hold           as in
//     f32      float           float        float                 sgemm
//     f64      double          double       double                dgemm
//     f16      half            half         half                  hgemm
//     f16f32   half            float        half                  shgemm
//     bf16     bfloat16        float        bfloat16              sbgemm
//     i8       8-bit integer   int32        16-bit integer        gemm_s8s8s32
//     cf32     complex float   the same     floats: reals of a k step, then its imaginaries  cgemm
//     cf64     complex double  the same     doubles, likewise     zgemm
//
// Panels of i8 hold 16-bit integers because RVV 1.0 multiplies 8-bit integers into 16-bit sums
// only; packing widens them once, where the loop would do it for every tile.
#pragma once

#include <optional>
#include <string_view>

namespace quern::generator {

enum class DType { f32, f64, f16, f16f32, bf16, i8, cf32, cf64 };

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // on the command line and in kernel point ids
  int panel_bits;         // of one value in a packed panel (a complex element has two)
  int sum_bits;           // of one value in a sum and in C
  int parts;              // values of an element: 2 where it is complex
  std::string_view panel_type, sum_type;  // of one value in generated C

  bool widening() const { return sum_bits > panel_bits; }
  bool complex() const { return parts == 2; }
  bool integer() const { return dtype == DType::i8; }
  // Arithmetic operations of one multiply-accumulate, as BLAS counts them: a complex one has 8.
  int operations() const { return 2 * parts * parts; }
};

inline constexpr DTypeInfo dtypes[] = {
    {DType::f32, "f32", 32, 32, 1, "float", "float"},
    {DType::f64, "f64", 64, 64, 1, "double", "double"},
    {DType::f16, "f16", 16, 16, 1, "_Float16", "_Float16"},
    {DType::f16f32, "f16f32", 16, 32, 1, "_Float16", "float"},
    {DType::bf16, "bf16", 16, 32, 1, "__bf16", "float"},
    {DType::i8, "i8", 16, 32, 1, "int16_t", "int32_t"},
    {DType::cf32, "cf32", 32, 32, 2, "float", "float"},
    {DType::cf64, "cf64", 64, 64, 2, "double", "double"},
};

constexpr const DTypeInfo& info(DType dtype) { return dtypes[static_cast<int>(dtype)]; }

constexpr std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& d : dtypes) {
    if (d.name == name) return d.dtype;
  }
  return std::nullopt;
}

}  // namespace quern::generator
