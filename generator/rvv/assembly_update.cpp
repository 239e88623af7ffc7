// The end of an assembly kernel: C = alpha * sums, C = alpha * sums + C, or alpha * sums + beta *
// C.
//
// C is walked cell by cell along its vectors; a6 stores and t5 loads ahead of it. Both step from
// vector to vector by a number or by a3, and from the last vector of a column to the first of the
// next by t6.
#include <utility>

#include "generator/rvv/assembly_writer.h"

namespace quern::generator::rvv {

int AssemblyWriter::c_vectors() const {
  const int registers = panel_groups(tile_, schedule_) * tile_.lmul.registers();
  return std::max(1, registers / tile_.sum_lmul().registers());
}

// Cells are counted along the vectors of C: cell s is vector row s % rows of column s / rows.
void AssemblyWriter::to_next_cell(const char* pointer, int cell) {
  if (cell + 1 == tile_.vector_rows * tile_.across) return;
  if (last_row(cell)) return op("add", "{0}, {0}, t6", pointer);
  if (tile_.unit_stride_c() && !tile_.any_vlen) {
    op("addi", "{0}, {0}, {1}", pointer, tile_.lanes * c_bytes());
  } else {
    op("add", "{0}, {0}, a3", pointer);
  }
}

// Writes an access to a cell of C with the length that the cell has.
void AssemblyWriter::for_cell(int cell, const auto& access) {
  const bool cut = runs_over() && last_row(cell);
  if (cut) set_c_vl("t1");
  access();
  if (cut) set_c_vl("t2");
}

void AssemblyWriter::update() {
  if (tile_.type.widening()) set_c_vl(runs_over() ? "t2" : "a0");
  const bool integer = tile_.type.integer();
  const int full = tile_.vector_rows - 1, bytes = tile_.sum_bytes();
  // The steps through C.
  if (tile_.unit_stride_c()) {
    if (full > 0 && tile_.any_vlen) op("slli", "a3, t2, {}", log2(c_bytes()));
    if (full > 0) comment("From the last vector of a column of C to the first of the next.");
    if (full == 0) {
      op("mv", "t6, a7");
    } else if (!tile_.any_vlen) {
      op("addi", "t6, a7, -{}", full * tile_.lanes * c_bytes());
    } else if (full == 1) {
      op("sub", "t6, a7, a3");
    } else {
      op("li", "t6, {}", full);
      op("mul", "t6, t6, a3");
      op("sub", "t6, a7, t6");
    }
    if (tile_.type.complex()) op("li", "a4, {}", c_bytes());
  } else {
    comment("C runs across the vectors: a column further is an element further.");
    op("li", "t6, {}", c_bytes());
    if (full > 0) op("mul", "a3, a7, t2");
    if (full == 1) op("sub", "t6, t6, a3");
    if (full > 1) {
      op("li", "t3, {}", full);
      op("mul", "t3, t3, a3");
      op("sub", "t6, t6, t3");
    }
    op("mv", "a4, a7");
  }
  // Both are read once; which of beta's kinds it is shows in its bits (a zero may have a sign).
  op(words_.bits_load, "t3, (a5)");
  if (tile_.type.complex()) {
    op(words_.bits_load, "t4, {}(a5)", bytes);
    op(words_.sum_load, "fa2, (a5)");
    op(words_.sum_load, "fa3, {}(a5)", bytes);
    op(words_.sum_load, "fa0, (a2)");
    op(words_.sum_load, "fa1, {}(a2)", bytes);
  } else if (integer) {
    op(words_.sum_load, "a5, (a5)");
    op(words_.sum_load, "a2, (a2)");
  } else {
    op(words_.sum_load, "fa0, (a2)");
    op(words_.sum_load, "fa1, (a5)");
  }
  const int without_sign = 64 - tile_.type.sum_bits + (integer ? 0 : 1);
  if (choices_.beta_one) {
    op("li", "a1, {}", words_.one_bits);
    op("xor", "a1, a1, t3");
    if (tile_.type.complex()) {
      op("slli", "t5, t4, {}", without_sign);
      op("or", "a1, a1, t5");
    }
    op("beqz", "a1, {}", to("add"));
  }
  if (tile_.type.complex()) op("or", "t3, t3, t4");
  op("slli", "t3, t3, {}", without_sign);
  op("beqz", "t3, {}", to("overwrite"));
  update_cells(Update::general);
  if (choices_.beta_one) {
    label("add");
    comment("beta = 1.");
    update_cells(Update::add);
  }
  label("overwrite");
  comment("beta = 0: C is not read, a NaN there must not survive.");
  update_cells(Update::overwrite);
}

void AssemblyWriter::update_cells(Update kind) {
  if (kind != Update::overwrite) op("mv", "t5, a6");
  if (tile_.type.complex()) {
    update_complex(kind);
  } else {
    update_real(kind);
  }
  save("ld");
  op("ret", "");
}

// The sums are scaled in place; C passes through the panel's registers, loads ahead of their use,
// stores behind it.
void AssemblyWriter::update_real(Update kind) {
  const char* alpha = tile_.type.integer() ? "a2" : "fa0";
  const char* beta = tile_.type.integer() ? "a5" : "fa1";
  const int cells = tile_.accumulators();
  const auto cell = [&](int s) {
    return sum(tile_.accumulator(s % tile_.vector_rows, s / tile_.vector_rows, 0));
  };
  const auto load = [&](int s, const std::string& to_vector) {
    for_cell(s, [&] {
      if (tile_.unit_stride_c()) {
        op(words_.c_load, "{}, (t5)", to_vector);
      } else {
        op(words_.c_load_strided, "{}, (t5), a4", to_vector);
      }
    });
    to_next_cell("t5", s);
  };
  const auto store = [&](int s) {
    for_cell(s, [&] {
      if (tile_.unit_stride_c()) {
        op(words_.c_store, "{}, (a6)", cell(s));
      } else {
        op(words_.c_store_strided, "{}, (a6), a4", cell(s));
      }
    });
    to_next_cell("a6", s);
  };
  if (kind != Update::add) {
    for (int s = 0; s < cells; ++s) {
      op(words_.scale, "{0}, {0}, {1}", cell(s), alpha);
    }
  }
  if (kind == Update::overwrite) {
    for (int s = 0; s < cells; ++s) store(s);
    return;
  }
  const int vectors = c_vectors();
  for (int s = 0; s < cells + vectors; ++s) {
    if (s < cells) load(s, c_vector(s % vectors));
    if (const int f = s - (vectors - 1); f >= 0 && f < cells) {
      if (kind == Update::add) {
        op(words_.scale_and_add, "{}, {}, {}", cell(f), alpha, c_vector(f % vectors));
      } else {
        op(words_.accumulate, "{}, {}, {}", cell(f), beta, c_vector(f % vectors));
      }
    }
    if (const int w = s - vectors; w >= 0) store(w);
  }
}

// Multiplies the pair (re, re + 1) by a complex factor.
void AssemblyWriter::scale_complex(int re, const std::string& temporary, const char* factor_re,
                                   const char* factor_im) {
  const std::string real = sum(re), imaginary = sum(re + 1);
  op(words_.scale, "{}, {}, {}", temporary, real, factor_im);
  op(words_.scale, "{0}, {0}, {1}", real, factor_re);
  op(words_.accumulate_negative, "{}, {}, {}", real, factor_im, imaginary);
  op(words_.scale, "{0}, {0}, {1}", imaginary, factor_re);
  op(words_.add, "{0}, {0}, {1}", imaginary, temporary);
}

// Real and imaginary parts alternate in C: they are read apart with a stride and written together.
void AssemblyWriter::update_complex(Update kind) {
  const int cells = tile_.vector_rows * tile_.across, vectors = c_vectors();
  for (int s = 0; s < cells; ++s) {
    const int re = tile_.accumulator(s % tile_.vector_rows, s / tile_.vector_rows, 0);
    const std::string real = sum(re), imaginary = sum(re + 1);
    const std::string first = c_vector(0), second = c_vector(vectors > 1 ? 1 : 0);
    scale_complex(re, first, "fa0", "fa1");
    if (kind != Update::overwrite) {
      for_cell(s, [&] { op(words_.c_load_strided, "{}, (t5), a4", first); });
      if (kind == Update::add) {
        op(words_.add, "{0}, {0}, {1}", real, first);
      } else {
        op(words_.accumulate, "{}, fa2, {}", real, first);
        op(words_.accumulate, "{}, fa3, {}", imaginary, first);
      }
      op("addi", "t3, t5, {}", tile_.sum_bytes());
      for_cell(s, [&] { op(words_.c_load_strided, "{}, (t3), a4", second); });
      if (kind == Update::add) {
        op(words_.add, "{0}, {0}, {1}", imaginary, second);
      } else {
        op(words_.accumulate_negative, "{}, fa3, {}", real, second);
        op(words_.accumulate, "{}, fa2, {}", imaginary, second);
      }
      to_next_cell("t5", s);
    }
    for_cell(s, [&] {
      if (tile_.unit_stride_c()) {
        op(words_.c_store, "{}, (a6)", real);
      } else {
        op(words_.c_store_strided, "{}, (a6), a4", real);
      }
    });
    to_next_cell("a6", s);
  }
}

}  // namespace quern::generator::rvv
