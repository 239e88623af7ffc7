// The classes into which the timing model sorts instructions: two instructions are in one class
// when a board can be expected to give them the same unit, latency and occupancy at equal SEW and
// LMUL.
//
// A board file names classes by the strings below (see timing.schema.json); the instruction table
// gives every instruction its class. The list is the whole vocabulary: there is no default class,
// so that nothing is ever free by omission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace quern::timing {

// clang-format off
#define QUERN_INSTRUCTION_CLASSES(X)                                                               \
  /* integer */                                                                                    \
  X(integer, "integer") X(integer_slow, "integer-slow") X(multiply, "multiply")                    \
  X(multiply_word, "multiply-word") X(multiply_high, "multiply-high") X(divide, "divide")          \
  X(divide_word, "divide-word")                                                                    \
  /* scalar memory */                                                                              \
  X(load, "load") X(store, "store") X(fp_load, "fp-load") X(fp_store, "fp-store")                  \
  X(atomic, "atomic") X(load_reserved, "load-reserved")                                            \
  X(store_conditional, "store-conditional") X(prefetch, "prefetch") X(cache_block, "cache-block")  \
  /* scalar floating point */                                                                      \
  X(fp_add_single, "fp-add-single") X(fp_add_double, "fp-add-double")                              \
  X(fp_multiply_single, "fp-multiply-single") X(fp_multiply_double, "fp-multiply-double")          \
  X(fp_fma_single, "fp-fma-single") X(fp_fma_double, "fp-fma-double")                              \
  X(fp_divide_half, "fp-divide-half") X(fp_divide_single, "fp-divide-single")                      \
  X(fp_divide_double, "fp-divide-double") X(fp_sqrt_half, "fp-sqrt-half")                          \
  X(fp_sqrt_single, "fp-sqrt-single") X(fp_sqrt_double, "fp-sqrt-double")                          \
  X(fp_compare, "fp-compare") X(fp_select, "fp-select") X(fp_convert, "fp-convert")                \
  X(fp_to_integer, "fp-to-integer") X(integer_to_fp, "integer-to-fp")                              \
  X(fp_move_to_integer, "fp-move-to-integer") X(fp_move_from_integer, "fp-move-from-integer")      \
  /* control */                                                                                    \
  X(branch, "branch") X(jump, "jump") X(csr, "csr") X(fence, "fence") X(system, "system")          \
  X(vector_configure, "vector-configure")                                                          \
  /* vector integer */                                                                             \
  X(vector_add, "vector-add") X(vector_logic, "vector-logic") X(vector_shift, "vector-shift")      \
  X(vector_compare, "vector-compare") X(vector_multiply, "vector-multiply")                        \
  X(vector_multiply_add, "vector-multiply-add") X(vector_widen_add, "vector-widen-add")            \
  X(vector_widen_multiply, "vector-widen-multiply") X(vector_narrow, "vector-narrow")              \
  X(vector_extend, "vector-extend") X(vector_fixed_point, "vector-fixed-point")                    \
  X(vector_divide, "vector-divide")                                                                \
  /* vector floating point */                                                                      \
  X(vector_fp_add, "vector-fp-add") X(vector_fp_multiply, "vector-fp-multiply")                    \
  X(vector_fma, "vector-fma") X(vector_widen_fma, "vector-widen-fma")                              \
  X(vector_widen_fp, "vector-widen-fp") X(vector_fp_divide, "vector-fp-divide")                    \
  X(vector_fp_estimate, "vector-fp-estimate") X(vector_fp_compare, "vector-fp-compare")            \
  X(vector_fp_select, "vector-fp-select") X(vector_convert, "vector-convert")                      \
  X(vector_widen_convert, "vector-widen-convert") X(vector_narrow_convert, "vector-narrow-convert")\
  /* vector moves and permutations */                                                              \
  X(vector_move, "vector-move") X(vector_merge, "vector-merge")                                    \
  X(vector_move_whole, "vector-move-whole") X(vector_from_integer, "vector-from-integer")          \
  X(vector_from_fp, "vector-from-fp") X(vector_to_integer, "vector-to-integer")                    \
  X(vector_to_fp, "vector-to-fp") X(vector_slide_up, "vector-slide-up")                            \
  X(vector_slide_down, "vector-slide-down") X(vector_slide_one, "vector-slide-one")                \
  X(vector_gather, "vector-gather") X(vector_gather_scalar, "vector-gather-scalar")                \
  X(vector_compress, "vector-compress")                                                            \
  /* vector reductions and masks */                                                                \
  X(vector_reduction, "vector-reduction") X(vector_fp_reduction, "vector-fp-reduction")            \
  X(vector_fp_ordered_reduction, "vector-fp-ordered-reduction")                                    \
  X(vector_mask_logic, "vector-mask-logic") X(vector_mask_scan, "vector-mask-scan")                \
  X(vector_mask_to_integer, "vector-mask-to-integer") X(vector_index, "vector-index")              \
  /* vector memory */                                                                              \
  X(vector_load, "vector-load") X(vector_load_first_fault, "vector-load-first-fault")              \
  X(vector_load_strided, "vector-load-strided") X(vector_load_indexed, "vector-load-indexed")      \
  X(vector_load_segment, "vector-load-segment")                                                    \
  X(vector_load_segment_strided, "vector-load-segment-strided")                                    \
  X(vector_load_segment_indexed, "vector-load-segment-indexed")                                    \
  X(vector_load_whole, "vector-load-whole") X(vector_load_mask, "vector-load-mask")                \
  X(vector_store, "vector-store") X(vector_store_strided, "vector-store-strided")                  \
  X(vector_store_indexed, "vector-store-indexed") X(vector_store_segment, "vector-store-segment")  \
  X(vector_store_segment_strided, "vector-store-segment-strided")                                  \
  X(vector_store_segment_indexed, "vector-store-segment-indexed")                                  \
  X(vector_store_whole, "vector-store-whole") X(vector_store_mask, "vector-store-mask")            \
  /* what the decoder does not know: costs one cycle alone, counted and named */                   \
  X(unknown, "unknown")
// clang-format on

enum class InstructionClass : std::uint8_t {
#define X(identifier, name) identifier,
  QUERN_INSTRUCTION_CLASSES(X)
#undef X
};

inline constexpr std::string_view instruction_class_names[] = {
#define X(identifier, name) name,
    QUERN_INSTRUCTION_CLASSES(X)
#undef X
};

inline constexpr std::size_t instruction_class_count = std::size(instruction_class_names);

inline constexpr std::string_view name_of(InstructionClass c) {
  return instruction_class_names[static_cast<std::size_t>(c)];
}

std::optional<InstructionClass> instruction_class_named(std::string_view name);

constexpr bool is_vector(InstructionClass c) {
  return c >= InstructionClass::vector_add && c <= InstructionClass::vector_store_mask;
}
constexpr bool is_vector_load(InstructionClass c) {
  return c >= InstructionClass::vector_load && c <= InstructionClass::vector_load_mask;
}
constexpr bool is_vector_store(InstructionClass c) {
  return c >= InstructionClass::vector_store && c <= InstructionClass::vector_store_mask;
}
constexpr bool is_scalar_load(InstructionClass c) {
  return c == InstructionClass::load || c == InstructionClass::fp_load ||
         c == InstructionClass::load_reserved || c == InstructionClass::atomic;
}
constexpr bool is_scalar_store(InstructionClass c) {
  return c == InstructionClass::store || c == InstructionClass::fp_store ||
         c == InstructionClass::store_conditional;
}
constexpr bool is_load(InstructionClass c) { return is_scalar_load(c) || is_vector_load(c); }
constexpr bool is_store(InstructionClass c) { return is_scalar_store(c) || is_vector_store(c); }
// Instructions with a result that the floating-point and vector part of a core writes: registers f
// and v, and what it hands to an x register.
constexpr bool is_fp_or_vector_result(InstructionClass c) {
  return c == InstructionClass::fp_load ||
         (c >= InstructionClass::fp_add_single && c <= InstructionClass::fp_move_from_integer) ||
         (is_vector(c) && !is_vector_store(c));
}
// Multiply-accumulates on vectors: the work that a GEMM kernel is there to do.
constexpr bool is_vector_fma(InstructionClass c) {
  return c == InstructionClass::vector_fma || c == InstructionClass::vector_widen_fma ||
         c == InstructionClass::vector_multiply_add || c == InstructionClass::vector_widen_multiply;
}

}  // namespace quern::timing
