// The core against the measured cycles of the real one: a representative choice. All programs are
// in conformance_all_test.cpp.
#include "tests/snitch_conformance/conformance.h"

#include <gtest/gtest.h>

namespace quern::snitch {
namespace {

class Conformance : public testing::TestWithParam<const char*> {};

TEST_P(Conformance, HasTheCyclesOfTheRealCore) {
  const Json& want = expected().at(GetParam());
  const Measured got = measure(GetParam());
  EXPECT_EQ(got.problem, "");
  EXPECT_EQ(got.warm, want.at("warm").get<std::int64_t>());
  EXPECT_EQ(hexadecimal(got.checksum), want.at("checksum").get<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Fast, Conformance,
                         testing::Values("int_empty", "int_mul_lw_mix", "int_div_pipe",
                                         "off_direct_behind_buffer", "fp_wb_all_groups",
                                         "mem_fld_lw_mix", "frep_nest_mid", "frep_stagger7_m9",
                                         "ssr_axpy_b0_0", "ssr_cont_lw_use", "ssr_4d_2",
                                         "fx_cvt_int_small", "fx_vcvt", "trap_scalar_chain",
                                         "mix_frep3", "mm_4x16x8_1x4_nest", "mmt_4x64x16_f16_n8"),
                         [](const auto& program) { return std::string(program.param); });

}  // namespace
}  // namespace quern::snitch
