// What the parts of the C back end share: the text under construction and the names in it.
// intrinsics_c.cpp writes the kernel up to the sums, intrinsics_update.cpp what becomes of C.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "generator/rvv/choices.h"
#include "generator/rvv/loop_body.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {

// What C calls the vectors of one element type and LMUL.
struct VectorNames {
  std::string type;      // vfloat32m1_t
  std::string suffix;    // f32m1
  const char* splat;     // vfmv_v_f
  const char* multiply;  // vfmul_vf

  VectorNames(const DTypeInfo& info, int bits, Lmul lmul) {
    const bool bfloat = info.dtype == DType::bf16 && bits == info.panel_bits;
    type = fmt::format("v{}{}{}_t",
                       info.integer() ? "int"
                       : bfloat       ? "bfloat"
                                      : "float",
                       bits, lmul.name());
    suffix = fmt::format("{}{}{}", info.integer() ? "i" : bfloat ? "bf" : "f", bits, lmul.name());
    splat = info.integer() ? "vmv_v_x" : "vfmv_v_f";
    multiply = info.integer() ? "vmul_vx" : "vfmul_vf";
  }
};

// The text under construction. Vectors are named after the panel that they come from: along m they
// are a0, a1, ... and scalars b0, b1, ..., along n the other way round.
class IntrinsicsWriter {
 public:
  IntrinsicsWriter(const KernelPoint& point, const Tile& tile)
      : point_(point),
        tile_(tile),
        choices_(choices_of(point)),
        panel_(tile.type, tile.type.panel_bits, tile.lmul),
        sum_(tile.type, tile.type.sum_bits, tile.sum_lmul()),
        vectors_(tile.along_n ? "b" : "a"),
        scalars_(tile.along_n ? "a" : "b"),
        size_(tile.along_n ? "n" : "m") {}

  std::string file(const std::string& id, const std::string& symbol);

 private:
  template <class... Args>
  void line(int indent, fmt::format_string<Args...> format, Args&&... args) {
    out_.append(static_cast<std::size_t>(indent) * 2, ' ');
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  static std::string intrinsic(const std::string& name, const VectorNames& names) {
    return fmt::format("__riscv_{}_{}", name, names.suffix);
  }
  bool gathers() const { return choices_.operand == ScalarOperand::gather; }
  bool runs_over() const { return tile_.has_tail() || gathers(); }
  bool last(int row) const { return row == tile_.vector_rows - 1; }
  // Vector length of vector row i where the last one is cut to its rows.
  std::string cut_vl(int row) const { return last(row) ? "last_vl" : "vl"; }
  // `count` full vectors, as a number of elements.
  std::string full(int count) const {
    if (!tile_.any_vlen) return std::to_string(count * tile_.lanes);
    return count == 1 ? "vl" : fmt::format("{} * vl", count);
  }
  static std::string plus(const std::string& base, const std::string& offset) {
    return offset == "0" || offset == "0 * vl" ? base : fmt::format("{} + {}", base, offset);
  }
  std::string vector(int i) const {
    const int row = i % tile_.vector_rows;
    const char* part = !tile_.type.complex() ? "" : i < tile_.vector_rows ? "_re" : "_im";
    return fmt::format("{}{}{}", vectors_, row, part);
  }
  std::string scalar(int j) const {
    const char* part = !tile_.type.complex() ? "" : j < tile_.across ? "_re" : "_im";
    return fmt::format("{}{}{}", scalars_, j % tile_.across, part);
  }
  std::string cell(int row, int column, int part) const {
    return fmt::format("c{}_{}{}", row, column,
                       !tile_.type.complex() ? ""
                       : part == 0           ? "_re"
                                             : "_im");
  }
  std::string vector_place(int i) const;
  std::string c_place(int row, int column) const;

  void header(const std::string& id);
  void lengths();
  void prefetch_c();
  void step(int indent, bool cut);
  void multiply_add(int indent, const Operation& operation, const std::string& vl);
  void advance(int indent);
  void loops();
  std::string zero(const std::string& vl) const;
  void helpers();
  void real_helpers();
  void complex_helpers();
  void store(const char* what);
  std::string load_c(const char* place) const;
  void update(int indent, const char* helper, const char* scale);
  void updates();

  const KernelPoint& point_;
  const Tile tile_;
  const Choices choices_;
  const VectorNames panel_, sum_;
  const std::string vectors_, scalars_, size_;
  std::string out_;
};

}  // namespace quern::generator::rvv
