#include "generator/rvv/mnemonics.h"

#include <fmt/format.h>

namespace quern::generator::rvv {
namespace {

const char* fp_load(int bits) { return bits == 64 ? "fld" : bits == 32 ? "flw" : "flh"; }

}  // namespace

Mnemonics mnemonics(const DTypeInfo& type) {
  Mnemonics m;
  m.vector_load = fmt::format("vle{}.v", type.panel_bits);
  m.c_load = fmt::format("vle{}.v", type.sum_bits);
  m.c_store = fmt::format("vse{}.v", type.sum_bits);
  m.c_load_strided = fmt::format("vlse{}.v", type.sum_bits);
  m.c_store_strided = fmt::format("vsse{}.v", type.sum_bits);
  if (type.complex()) {
    m.c_store = fmt::format("vsseg2e{}.v", type.sum_bits);
    m.c_store_strided = fmt::format("vssseg2e{}.v", type.sum_bits);
  }
  m.bits_load = type.sum_bits == 64 ? "ld" : type.sum_bits == 32 ? "lwu" : "lhu";
  if (type.integer()) {
    m.scalar_load = "lh";
    m.spread_scalar = "vmv.v.x";
    m.multiply_add = "vwmacc.vx";
    m.multiply_add_vv = "vwmacc.vv";
    m.integer_scalars = m.integer_operands = true;
    m.sum_load = "lw";
    m.scale = "vmul.vx";
    m.accumulate = "vmacc.vx";
    m.scale_and_add = "vmadd.vx";
    m.one_bits = "1";
    return m;
  }
  m.scalar_load = fp_load(type.panel_bits);
  m.spread_scalar = "vfmv.v.f";
  m.multiply_add = "vfmacc.vf";
  m.multiply_add_vv = "vfmacc.vv";
  m.multiply_subtract = "vfnmsac.vf";
  m.multiply_subtract_vv = "vfnmsac.vv";
  if (type.dtype == DType::f16f32) {
    m.multiply_add = "vfwmacc.vf";
    m.multiply_add_vv = "vfwmacc.vv";
  } else if (type.dtype == DType::bf16) {
    m.multiply_add = "vfwmaccbf16.vf";
    m.multiply_add_vv = "vfwmaccbf16.vv";
    // There is no vfmv.v.f for bfloat16: its bits go the integer way.
    m.spread_scalar = "vmv.v.x";
    m.integer_scalars = true;
  }
  m.sum_load = fp_load(type.sum_bits);
  m.scale = "vfmul.vf";
  m.accumulate = "vfmacc.vf";
  m.accumulate_negative = "vfnmsac.vf";
  m.scale_and_add = "vfmadd.vf";
  m.add = "vfadd.vv";
  m.one_bits = type.sum_bits == 64   ? "0x3ff0000000000000"
               : type.sum_bits == 32 ? "0x3f800000"
                                     : "0x3c00";
  return m;
}

}  // namespace quern::generator::rvv
