// Element types of a GEMM, named as users write them (--dtype f32).
#pragma once

#include <optional>
#include <string_view>

namespace quern::generator {

enum class DType { f32 };

struct DTypeInfo {
  DType dtype;
  std::string_view name;    // on the command line and in kernel point ids
  int bits;                 // of one element
  std::string_view c_type;  // in generated C
};

inline constexpr DTypeInfo dtypes[] = {
    {DType::f32, "f32", 32, "float"},
};

constexpr const DTypeInfo& info(DType dtype) { return dtypes[static_cast<int>(dtype)]; }

constexpr std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& d : dtypes) {
    if (d.name == name) return d.dtype;
  }
  return std::nullopt;
}

}  // namespace quern::generator
