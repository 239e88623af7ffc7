// Vector rows of the instruction table ("V" 1.0, Zvfh, Zvfbfmin, Zvfbfwma). See
// instruction_table.h.
//
// An arithmetic row is a family: one funct6 and the operand categories in which it exists; the
// table is expanded from it (vadd -> vadd.vv, vadd.vx, vadd.vi). A unary row is one instruction
// that has its own code in the vs1 field.
#pragma once

#include <cstdint>

#include "boards/timing/instruction_class.h"

namespace quern::timing {

// Operand categories: bit = funct3 of the OP-V encoding.
enum Category : std::uint8_t {
  opivv = 1 << 0,
  opfvv = 1 << 1,
  opmvv = 1 << 2,
  opivi = 1 << 3,
  opivx = 1 << 4,
  opfvf = 1 << 5,
  opmvx = 1 << 6,
};

// What a family does to its registers; decides operands and suffix.
enum class Pattern : std::uint8_t {
  plain,         // vd = vs2 op s1                         .vv .vx .vi .vf
  accumulate,    // vd += s1 * vs2                         .vv .vx .vf
  widen,         // 2 vd = vs2 op s1                       .vv .vx .vf
  widen_wide,    // 2 vd = 2 vs2 op s1                     .wv .wx .wf
  widen_add_to,  // 2 vd += s1 * vs2                       .vv .vx .vf
  narrow,        // vd = 2 vs2 op s1                       .wv .wx .wi
  to_mask,       // one register vd = vs2 op s1            .vv .vx .vi .vf
  carry,         // vd = vs2 op s1 with v0 (vm = 0)        .vvm .vxm .vim .vfm
  carry_out,     // one register vd = vs2 op s1 with v0    .vvm .vxm .vim
  carry_clear,   // the same without v0 (vm = 1)           .vv .vx .vi
  move,          // vd = s1 (vm = 1, vs2 = 0)              .v.v .v.x .v.i .v.f
  reduce,        // one register vd = vs1[0] op vs2        .vs
  reduce_widen,  // the same; result twice as wide         .vs
  mask_logic,    // one register each (vm = 1)             .mm
  keep,          // vd also read (slides up)               .vx .vi .vf
};

struct VectorFamily {
  const char* stem;
  std::uint32_t funct6;
  unsigned categories;
  InstructionClass instruction_class;
  Pattern pattern;
};

struct VectorUnary {
  const char* name;
  std::uint32_t funct6;
  std::uint32_t funct3;
  std::uint32_t vs1;
  InstructionClass instruction_class;
  const char* operands;
};

namespace rows {

using enum InstructionClass;
inline constexpr unsigned ivv_ivx = opivv | opivx;
inline constexpr unsigned ivv_ivx_ivi = opivv | opivx | opivi;
inline constexpr unsigned mvv_mvx = opmvv | opmvx;
inline constexpr unsigned fvv_fvf = opfvv | opfvf;

// clang-format off
inline constexpr VectorFamily families[] = {
    {"vadd", 0x00, ivv_ivx_ivi, vector_add, Pattern::plain},
    {"vsub", 0x02, ivv_ivx, vector_add, Pattern::plain},
    {"vrsub", 0x03, opivx | opivi, vector_add, Pattern::plain},
    {"vminu", 0x04, ivv_ivx, vector_add, Pattern::plain},
    {"vmin", 0x05, ivv_ivx, vector_add, Pattern::plain},
    {"vmaxu", 0x06, ivv_ivx, vector_add, Pattern::plain},
    {"vmax", 0x07, ivv_ivx, vector_add, Pattern::plain},
    {"vand", 0x09, ivv_ivx_ivi, vector_logic, Pattern::plain},
    {"vor", 0x0a, ivv_ivx_ivi, vector_logic, Pattern::plain},
    {"vxor", 0x0b, ivv_ivx_ivi, vector_logic, Pattern::plain},
    {"vrgather", 0x0c, opivv, vector_gather, Pattern::plain},
    {"vrgather", 0x0c, opivx | opivi, vector_gather_scalar, Pattern::plain},
    {"vslideup", 0x0e, opivx | opivi, vector_slide_up, Pattern::keep},
    {"vslidedown", 0x0f, opivx | opivi, vector_slide_down, Pattern::plain},
    {"vadc", 0x10, ivv_ivx_ivi, vector_add, Pattern::carry},
    {"vmadc", 0x11, ivv_ivx_ivi, vector_compare, Pattern::carry_out},
    {"vmadc", 0x11, ivv_ivx_ivi, vector_compare, Pattern::carry_clear},
    {"vsbc", 0x12, ivv_ivx, vector_add, Pattern::carry},
    {"vmsbc", 0x13, ivv_ivx, vector_compare, Pattern::carry_out},
    {"vmsbc", 0x13, ivv_ivx, vector_compare, Pattern::carry_clear},
    {"vmerge", 0x17, ivv_ivx_ivi, vector_merge, Pattern::carry},
    {"vmv", 0x17, ivv_ivx_ivi, vector_move, Pattern::move},
    {"vmseq", 0x18, ivv_ivx_ivi, vector_compare, Pattern::to_mask},
    {"vmsne", 0x19, ivv_ivx_ivi, vector_compare, Pattern::to_mask},
    {"vmsltu", 0x1a, ivv_ivx, vector_compare, Pattern::to_mask},
    {"vmslt", 0x1b, ivv_ivx, vector_compare, Pattern::to_mask},
    {"vmsleu", 0x1c, ivv_ivx_ivi, vector_compare, Pattern::to_mask},
    {"vmsle", 0x1d, ivv_ivx_ivi, vector_compare, Pattern::to_mask},
    {"vmsgtu", 0x1e, opivx | opivi, vector_compare, Pattern::to_mask},
    {"vmsgt", 0x1f, opivx | opivi, vector_compare, Pattern::to_mask},
    {"vsaddu", 0x20, ivv_ivx_ivi, vector_fixed_point, Pattern::plain},
    {"vsadd", 0x21, ivv_ivx_ivi, vector_fixed_point, Pattern::plain},
    {"vssubu", 0x22, ivv_ivx, vector_fixed_point, Pattern::plain},
    {"vssub", 0x23, ivv_ivx, vector_fixed_point, Pattern::plain},
    {"vsll", 0x25, ivv_ivx_ivi, vector_shift, Pattern::plain},
    {"vsmul", 0x27, ivv_ivx, vector_fixed_point, Pattern::plain},
    {"vsrl", 0x28, ivv_ivx_ivi, vector_shift, Pattern::plain},
    {"vsra", 0x29, ivv_ivx_ivi, vector_shift, Pattern::plain},
    {"vssrl", 0x2a, ivv_ivx_ivi, vector_fixed_point, Pattern::plain},
    {"vssra", 0x2b, ivv_ivx_ivi, vector_fixed_point, Pattern::plain},
    {"vnsrl", 0x2c, ivv_ivx_ivi, vector_narrow, Pattern::narrow},
    {"vnsra", 0x2d, ivv_ivx_ivi, vector_narrow, Pattern::narrow},
    {"vnclipu", 0x2e, ivv_ivx_ivi, vector_narrow, Pattern::narrow},
    {"vnclip", 0x2f, ivv_ivx_ivi, vector_narrow, Pattern::narrow},
    {"vwredsumu", 0x30, opivv, vector_reduction, Pattern::reduce_widen},
    {"vwredsum", 0x31, opivv, vector_reduction, Pattern::reduce_widen},

    {"vredsum", 0x00, opmvv, vector_reduction, Pattern::reduce},
    {"vredand", 0x01, opmvv, vector_reduction, Pattern::reduce},
    {"vredor", 0x02, opmvv, vector_reduction, Pattern::reduce},
    {"vredxor", 0x03, opmvv, vector_reduction, Pattern::reduce},
    {"vredminu", 0x04, opmvv, vector_reduction, Pattern::reduce},
    {"vredmin", 0x05, opmvv, vector_reduction, Pattern::reduce},
    {"vredmaxu", 0x06, opmvv, vector_reduction, Pattern::reduce},
    {"vredmax", 0x07, opmvv, vector_reduction, Pattern::reduce},
    {"vaaddu", 0x08, mvv_mvx, vector_fixed_point, Pattern::plain},
    {"vaadd", 0x09, mvv_mvx, vector_fixed_point, Pattern::plain},
    {"vasubu", 0x0a, mvv_mvx, vector_fixed_point, Pattern::plain},
    {"vasub", 0x0b, mvv_mvx, vector_fixed_point, Pattern::plain},
    {"vslide1up", 0x0e, opmvx, vector_slide_one, Pattern::plain},
    {"vslide1down", 0x0f, opmvx, vector_slide_one, Pattern::plain},
    {"vmandn", 0x18, opmvv, vector_mask_logic, Pattern::mask_logic},
    {"vmand", 0x19, opmvv, vector_mask_logic, Pattern::mask_logic},
    {"vmor", 0x1a, opmvv, vector_mask_logic, Pattern::mask_logic},
    {"vmxor", 0x1b, opmvv, vector_mask_logic, Pattern::mask_logic},
    {"vmorn", 0x1c, opmvv, vector_mask_logic, Pattern::mask_logic},
    {"vmnand", 0x1d, opmvv, vector_mask_logic, Pattern::mask_logic},
    {"vmnor", 0x1e, opmvv, vector_mask_logic, Pattern::mask_logic},
    {"vmxnor", 0x1f, opmvv, vector_mask_logic, Pattern::mask_logic},
    {"vdivu", 0x20, mvv_mvx, vector_divide, Pattern::plain},
    {"vdiv", 0x21, mvv_mvx, vector_divide, Pattern::plain},
    {"vremu", 0x22, mvv_mvx, vector_divide, Pattern::plain},
    {"vrem", 0x23, mvv_mvx, vector_divide, Pattern::plain},
    {"vmulhu", 0x24, mvv_mvx, vector_multiply, Pattern::plain},
    {"vmul", 0x25, mvv_mvx, vector_multiply, Pattern::plain},
    {"vmulhsu", 0x26, mvv_mvx, vector_multiply, Pattern::plain},
    {"vmulh", 0x27, mvv_mvx, vector_multiply, Pattern::plain},
    {"vmadd", 0x29, mvv_mvx, vector_multiply_add, Pattern::accumulate},
    {"vnmsub", 0x2b, mvv_mvx, vector_multiply_add, Pattern::accumulate},
    {"vmacc", 0x2d, mvv_mvx, vector_multiply_add, Pattern::accumulate},
    {"vnmsac", 0x2f, mvv_mvx, vector_multiply_add, Pattern::accumulate},
    {"vwaddu", 0x30, mvv_mvx, vector_widen_add, Pattern::widen},
    {"vwadd", 0x31, mvv_mvx, vector_widen_add, Pattern::widen},
    {"vwsubu", 0x32, mvv_mvx, vector_widen_add, Pattern::widen},
    {"vwsub", 0x33, mvv_mvx, vector_widen_add, Pattern::widen},
    {"vwaddu", 0x34, mvv_mvx, vector_widen_add, Pattern::widen_wide},
    {"vwadd", 0x35, mvv_mvx, vector_widen_add, Pattern::widen_wide},
    {"vwsubu", 0x36, mvv_mvx, vector_widen_add, Pattern::widen_wide},
    {"vwsub", 0x37, mvv_mvx, vector_widen_add, Pattern::widen_wide},
    {"vwmulu", 0x38, mvv_mvx, vector_widen_multiply, Pattern::widen},
    {"vwmulsu", 0x3a, mvv_mvx, vector_widen_multiply, Pattern::widen},
    {"vwmul", 0x3b, mvv_mvx, vector_widen_multiply, Pattern::widen},
    {"vwmaccu", 0x3c, mvv_mvx, vector_widen_multiply, Pattern::widen_add_to},
    {"vwmacc", 0x3d, mvv_mvx, vector_widen_multiply, Pattern::widen_add_to},
    {"vwmaccus", 0x3e, opmvx, vector_widen_multiply, Pattern::widen_add_to},
    {"vwmaccsu", 0x3f, mvv_mvx, vector_widen_multiply, Pattern::widen_add_to},

    {"vfadd", 0x00, fvv_fvf, vector_fp_add, Pattern::plain},
    {"vfredusum", 0x01, opfvv, vector_fp_reduction, Pattern::reduce},
    {"vfsub", 0x02, fvv_fvf, vector_fp_add, Pattern::plain},
    {"vfredosum", 0x03, opfvv, vector_fp_ordered_reduction, Pattern::reduce},
    {"vfmin", 0x04, fvv_fvf, vector_fp_select, Pattern::plain},
    {"vfredmin", 0x05, opfvv, vector_fp_reduction, Pattern::reduce},
    {"vfmax", 0x06, fvv_fvf, vector_fp_select, Pattern::plain},
    {"vfredmax", 0x07, opfvv, vector_fp_reduction, Pattern::reduce},
    {"vfsgnj", 0x08, fvv_fvf, vector_fp_select, Pattern::plain},
    {"vfsgnjn", 0x09, fvv_fvf, vector_fp_select, Pattern::plain},
    {"vfsgnjx", 0x0a, fvv_fvf, vector_fp_select, Pattern::plain},
    {"vfslide1up", 0x0e, opfvf, vector_slide_one, Pattern::plain},
    {"vfslide1down", 0x0f, opfvf, vector_slide_one, Pattern::plain},
    {"vfmerge", 0x17, opfvf, vector_merge, Pattern::carry},
    {"vfmv", 0x17, opfvf, vector_move, Pattern::move},
    {"vmfeq", 0x18, fvv_fvf, vector_fp_compare, Pattern::to_mask},
    {"vmfle", 0x19, fvv_fvf, vector_fp_compare, Pattern::to_mask},
    {"vmflt", 0x1b, fvv_fvf, vector_fp_compare, Pattern::to_mask},
    {"vmfne", 0x1c, fvv_fvf, vector_fp_compare, Pattern::to_mask},
    {"vmfgt", 0x1d, opfvf, vector_fp_compare, Pattern::to_mask},
    {"vmfge", 0x1f, opfvf, vector_fp_compare, Pattern::to_mask},
    {"vfdiv", 0x20, fvv_fvf, vector_fp_divide, Pattern::plain},
    {"vfrdiv", 0x21, opfvf, vector_fp_divide, Pattern::plain},
    {"vfmul", 0x24, fvv_fvf, vector_fp_multiply, Pattern::plain},
    {"vfrsub", 0x27, opfvf, vector_fp_add, Pattern::plain},
    {"vfmadd", 0x28, fvv_fvf, vector_fma, Pattern::accumulate},
    {"vfnmadd", 0x29, fvv_fvf, vector_fma, Pattern::accumulate},
    {"vfmsub", 0x2a, fvv_fvf, vector_fma, Pattern::accumulate},
    {"vfnmsub", 0x2b, fvv_fvf, vector_fma, Pattern::accumulate},
    {"vfmacc", 0x2c, fvv_fvf, vector_fma, Pattern::accumulate},
    {"vfnmacc", 0x2d, fvv_fvf, vector_fma, Pattern::accumulate},
    {"vfmsac", 0x2e, fvv_fvf, vector_fma, Pattern::accumulate},
    {"vfnmsac", 0x2f, fvv_fvf, vector_fma, Pattern::accumulate},
    {"vfwadd", 0x30, fvv_fvf, vector_widen_fp, Pattern::widen},
    {"vfwredusum", 0x31, opfvv, vector_fp_reduction, Pattern::reduce_widen},
    {"vfwsub", 0x32, fvv_fvf, vector_widen_fp, Pattern::widen},
    {"vfwredosum", 0x33, opfvv, vector_fp_ordered_reduction, Pattern::reduce_widen},
    {"vfwadd", 0x34, fvv_fvf, vector_widen_fp, Pattern::widen_wide},
    {"vfwsub", 0x36, fvv_fvf, vector_widen_fp, Pattern::widen_wide},
    {"vfwmul", 0x38, fvv_fvf, vector_widen_fp, Pattern::widen},
    {"vfwmaccbf16", 0x3b, fvv_fvf, vector_widen_fma, Pattern::widen_add_to},
    {"vfwmacc", 0x3c, fvv_fvf, vector_widen_fma, Pattern::widen_add_to},
    {"vfwnmacc", 0x3d, fvv_fvf, vector_widen_fma, Pattern::widen_add_to},
    {"vfwmsac", 0x3e, fvv_fvf, vector_widen_fma, Pattern::widen_add_to},
    {"vfwnmsac", 0x3f, fvv_fvf, vector_widen_fma, Pattern::widen_add_to},
};

// funct3: 1 OPFVV, 2 OPMVV.
inline constexpr VectorUnary unaries[] = {
    {"vcpop.m", 0x10, 2, 0x10, vector_mask_to_integer, "wxd rv2:1 m"},
    {"vfirst.m", 0x10, 2, 0x11, vector_mask_to_integer, "wxd rv2:1 m"},
    {"vzext.vf8", 0x12, 2, 0x02, vector_extend, "wvd rv2:e m"},
    {"vsext.vf8", 0x12, 2, 0x03, vector_extend, "wvd rv2:e m"},
    {"vzext.vf4", 0x12, 2, 0x04, vector_extend, "wvd rv2:q m"},
    {"vsext.vf4", 0x12, 2, 0x05, vector_extend, "wvd rv2:q m"},
    {"vzext.vf2", 0x12, 2, 0x06, vector_extend, "wvd rv2:h m"},
    {"vsext.vf2", 0x12, 2, 0x07, vector_extend, "wvd rv2:h m"},
    {"vmsbf.m", 0x14, 2, 0x01, vector_mask_scan, "wvd:1 rv2:1 m"},
    {"vmsof.m", 0x14, 2, 0x02, vector_mask_scan, "wvd:1 rv2:1 m"},
    {"vmsif.m", 0x14, 2, 0x03, vector_mask_scan, "wvd:1 rv2:1 m"},
    {"viota.m", 0x14, 2, 0x10, vector_mask_scan, "wvd rv2:1 m"},
    {"vfcvt.xu.f.v", 0x12, 1, 0x00, vector_convert, "wvd rv2 m"},
    {"vfcvt.x.f.v", 0x12, 1, 0x01, vector_convert, "wvd rv2 m"},
    {"vfcvt.f.xu.v", 0x12, 1, 0x02, vector_convert, "wvd rv2 m"},
    {"vfcvt.f.x.v", 0x12, 1, 0x03, vector_convert, "wvd rv2 m"},
    {"vfcvt.rtz.xu.f.v", 0x12, 1, 0x06, vector_convert, "wvd rv2 m"},
    {"vfcvt.rtz.x.f.v", 0x12, 1, 0x07, vector_convert, "wvd rv2 m"},
    {"vfwcvt.xu.f.v", 0x12, 1, 0x08, vector_widen_convert, "wvd:2 rv2 m"},
    {"vfwcvt.x.f.v", 0x12, 1, 0x09, vector_widen_convert, "wvd:2 rv2 m"},
    {"vfwcvt.f.xu.v", 0x12, 1, 0x0a, vector_widen_convert, "wvd:2 rv2 m"},
    {"vfwcvt.f.x.v", 0x12, 1, 0x0b, vector_widen_convert, "wvd:2 rv2 m"},
    {"vfwcvt.f.f.v", 0x12, 1, 0x0c, vector_widen_convert, "wvd:2 rv2 m"},
    {"vfwcvtbf16.f.f.v", 0x12, 1, 0x0d, vector_widen_convert, "wvd:2 rv2 m"},
    {"vfwcvt.rtz.xu.f.v", 0x12, 1, 0x0e, vector_widen_convert, "wvd:2 rv2 m"},
    {"vfwcvt.rtz.x.f.v", 0x12, 1, 0x0f, vector_widen_convert, "wvd:2 rv2 m"},
    {"vfncvt.xu.f.w", 0x12, 1, 0x10, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfncvt.x.f.w", 0x12, 1, 0x11, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfncvt.f.xu.w", 0x12, 1, 0x12, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfncvt.f.x.w", 0x12, 1, 0x13, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfncvt.f.f.w", 0x12, 1, 0x14, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfncvt.rod.f.f.w", 0x12, 1, 0x15, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfncvt.rtz.xu.f.w", 0x12, 1, 0x16, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfncvt.rtz.x.f.w", 0x12, 1, 0x17, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfncvtbf16.f.f.w", 0x12, 1, 0x1d, vector_narrow_convert, "wvd rv2:2 m"},
    {"vfsqrt.v", 0x13, 1, 0x00, vector_fp_divide, "wvd rv2 m"},
    {"vfrsqrt7.v", 0x13, 1, 0x04, vector_fp_estimate, "wvd rv2 m"},
    {"vfrec7.v", 0x13, 1, 0x05, vector_fp_estimate, "wvd rv2 m"},
    {"vfclass.v", 0x13, 1, 0x10, vector_fp_select, "wvd rv2 m"},
};
// clang-format on

}  // namespace rows
}  // namespace quern::timing
