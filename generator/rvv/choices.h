// What a point of the rvv family chooses, typed. One table (choices.cpp) holds every choice's name,
// values, meaning and how it stands in a point's id.
//
//     layout     dtype, m_r, n_r, LMUL, the dimension along vectors, C's order, fixed or any VLEN:
//                which value sits where (tile.h)
//     order      how scalars meet vectors, unroll, buffers, look-ahead, load placement, prefetches:
//                the same values, sooner or later (loop_body.h, schedule.h)
#pragma once

#include <string>
#include <vector>

#include "generator/core/emitter.h"
#include "generator/rvv/lmul.h"

namespace quern::generator::rvv {

enum class ScalarOperand {
  scalar,     // vfmacc.vf with a scalar register
  broadcast,  // a scalar load, vfmv.v.f, vfmacc.vv
  gather,     // a vector load of the row, vrgather.vi, vfmacc.vv
};
enum class CPrefetch { none, load, zicbop };

struct Choices {
  Lmul lmul;
  ScalarOperand operand = ScalarOperand::scalar;
  int buffers = 1;
  int unroll = 1;
  int ahead = 0;        // FMAs between a scalar's load and its first use
  bool modulo = false;  // the timing tables place the loads, not `ahead`
  bool grouped = false;
  bool along_n = false;
  bool c_row_major = false;
  bool beta_one = false;
  CPrefetch c_prefetch = CPrefetch::none;
  int panel_prefetch = 0;  // bytes
  bool assembly = false;
  bool any_vlen = false;
  int vlen = 0;
};

// Of a complete point whose values are known ones (unknown_choice).
Choices choices_of(const KernelPoint& point);

// The emitter's parameters, default first (emitter.h).
std::vector<Parameter> choice_parameters(const Target& target);
// What is wrong with the value of some choice; empty: nothing.
std::string unknown_choice(const KernelPoint& point);

// The part of an id behind the tile, "m2-vf-a2-u2-p8-asm-v256", and back; false if it is none. A
// choice that has its default value is left out, but LMUL, operand and VLEN never are.
std::string choices_id(const KernelPoint& point);
bool parse_choices_id(const std::string& text, KernelPoint& point);

// The options that name the choices on the command line, without those that have their defaults
// (but --lmul): "--lmul 2 --buffers 2".
std::string choices_options(const KernelPoint& point);

}  // namespace quern::generator::rvv
