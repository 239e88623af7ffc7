// The end of a C kernel: C = alpha * sums, alpha * sums + C, or alpha * sums + beta * C, through
// small inline functions that take one vector of C each.
#include "generator/rvv/intrinsics_writer.h"

namespace quern::generator::rvv {

std::string IntrinsicsWriter::load_c(const char* place) const {
  const int bits = tile_.type.sum_bits, parts = tile_.type.parts;
  if (tile_.unit_stride_c() && parts == 1) {
    return fmt::format("{}({}, vl)", intrinsic(fmt::format("vle{}_v", bits), sum_), place);
  }
  return fmt::format("{}({}, {}, vl)", intrinsic(fmt::format("vlse{}_v", bits), sum_), place,
                     tile_.unit_stride_c() ? std::to_string(2 * tile_.sum_bytes()) : "stride");
}

void IntrinsicsWriter::store(const char* what) {
  const int bits = tile_.type.sum_bits;
  const bool unit = tile_.unit_stride_c();
  if (tile_.type.complex()) {
    line(1, "{}(c, {}__riscv_vcreate_v_{}x2({}), vl);",
         fmt::format("__riscv_v{}sseg2e{}_v_{}x2", unit ? "" : "s", bits, sum_.suffix),
         unit ? "" : "stride, ", sum_.suffix, what);
    return;
  }
  line(1, "{}(c, {}{}, vl);", intrinsic(fmt::format("v{}se{}_v", unit ? "" : "s", bits), sum_),
       unit ? "" : "stride, ", what);
}

// C is updated in two ways, or three: with beta = 0 it is never read.
void IntrinsicsWriter::helpers() {
  if (tile_.type.complex()) {
    complex_helpers();
  } else {
    real_helpers();
  }
}

void IntrinsicsWriter::real_helpers() {
  const auto scalar_type = tile_.type.sum_type;
  const std::string stride = tile_.unit_stride_c() ? "" : "ptrdiff_t stride, ";
  const std::string macc = tile_.type.integer() ? "vmacc_vx" : "vfmacc_vf";
  line(0, "static inline void overwrite({0}* c, {2}{1} sum, {0} alpha, size_t vl) {{", scalar_type,
       sum_.type, stride);
  store(fmt::format("{}(sum, alpha, vl)", intrinsic(sum_.multiply, sum_)).c_str());
  line(0, "}}");
  line(0, "");
  line(0, "static inline void accumulate({0}* c, {2}{1} sum, {0} alpha, {0} beta, size_t vl) {{",
       scalar_type, sum_.type, stride);
  line(1, "const {} old = {}({}, beta, vl);", sum_.type, intrinsic(sum_.multiply, sum_),
       load_c("c"));
  store(fmt::format("{}(old, alpha, sum, vl)", intrinsic(macc, sum_)).c_str());
  line(0, "}}");
  if (!choices_.beta_one) return;
  line(0, "");
  line(0, "static inline void add({0}* c, {2}{1} sum, {0} alpha, size_t vl) {{", scalar_type,
       sum_.type, stride);
  store(fmt::format("{}({}, alpha, sum, vl)", intrinsic(macc, sum_), load_c("c")).c_str());
  line(0, "}}");
}

void IntrinsicsWriter::complex_helpers() {
  const auto scalar_type = tile_.type.sum_type;
  const std::string stride = tile_.unit_stride_c() ? "" : "ptrdiff_t stride, ";
  const auto call = [&](const char* name) { return intrinsic(name, sum_); };
  const auto open = [&](const char* name, const char* beta) {
    line(0, "static inline void {}({}* c, {}{} re, {} im, const {}* alpha,{} size_t vl) {{", name,
         scalar_type, stride, sum_.type, sum_.type, scalar_type,
         beta[0] != '\0' ? fmt::format(" const {}* beta,", scalar_type) : "");
    line(1, "{} c_re = {}({}(re, alpha[0], vl), alpha[1], im, vl);", sum_.type, call("vfnmsac_vf"),
         call("vfmul_vf"));
    line(1, "{} c_im = {}({}(im, alpha[0], vl), alpha[1], re, vl);", sum_.type, call("vfmacc_vf"),
         call("vfmul_vf"));
  };
  const auto old = [&] {
    line(1, "const {} old_re = {};", sum_.type, load_c("c"));
    line(1, "const {} old_im = {};", sum_.type, load_c("c + 1"));
  };
  open("overwrite", "");
  store("c_re, c_im");
  line(0, "}}");
  line(0, "");
  open("accumulate", "beta");
  old();
  line(1, "c_re = {0}({1}(c_re, beta[0], old_re, vl), beta[1], old_im, vl);", call("vfnmsac_vf"),
       call("vfmacc_vf"));
  line(1, "c_im = {0}({0}(c_im, beta[0], old_im, vl), beta[1], old_re, vl);", call("vfmacc_vf"));
  store("c_re, c_im");
  line(0, "}}");
  if (!choices_.beta_one) return;
  line(0, "");
  open("add", "");
  old();
  line(1, "c_re = {}(c_re, old_re, vl);", call("vfadd_vv"));
  line(1, "c_im = {}(c_im, old_im, vl);", call("vfadd_vv"));
  store("c_re, c_im");
  line(0, "}}");
}

// Stores the tile, column by column, through one of the helpers.
void IntrinsicsWriter::update(int indent, const char* helper, const char* scale) {
  for (int j = 0; j < tile_.across; ++j) {
    for (int i = 0; i < tile_.vector_rows; ++i) {
      const std::string values = tile_.type.complex()
                                     ? fmt::format("{}, {}", cell(i, j, 0), cell(i, j, 1))
                                     : cell(i, j, 0);
      line(indent, "{}({}, {}{}, {}, {});", helper, c_place(i, j),
           tile_.unit_stride_c() ? "" : "stride, ", values, scale, cut_vl(i));
    }
  }
}

void IntrinsicsWriter::updates() {
  const auto type = tile_.type.sum_type;
  const bool complex = tile_.type.complex();
  if (!tile_.unit_stride_c()) {
    line(1, "/* C runs across the vectors. */");
    line(1, "const ptrdiff_t stride = ldc * {};", tile_.sum_bytes() * tile_.type.parts);
  }
  if (complex) {
    line(1, "const {0} alpha[2] = {{alpha_p[0], alpha_p[1]}};", type);
    line(1, "const {0} beta[2] = {{beta_p[0], beta_p[1]}};", type);
  } else {
    line(1, "const {} alpha = *alpha_p;", type);
    line(1, "const {} beta = *beta_p;", type);
  }
  const char* zero = complex ? "beta[0] == 0 && beta[1] == 0" : "beta == 0";
  const char* one = complex ? "beta[0] == 1 && beta[1] == 0" : "beta == 1";
  line(1, "if ({}) {{ /* C is not read: a NaN there must not survive */", zero);
  update(2, "overwrite", "alpha");
  if (choices_.beta_one) {
    line(1, "}} else if ({}) {{", one);
    update(2, "add", "alpha");
  }
  line(1, "}} else {{");
  update(2, "accumulate", "alpha, beta");
  line(1, "}}");
}

}  // namespace quern::generator::rvv
