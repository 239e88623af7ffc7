// Decoding against the encodings that the machine has and has not, and a few values by hand.
#include "boards/snitch/fpu/instruction.h"

#include <gtest/gtest.h>

#include "boards/snitch/fpu/arithmetic.h"

namespace quern::snitch {
namespace {

std::uint32_t packed(std::uint32_t f7, std::uint32_t rs2, std::uint32_t f3) {
  return (f7 << 25) | (rs2 << 20) | (11U << 15) | (f3 << 12) | (10U << 7) | 0x33;
}
std::uint32_t scalar(std::uint32_t f7, std::uint32_t rs2, std::uint32_t f3) {
  return (f7 << 25) | (rs2 << 20) | (11U << 15) | (f3 << 12) | (10U << 7) | 0x53;
}

FpResult run(std::uint32_t bits, const FpOperands& operands) {
  const auto instruction = decode_fp(bits);
  EXPECT_TRUE(instruction.has_value());
  return execute_fp(*instruction, operands);
}

TEST(Decode, RefusesWhatTheMachineLacks) {
  EXPECT_FALSE(decode_fp(scalar(0x0d, 5, 7)));  // fdiv.d
  EXPECT_FALSE(decode_fp(scalar(0x2d, 0, 7)));  // fsqrt.d
  EXPECT_FALSE(decode_fp(scalar(0x26, 5, 7)));  // fmulex.s.h
  EXPECT_FALSE(decode_fp(packed(0x44, 5, 0)));  // vfdiv.s
  EXPECT_FALSE(decode_fp(packed(0x58, 5, 4)));  // vfcpkb.s.s
  EXPECT_FALSE(decode_fp(scalar(0x01, 5, 5)));  // a rounding mode that does not exist
  EXPECT_FALSE(decode_fp(0x00000013));          // nop
}

TEST(Decode, TellsGroupsAndOperands) {
  const auto dot = decode_fp(packed(0x4b, 5, 0));  // vfdotpex.s.h
  ASSERT_TRUE(dot);
  EXPECT_EQ(dot->group, FpGroup::dot_product);
  EXPECT_TRUE(dot->reads_rd);
  const auto compare = decode_fp(scalar(0x51, 5, 1));  // flt.d
  ASSERT_TRUE(compare);
  EXPECT_TRUE(compare->integer_rd);
  EXPECT_EQ(compare->group, FpGroup::non_computational);
  const auto from = decode_fp(scalar(0x69, 0, 7));  // fcvt.d.w
  ASSERT_TRUE(from);
  EXPECT_TRUE(from->integer_rs1);
  EXPECT_FALSE(from->reads_rs1);
}

// From the public decoder of the original: with f64 registers these are no FP instructions.
TEST(Decode, KnowsTheLostMoves) {
  for (const std::uint32_t f3 : {2U, 3U, 6U, 7U}) {
    for (const std::uint32_t code : {0U, 2U, 3U}) {  // vfmv, vfcvt.x.F, vfcvt.F.x, unsigned forms
      EXPECT_TRUE(is_lost_move(packed(0x4c, code, f3))) << f3 << " " << code;
      EXPECT_FALSE(decode_fp(packed(0x4c, code, f3))) << f3 << " " << code;
    }
  }
  EXPECT_TRUE(is_lost_move(packed(0x4c, 1, 3)));   // vfclass.b
  EXPECT_FALSE(is_lost_move(packed(0x4c, 1, 7)));  // no instruction
  EXPECT_FALSE(decode_fp(packed(0x4c, 1, 7)));
  EXPECT_FALSE(is_lost_move(packed(0x4c, 1, 2)));  // vfclass.h
  EXPECT_TRUE(decode_fp(packed(0x4c, 1, 2)));
  EXPECT_FALSE(is_lost_move(packed(0x4c, 2, 0)));  // vfcvt.x.s: no instruction
  EXPECT_FALSE(decode_fp(packed(0x4c, 2, 0)));
  EXPECT_FALSE(is_lost_move(packed(0x4c, 4, 2)));  // vfcvt.h.s
  EXPECT_FALSE(is_lost_move(packed(0x4d, 0, 2)));  // vfsgnj.h
  EXPECT_FALSE(is_lost_move(scalar(0x4c, 0, 2)));
}

TEST(Execute, UnboxedOperandsReadAsNan) {
  FpOperands o;
  o.rs1 = 0x3f800000;  // 1.0f without its box
  o.rs2 = 0xffffffff3f800000;
  EXPECT_EQ(run(scalar(0x00, 5, 0), o).value, 0xffffffff7fc00000U);  // fadd.s
}

TEST(Execute, PackedSumAndFusedWork) {
  FpOperands o;
  o.rs1 = 0x40000000'3f800000;                                         // {2, 1}
  o.rs2 = 0x40400000'40a00000;                                         // {3, 5}
  o.rd = 0x41200000'42c80000;                                          // {10, 100}
  EXPECT_EQ(run(packed(0x41, 5, 0), o).value, 0x40a00000'40c00000U);   // vfadd.s: {5, 6}
  EXPECT_EQ(run(packed(0x41, 5, 4), o).value, 0x40e00000'40c00000U);   // vfadd.r.s: {7, 6}
  EXPECT_EQ(run(packed(0x48, 5, 0), o).value, 0x41800000'42d20000U);   // vfmac.s: {16, 105}
  EXPECT_EQ(run(packed(0x49, 5, 0), o).value, 0x40800000'42be0000U);   // vfmre.s: {4, 95}
  EXPECT_EQ(run(packed(0x47, 28, 0), o).value, 0xffffffff'42ce0000U);  // vfsum.s: 100 + 1 + 2
}

TEST(Execute, WideningDotProduct) {
  FpOperands o;
  o.rs1 = 0x4400'4200'4000'3c00;                                      // {4, 3, 2, 1}
  o.rs2 = 0x3c00'3c00'4000'4000;                                      // {1, 1, 2, 2}
  o.rd = 0x3f800000'00000000;                                         // {1, 0}
  EXPECT_EQ(run(packed(0x4b, 5, 0), o).value, 0x41000000'40c00000U);  // {1+3+4, 2+4}
}

TEST(Execute, PackPutsRs1Low) {
  FpOperands o;
  o.rs1 = 0xffffffff3f800000;
  o.rs2 = 0xffffffff40000000;
  EXPECT_EQ(run(packed(0x58, 5, 0), o).value, 0x40000000'3f800000U);
  o.rd = 0x1111222233334444;
  EXPECT_EQ(run(packed(0x58, 5, 6), o).value, 0x4000'3c00'3333'4444U);  // vfcpkb.h.s
}

struct Conversion {
  const char* name;
  std::uint32_t code, f3;
  std::uint64_t rs1, value;
  unsigned flags = 0;
};

// The first four are the first turn of the conformance program fx_vcvt; their checksum was measured
// on the original. rd held zero there.
const Conversion conversions[] = {
    {"vfcvt.s.h", 6, 0, 0xfbfffc00'fbfffbff, 0xc77fe000'c77fe000},
    {"vfcvt.h.s", 4, 2, 0xfbfffc00'fbfffbff, 0xffffffff'fc00fc00, fp_overflow | fp_inexact},
    {"vfcvt.h.b", 7, 2, 0xfbfffc00'fbfffbff, 0xfb007e00'fb007e00},
    {"vfcvt.b.h", 6, 3, 0xfbfffc00'fbfffbff, 0xffffffff'fcfcfcfc, fp_overflow | fp_inexact},
    {"vfcvt.b.s", 4, 3, 0x40400000'3f800000, 0xffffffff'ffff423c},  // {3, 1}
    {"vfcvt.s.b", 7, 0, 0x44424038'c0c23e3c, 0x3fc00000'3f800000},  // {1.5, 1}
    {"vfcvt.d.s", 4, 1, 0x40400000'3f800000, 0x3ff00000'00000000},
    {"vfcvtu.s.h", 6, 4, 0x44004200'40003c00, 0x40800000'40400000},  // {4, 3}
    {"vfcvtu.h.b", 7, 6, 0x44424038'c0c23e3c, 0x44004200'40003800},
    {"vfcvtu.s.b", 7, 4, 0x44424038'c0c23e3c, 0x40000000'3f000000},  // {2, 0.5}
    {"vfcvtu.h.s", 4, 6, 0x40400000'3f800000, 0xffffffff'42003c00},  // narrowing: as vfcvt.h.s
    {"vfcvtu.b.h", 6, 7, 0x44004200'40003c00, 0xffffffff'4442403c},
};

TEST(Execute, PackedConversions) {
  for (const Conversion& c : conversions) {
    FpOperands o;
    o.rs1 = c.rs1;
    o.rd = 0x0123456789abcdef;  // which no conversion looks at
    const FpResult r = run(packed(0x4c, c.code, c.f3), o);
    EXPECT_EQ(r.value, c.value) << c.name << std::hex << " gave " << r.value;
    EXPECT_EQ(r.flags, c.flags) << c.name;
  }
}

TEST(Execute, PackedClassesAreBytes) {
  FpOperands o;
  o.rs1 = 0x7e00'8001'0000'fc00;  // quiet NaN, -subnormal, +0, -infinity
  EXPECT_EQ(run(packed(0x4c, 1, 2), o).value, 0x60844881U);
  o.rs1 = 0x7fa00000'3f800000;                               // signalling NaN, 1.0
  EXPECT_EQ(run(packed(0x4c, 1, 0), o).value, 0x00005042U);  // vfclass.s
}

TEST(Execute, PackedComparesAreBits) {
  FpOperands o;
  o.rs1 = 0x4400'4200'4000'3c00;
  o.rs2 = 0x4400'4000'4000'3c00;
  EXPECT_EQ(run(packed(0x50, 5, 2), o).value, 0b1011U);  // vfeq.h
}

TEST(Execute, AlternativeFormats) {
  FpOperands o;
  o.rs1 = 0xffffffffffff3f80;  // 1.0 in bf16
  o.rs2 = 0xffffffffffff4000;  // 2.0 in bf16
  o.source_alt = o.result_alt = true;
  EXPECT_EQ(run(scalar(0x02, 5, 0), o).value, 0xffffffffffff4040U);  // fadd.h: 3.0
}

}  // namespace
}  // namespace quern::snitch
