#include "generator/snitch/instruction.h"

namespace quern::generator::snitch {
namespace {

using enum Form;
using P = Pipeline;

// In the order of Opcode. Encodings: docs/rm/hw/custom_instructions.md of snitch_cluster.
constexpr OpcodeInfo kTable[] = {
    {"li", immediate, P::integer, "", ""},
    {"mv", unary, P::integer, "", ""},
    {"addi", binary_imm, P::integer, "", ""},
    {"add", binary, P::integer, "", ""},
    {"sub", binary, P::integer, "", ""},
    {"mul", binary, P::integer, "", ""},
    {"slli", binary_imm, P::integer, "", ""},
    {"lw", load, P::integer, "", ""},
    {"sw", store, P::integer, "", ""},
    {"lhu", load, P::integer, "", ""},
    {"sh", store, P::integer, "", ""},
    {"fence", plain, P::integer, "", ""},
    {"fpu_fence", wait, P::integer, "", ""},
    {"scfgwi", config, P::integer, "i 0x2b, 2, x0", ""},
    {"csrsi 0x7c0, 1", plain, P::integer, "", ""},
    {"csrci 0x7c0, 1", plain, P::integer, "", ""},
    {"drain", wait, P::integer, "", ""},
    {"fld", load, P::load_store, "", ""},
    {"fsd", store, P::load_store, "", ""},
    {"flw", load, P::load_store, "", ""},
    {"fsw", store, P::load_store, "", ""},
    {"flh", load, P::load_store, "i 0x07, 1", ""},
    {"fsh", store, P::load_store, "s 0x27, 1", ""},
    {"fadd.d", binary, P::add_multiply, "", ""},
    {"fmul.d", binary, P::add_multiply, "", ""},
    {"fmadd.d", ternary, P::add_multiply, "", ""},
    {"fmax.d", binary, P::non_computational, "", ""},
    {"fmv.d", unary, P::non_computational, "", ""},
    {"fadd.s", binary, P::add_multiply, "", ""},
    {"fmul.s", binary, P::add_multiply, "", ""},
    {"fmadd.s", ternary, P::add_multiply, "", ""},
    {"fmax.s", binary, P::non_computational, "", ""},
    {"fmv.s", unary, P::non_computational, "", ""},
    {"fadd.h", binary, P::add_multiply, "r 0x53, 7, 0x02", ""},
    {"fmul.h", binary, P::add_multiply, "r 0x53, 7, 0x0a", ""},
    {"fmax.h", binary, P::non_computational, "r 0x53, 1, 0x16", ""},
    {"fcvt.d.w", unary, P::conversion, "", ""},
    {"fmv.w.x", unary, P::conversion, "", ""},
    {"fmv.h.x", unary, P::conversion, "r 0x53, 0, 0x7a", "x0"},
    {"fcvt.s.h", unary, P::conversion, "r 0x53, 0, 0x20", "x2"},
    {"fcvt.h.s", unary, P::conversion, "r 0x53, 7, 0x22", "x0"},
    {"vfadd.s", binary, P::add_multiply, "r 0x33, 0, 0x41", ""},
    {"vfmul.s", binary, P::add_multiply, "r 0x33, 0, 0x43", ""},
    {"vfmac.s", accumulate, P::add_multiply, "r 0x33, 0, 0x48", ""},
    {"vfmax.s", binary, P::non_computational, "r 0x33, 0, 0x46", ""},
    {"vfmul.r.s", binary, P::add_multiply, "r 0x33, 4, 0x43", ""},
    {"vfmac.r.s", accumulate, P::add_multiply, "r 0x33, 4, 0x48", ""},
    {"vfadd.r.s", binary, P::add_multiply, "r 0x33, 4, 0x41", ""},
    {"vfmax.r.s", binary, P::non_computational, "r 0x33, 4, 0x46", ""},
    {"vfadd.h", binary, P::add_multiply, "r 0x33, 2, 0x41", ""},
    {"vfmul.h", binary, P::add_multiply, "r 0x33, 2, 0x43", ""},
    {"vfmax.h", binary, P::non_computational, "r 0x33, 2, 0x46", ""},
    {"vfmax.r.h", binary, P::non_computational, "r 0x33, 6, 0x46", ""},
    {"vfcvt.s.h", unary, P::conversion, "r 0x33, 0, 0x4c", "x6"},
    {"vfcpka.s.s", binary, P::conversion, "r 0x33, 0, 0x58", ""},
    {"vfcpka.h.s", accumulate, P::conversion, "r 0x33, 2, 0x58", ""},
    {"vfcpkb.h.s", accumulate, P::conversion, "r 0x33, 6, 0x58", ""},
    {"vfsum.s", accumulate_1, P::dot_product, "r 0x33, 0, 0x47", "x28"},
    {"vfsumex.s.h", accumulate_1, P::dot_product, "r 0x33, 0, 0x47", "x22"},
    {"vfdotpex.s.h", accumulate, P::dot_product, "r 0x33, 0, 0x4b", ""},
};

}  // namespace

const OpcodeInfo& info(Opcode opcode) { return kTable[static_cast<int>(opcode)]; }

bool is_floating(Opcode opcode) {
  return info(opcode).pipeline != Pipeline::integer && opcode != Opcode::fcvt_d_w &&
         opcode != Opcode::fmv_w_x && opcode != Opcode::fmv_h_x;
}

bool reads_rd(Opcode opcode) {
  return info(opcode).form == accumulate || info(opcode).form == accumulate_1;
}

bool writes_integer(Opcode opcode) {
  return info(opcode).pipeline == Pipeline::integer && info(opcode).form != store &&
         info(opcode).form != config && info(opcode).form != plain;
}

}  // namespace quern::generator::snitch
