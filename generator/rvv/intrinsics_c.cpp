#include "generator/rvv/intrinsics_c.h"

#include "generator/rvv/intrinsics_writer.h"

namespace quern::generator::rvv {

void IntrinsicsWriter::header(const std::string& id) {
  const int least = (tile_.vector_rows - 1) * tile_.lanes + 1;
  const char* dimension = tile_.along_n ? "columns" : "rows";
  line(0, "/*");
  line(0, " * {}: a GEMM micro-kernel for {}VLEN {}.", id,
       tile_.any_vlen ? "every VLEN of 128 or more, here counted for " : "", tile_.vlen);
  line(0, " *");
  line(0, " *   C = alpha * A * B + beta * C,  C is {} with {} <= {} <= {}{}",
       tile_.along_n ? fmt::format("{} x n", tile_.across) : fmt::format("m x {}", tile_.across),
       least, size_, tile_.vector_rows * tile_.lanes, tile_.c_row_major ? ", row-major" : "");
  line(0, " *");
  line(0, " * Register map, {} of 32 vector registers (LMUL {}) and {} of {} scalars:",
       tile_.vector_registers(panel_groups(tile_, schedule_of(point_, {}))), tile_.lmul.text(),
       k_step_scalars(tile_, choices_.operand), scalar_registers_of(tile_));
  line(0, " *");
  line(0, " *         {:<6} {}", scalars_ + "0",
       tile_.across > 1 ? fmt::format("... {}{}", scalars_, tile_.across - 1) : "");
  for (int i = 0; i < tile_.vector_rows; ++i) {
    const std::string rows =
        last(i) ? fmt::format("{} {}..{}-1", dimension, i * tile_.lanes, size_)
                : fmt::format("{} {}..{}", dimension, i * tile_.lanes, (i + 1) * tile_.lanes - 1);
    line(0, " *   {}{:<4}  c{}_0   {:<10} {}", vectors_, i, i,
         tile_.across > 1 ? fmt::format("... c{}_{}", i, tile_.across - 1) : "", rows);
  }
  line(0, " *");
  if (tile_.type.complex())
    line(0,
         " * Each of them is a pair, _re and _im: c_re += re*re - im*im, c_im += re*im + im*re.");
  if (choices_.operand == ScalarOperand::scalar) {
    line(
        0,
        " * The vectors {0}0, {0}1, ... are loaded one after the other, so one register holds them "
        "in turn.",
        vectors_);
  }
  line(0, " * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN {}:",
       tile_.vlen);
  line(0, " *   quern generate --board B --dtype {} --mr {} --nr {} {}", tile_.type.name, tile_.m_r,
       tile_.n_r, choices_options(point_));
  line(0, " */");
}

// Where vector i of the k step starts in the panel: imaginaries behind all reals.
std::string IntrinsicsWriter::vector_place(int i) const {
  const int row = i % tile_.vector_rows;
  const std::string part =
      i < tile_.vector_rows ? vectors_ : fmt::format("{} + {}", vectors_, size_);
  return row == 0 ? part : plus(part, full(row));
}

// Where a cell of C starts.
std::string IntrinsicsWriter::c_place(int row, int column) const {
  const int parts = tile_.type.parts;
  std::string place = "c";
  const std::string times = parts == 2 ? "2 * " : "";
  const auto leading = [&](const std::string& count) {
    return count == "1" ? times + "ldc" : fmt::format("{}{} * ldc", times, count);
  };
  if (tile_.unit_stride_c()) {
    if (column > 0) place = plus(place, leading(std::to_string(column)));
    if (row > 0) place = plus(place, times + full(row));
  } else {
    if (column > 0) place = plus(place, std::to_string(parts * column));
    if (row > 0)
      place = plus(place, tile_.any_vlen ? fmt::format("{}(int64_t)({}) * ldc", times, full(row))
                                         : leading(full(row)));
  }
  return place;
}

void IntrinsicsWriter::lengths() {
  if (!runs_over()) {
    line(1, "const size_t last_vl = (size_t){};", size_);
    return;
  }
  if (tile_.any_vlen) {
    line(1, "const size_t vl = __riscv_vsetvlmax_e{}{}();", tile_.type.panel_bits,
         tile_.lmul.name());
  } else {
    line(1, "const size_t vl = {};", tile_.lanes);
  }
  if (tile_.has_tail()) {
    line(1, "const size_t last_vl = (size_t){} - {};", size_, full(tile_.vector_rows - 1));
  } else {
    line(1, "const size_t last_vl = (size_t){};", size_);
  }
}

// Every line of C's full vectors and the start of its last ones: what is C's for certain.
void IntrinsicsWriter::prefetch_c() {
  if (choices_.c_prefetch == CPrefetch::none) return;
  line(1, "/* Ask for C, which is needed at the end. */");
  constexpr int cache_line = 64;
  const int element = tile_.sum_bytes() * tile_.type.parts;
  const int bytes = (tile_.vector_rows - 1) * tile_.lanes * element;
  for (int j = 0; j < tile_.across; ++j) {
    for (int offset = 0; offset <= bytes; offset += cache_line) {
      const std::string place = fmt::format("(const char*)({}) + {}", c_place(0, j), offset);
      if (choices_.c_prefetch == CPrefetch::zicbop) {
        line(1, "__builtin_prefetch({}, 1);", place);
      } else {
        line(1, "__asm__ volatile(\"lb zero, 0(%0)\" : : \"r\"({}));", place);
      }
    }
  }
}

void IntrinsicsWriter::multiply_add(int indent, const Operation& operation, const std::string& vl) {
  const auto to = tile_.product(operation.i, operation.j);
  const bool spread = choices_.operand != ScalarOperand::scalar;
  std::string name = tile_.type.integer()                ? "vwmacc"
                     : tile_.type.dtype == DType::bf16   ? "vfwmaccbf16"
                     : tile_.type.dtype == DType::f16f32 ? "vfwmacc"
                     : to.subtract                       ? "vfnmsac"
                                                         : "vfmacc";
  name += spread ? "_vv" : tile_.type.integer() ? "_vx" : "_vf";
  line(indent, "{0} = {1}({0}, {2}{3}, {4}, {5});", cell(to.row, to.column, to.part),
       intrinsic(name, sum_), scalar(operation.j), spread ? "_v" : "", vector(operation.i), vl);
}

// One k step. Where `cut` is set it reads no further than its panels go.
void IntrinsicsWriter::step(int indent, bool cut) {
  const std::string whole = runs_over() ? "vl" : "last_vl";
  const bool spread = choices_.operand != ScalarOperand::scalar;
  for (const Operation& operation : k_step(tile_, choices_.operand)) {
    const int i = operation.i, j = operation.j, row = i % tile_.vector_rows;
    switch (operation.kind) {
      case Operation::load_scalar:
        line(indent, "const {} {} = {}[{}];", tile_.type.panel_type, scalar(j), scalars_, j);
        break;
      case Operation::load_row:
        line(indent, "const {} row = {}({}, {});", panel_.type,
             intrinsic(fmt::format("vle{}_v", tile_.type.panel_bits), panel_), scalars_,
             cut ? std::to_string(tile_.scalars()) : whole);
        break;
      case Operation::spread:
        if (gathers()) {
          line(indent, "const {} {}_v = {}(row, {}, {});", panel_.type, scalar(j),
               intrinsic("vrgather_vx", panel_), j, whole);
        } else {
          line(indent, "const {0} {1}_v = {2}({1}, {3});", panel_.type, scalar(j),
               intrinsic(panel_.splat, panel_), whole);
        }
        break;
      case Operation::load_vector:
        line(indent, "const {} {} = {}({}, {});", panel_.type, vector(i),
             intrinsic(fmt::format("vle{}_v", tile_.type.panel_bits), panel_), vector_place(i),
             cut ? cut_vl(row) : whole);
        break;
      case Operation::advance_vectors:
      case Operation::advance_scalars:
        break;  // places are counted from the panel's start
      case Operation::fma:
        multiply_add(indent, operation, cut && !spread ? cut_vl(row) : whole);
        break;
    }
  }
  if (choices_.panel_prefetch > 0) {
    const int bytes = tile_.along * tile_.panel_bytes() * tile_.type.parts;
    for (int offset = 0; offset < bytes; offset += 64) {
      line(indent, "__builtin_prefetch((const char*){} + {});", vectors_,
           choices_.panel_prefetch + offset);
    }
  }
}

void IntrinsicsWriter::advance(int indent) {
  line(indent, "{} += {}{};", vectors_, tile_.type.complex() ? "2 * " : "", size_);
  line(indent, "{} += {};", scalars_, tile_.scalars());
}

void IntrinsicsWriter::loops() {
  std::string whole = "k";
  if (runs_over()) {
    line(1,
         "/* A short last vector is loaded at full length while the panel goes on behind it: the "
         "spare lanes hold");
    line(1,
         "   values of the next k step and are never stored. Only the last step{} must cut it. */",
         gathers() ? "s" : "");
    if (gathers()) {
      line(1, "/* So is the row that is gathered from. */");
      line(1, "const int64_t row_cuts = (int64_t)(vl - 1) / {};", tile_.scalars());
      if (tile_.has_tail()) {
        line(1, "const int64_t vector_cuts = last_vl < vl;");
      } else {
        line(1, "const int64_t vector_cuts = (int64_t)((vl - 1) / last_vl);");
      }
      line(1, "const int64_t cuts = row_cuts > vector_cuts ? row_cuts : vector_cuts;");
      line(1, "const int64_t whole = k > cuts ? k - cuts : 0;");
    } else {
      line(1, "const int64_t whole = last_vl == vl ? k : k - 1;");
    }
    whole = "whole";
  }
  if (choices_.unroll > 1) {
    line(1, "int64_t p = 0;");
    line(1, "for (; p + {0} <= {1}; p += {0}) {{", choices_.unroll, whole);
    for (int s = 0; s < choices_.unroll; ++s) {
      line(2, "{{");
      step(3, false);
      line(2, "}}");
      advance(2);
    }
    line(1, "}}");
    line(1, "for (; p < {}; ++p) {{", whole);
  } else {
    line(1, "for (int64_t p = 0; p < {}; ++p) {{", whole);
  }
  step(2, false);
  advance(2);
  line(1, "}}");
  if (!runs_over()) return;
  if (gathers()) {
    line(1, "for (int64_t last = whole; last < k; ++last) {{");
    step(2, true);
    advance(2);
  } else {
    line(1, "if (whole >= 0 && whole < k) {{");
    step(2, true);
  }
  line(1, "}}");
}

// A sum before the first product. Where sums are wider it is a widened zero, made at the vector
// type of the loop: with another type before the loop, compilers set it anew in every k step.
std::string IntrinsicsWriter::zero(const std::string& vl) const {
  if (!tile_.type.widening()) return fmt::format("{}(0, {})", intrinsic(sum_.splat, sum_), vl);
  if (tile_.type.dtype == DType::bf16) {
    const std::string bits = "u16" + tile_.lmul.name();
    return fmt::format("{0}(__riscv_vreinterpret_v_{1}_{2}(__riscv_vmv_v_x_{1}(0, {3})), {3})",
                       intrinsic("vfwcvtbf16_f_f_v", sum_), bits, panel_.suffix, vl);
  }
  return fmt::format("{}({}(0, {}), {})",
                     intrinsic(tile_.type.integer() ? "vwcvt_x_x_v" : "vfwcvt_f_f_v", sum_),
                     intrinsic(panel_.splat, panel_), vl, vl);
}

std::string IntrinsicsWriter::file(const std::string& id, const std::string& symbol) {
  header(id);
  line(0, "#include <riscv_vector.h>");
  if (!tile_.unit_stride_c()) line(0, "#include <stddef.h>");
  line(0, "#include <stdint.h>");
  line(0, "");
  helpers();
  line(0, "");
  line(0, "void {}(int64_t {}, int64_t k, const {}* alpha_p, const {}* a, const {}* b,", symbol,
       size_, tile_.type.sum_type, tile_.type.panel_type, tile_.type.panel_type);
  line(0, "{:{}}const {}* beta_p, {}* c, int64_t ldc) {{", "", symbol.size() + 6,
       tile_.type.sum_type, tile_.type.sum_type);
  if (tile_.across == 1 && tile_.unit_stride_c()) line(1, "(void)ldc; /* there is one column */");
  lengths();
  prefetch_c();
  const std::string vl = runs_over() ? "vl" : "last_vl";
  for (int i = 0; i < tile_.vector_rows; ++i) {
    for (int j = 0; j < tile_.across; ++j) {
      for (int part = 0; part < tile_.type.parts; ++part) {
        line(1, "{} {} = {};", sum_.type, cell(i, j, part), zero(vl));
      }
    }
  }
  line(0, "");
  loops();
  line(0, "");
  updates();
  line(0, "}}");
  return std::move(out_);
}

std::string intrinsics_c(const KernelPoint& point, const Tile& tile, const std::string& id,
                         const std::string& symbol) {
  return IntrinsicsWriter(point, tile).file(id, symbol);
}

}  // namespace quern::generator::rvv
