#include "generator/rvv/intrinsics_c.h"

#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "generator/rvv/loop_body.h"

namespace quern::generator::rvv {
namespace {

// The text under construction, with the names that one element type gives to C types and
// intrinsics.
class Writer {
 public:
  Writer(const KernelPoint& point, const Tile& tile)
      : tile_(tile),
        scalar_(info(point.dtype).panel_type),
        suffix_(fmt::format("f{}m{}", tile.element_bits, tile.lmul)),
        vector_(fmt::format("vfloat{}m{}_t", tile.element_bits, tile.lmul)) {}

  std::string file(const std::string& id, const std::string& symbol);

 private:
  template <class... Args>
  void line(int indent, fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<std::size_t>(indent) * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  std::string intrinsic(const char* name) const {
    return fmt::format("__riscv_{}_{}", name, suffix_);
  }
  std::string load() const {
    return fmt::format("__riscv_vle{}_v_{}", tile_.element_bits, suffix_);
  }
  std::string store() const {
    return fmt::format("__riscv_vse{}_v_{}", tile_.element_bits, suffix_);
  }
  bool last(int i) const { return i == tile_.vector_rows - 1; }
  // Vector length of vector row i where the last one is cut to its rows.
  std::string cut_vl(int i) const { return last(i) ? "last_vl" : "vl"; }
  static std::string plus(const std::string& base, int offset) {
    return offset == 0 ? base : fmt::format("{} + {}", base, offset);
  }

  void header(const std::string& id);
  void step(int indent, bool cut);
  void loops();
  void update(int indent, const char* helper, const char* scale);
  void helpers();

  const Tile tile_;
  const std::string scalar_;
  const std::string suffix_;
  const std::string vector_;
  std::string out_;
};

void Writer::header(const std::string& id) {
  const int least = (tile_.vector_rows - 1) * tile_.lanes + 1;
  line(0, "/*");
  line(0, " * {}: a GEMM micro-kernel for VLEN {}.", id, tile_.vlen);
  line(0, " *");
  line(0, " *   C = alpha * A * B + beta * C,  C is m x {} with {} <= m <= {}", tile_.n_r, least,
       tile_.vector_rows * tile_.lanes);
  line(0, " *");
  line(0, " * Register map, {} of 32 vector registers (LMUL {}) and {} of 32 scalars:",
       tile_.vector_registers(), tile_.lmul, tile_.n_r);
  line(0, " *");
  line(0, " *         {:<6} {}", "b0", tile_.n_r > 1 ? fmt::format("... b{}", tile_.n_r - 1) : "");
  for (int i = 0; i < tile_.vector_rows; ++i) {
    const std::string rows =
        last(i) ? fmt::format("rows {}..m-1", i * tile_.lanes)
                : fmt::format("rows {}..{}", i * tile_.lanes, (i + 1) * tile_.lanes - 1);
    line(0, " *   a{:<4}  c{}_0   {:<10} {}", i, i,
         tile_.n_r > 1 ? fmt::format("... c{}_{}", i, tile_.n_r - 1) : "", rows);
  }
  line(0, " *");
  line(0,
       " * The vectors a0, a1, ... are loaded one after the other, so one register holds them in "
       "turn.");
  line(0, " * Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN {}:",
       tile_.vlen);
  line(0, " *   quern generate --board B --dtype f{} --mr {} --nr {} --lmul {}", tile_.element_bits,
       tile_.m_r, tile_.n_r, tile_.lmul);
  line(0, " */");
}

// One k step. Where `cut` is set, the last vector row reads no more than its rows.
void Writer::step(int indent, bool cut) {
  for (const Operation& operation : k_step(tile_)) {
    const int i = operation.i, j = operation.j;
    switch (operation.kind) {
      case Operation::load_b:
        line(indent, "const {} b{} = b[{}];", scalar_, j, j);
        break;
      case Operation::load_a:
        line(indent, "const {} a{} = {}({}, {});", vector_, i, load(), plus("a", i * tile_.lanes),
             cut ? cut_vl(i) : "vl");
        break;
      case Operation::fma:
        line(indent, "c{0}_{1} = {2}(c{0}_{1}, b{1}, a{0}, {3});", i, j, intrinsic("vfmacc_vf"),
             cut ? cut_vl(i) : "vl");
        break;
    }
  }
}

void Writer::loops() {
  const auto advance = [&](int indent) {
    line(indent, "a += m;");
    line(indent, "b += {};", tile_.n_r);
  };
  if (tile_.vector_rows == 1) {
    line(1, "for (int64_t p = 0; p < k; ++p) {{");
    step(2, true);
    advance(2);
    line(1, "}}");
    return;
  }
  line(1,
       "/* A short last vector is loaded at full length while the panel goes on behind it: the "
       "spare lanes hold");
  line(1, "   values of the next column and are never stored. Only the last step must cut it. */");
  line(1, "const int64_t whole = last_vl == vl ? k : k - 1;");
  line(1, "for (int64_t p = 0; p < whole; ++p) {{");
  step(2, false);
  advance(2);
  line(1, "}}");
  line(1, "if (whole >= 0 && whole < k) {{");
  step(2, true);
  line(1, "}}");
}

// Stores the tile, column by column, through one of the helpers of helpers().
void Writer::update(int indent, const char* helper, const char* scale) {
  for (int j = 0; j < tile_.n_r; ++j) {
    for (int i = 0; i < tile_.vector_rows; ++i) {
      const std::string column = j == 0 ? "c" : j == 1 ? "c + ldc" : fmt::format("c + {} * ldc", j);
      line(indent, "{}({}, c{}_{}, {}, {});", helper, plus(column, i * tile_.lanes), i, j, scale,
           cut_vl(i));
    }
  }
}

// C is updated in two ways: with beta = 0 it is never read.
void Writer::helpers() {
  line(0, "static inline void overwrite({}* c, {} sum, {} alpha, size_t vl) {{", scalar_, vector_,
       scalar_);
  line(1, "{}(c, {}(sum, alpha, vl), vl);", store(), intrinsic("vfmul_vf"));
  line(0, "}}");
  line(0, "");
  line(0, "static inline void accumulate({0}* c, {1} sum, {0} alpha, {0} beta, size_t vl) {{",
       scalar_, vector_);
  line(1, "const {} old = {}({}(c, vl), beta, vl);", vector_, intrinsic("vfmul_vf"), load());
  line(1, "{}(c, {}(old, alpha, sum, vl), vl);", store(), intrinsic("vfmacc_vf"));
  line(0, "}}");
}

std::string Writer::file(const std::string& id, const std::string& symbol) {
  header(id);
  line(0, "#include <riscv_vector.h>");
  line(0, "#include <stdint.h>");
  line(0, "");
  helpers();
  line(0, "");
  line(0, "void {}(int64_t m, int64_t k, const {}* alpha_p, const {}* a, const {}* b,", symbol,
       scalar_, scalar_, scalar_);
  line(0, "{:{}}const {}* beta_p, {}* c, int64_t ldc) {{", "", symbol.size() + 6, scalar_, scalar_);
  if (tile_.n_r == 1) line(1, "(void)ldc; /* there is one column */");
  if (tile_.vector_rows > 1) {
    line(1, "const size_t vl = {};", tile_.lanes);
    line(1, "const size_t last_vl = (size_t)m - {};", (tile_.vector_rows - 1) * tile_.lanes);
  } else {
    line(1, "const size_t last_vl = (size_t)m;");
  }
  const std::string vl = tile_.vector_rows > 1 ? "vl" : "last_vl";
  for (int i = 0; i < tile_.vector_rows; ++i) {
    for (int j = 0; j < tile_.n_r; ++j) {
      line(1, "{} c{}_{} = {}(0, {});", vector_, i, j, intrinsic("vfmv_v_f"), vl);
    }
  }
  line(0, "");
  loops();
  line(0, "");
  line(1, "const {} alpha = *alpha_p;", scalar_);
  line(1, "const {} beta = *beta_p;", scalar_);
  line(1, "if (beta == 0) {{ /* C is not read: a NaN there must not survive */");
  update(2, "overwrite", "alpha");
  line(1, "}} else {{");
  update(2, "accumulate", "alpha, beta");
  line(1, "}}");
  line(0, "}}");
  return std::move(out_);
}

}  // namespace

std::string intrinsics_c(const KernelPoint& point, const Tile& tile, const std::string& id,
                         const std::string& symbol) {
  return Writer(point, tile).file(id, symbol);
}

}  // namespace quern::generator::rvv
