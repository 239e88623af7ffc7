#include "generator/rvv/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace quern::generator::rvv {
namespace {

// Scalar registers in the order in which they are taken: the 20 that a function may spoil, then the
// 12 that it must restore.
constexpr const char* scalar_names[] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                        "fa0", "fa1", "fa2",  "fa3",  "fa4", "fa5", "fa6",  "fa7",
                                        "ft8", "ft9", "ft10", "ft11", "fs0", "fs1", "fs2",  "fs3",
                                        "fs4", "fs5", "fs6",  "fs7",  "fs8", "fs9", "fs10", "fs11"};
constexpr int free_scalars = 20;

class Writer {
 public:
  Writer(const KernelPoint& point, const Tile& tile, const Schedule& schedule)
      : tile_(tile),
        schedule_(schedule),
        body_(schedule_loop(tile, schedule)),
        dtype_(info(point.dtype).name),
        bytes_(tile.element_bits / 8),
        wide_(tile.element_bits == 64) {}

  std::string file(const std::string& id, const std::string& symbol);

 private:
  template <class... Args>
  void comment(fmt::format_string<Args...> format, Args&&... args) {
    out_ += "    /* ";
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += " */\n";
  }
  // One instruction: mnemonic and operands in their columns.
  template <class... Args>
  void op(const std::string& mnemonic, fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format("    {:<11} ", mnemonic);
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }
  // Labels are local to the file, which holds one kernel.
  void label(const std::string& name) { out_ += ".L" + name + ":\n"; }
  static std::string to(const std::string& name) { return ".L" + name; }

  std::string c(int i, int j) const { return fmt::format("v{}", (i * tile_.n_r + j) * tile_.lmul); }
  std::string a(int group) const {
    return fmt::format("v{}", (tile_.accumulators() + group) * tile_.lmul);
  }
  static const char* scalar(int index) { return scalar_names[index]; }
  const char* flw() const { return wide_ ? "fld" : "flw"; }
  std::string vle() const { return fmt::format("vle{}.v", tile_.element_bits); }
  std::string vse() const { return fmt::format("vse{}.v", tile_.element_bits); }
  bool has_tail() const { return tile_.vector_rows > 1; }
  bool last_row(int i) const { return i == tile_.vector_rows - 1; }
  void set_vl(const char* length) {
    op("vsetvli", "zero, {}, e{}, m{}, ta, ma", length, tile_.element_bits, tile_.lmul);
  }

  int scalars() const;
  void header(const std::string& id);
  void save(const char* mnemonic);
  void entry();
  void write(const Operation& operation);
  void loops();
  void plain_step(bool cut);
  void update(bool overwrite);

  const Tile tile_;
  const Schedule schedule_;
  const LoopBody body_;
  const std::string dtype_;
  const int bytes_;
  const bool wide_;
  std::string out_;
};

// The plain steps for what the loop leaves over hold one row of B.
int Writer::scalars() const {
  const bool plain_steps = schedule_.unroll > 1 || has_tail();
  return std::max(body_.b_registers, plain_steps ? tile_.n_r : 0);
}

void Writer::header(const std::string& id) {
  const auto line = [&](const std::string& text) {
    out_ += text.empty() ? " *\n" : " * " + text + "\n";
  };
  const int least = (tile_.vector_rows - 1) * tile_.lanes + 1;
  out_ += "/*\n";
  line(fmt::format("{}: a GEMM micro-kernel for VLEN {}.", id, tile_.vlen));
  line("");
  line(fmt::format("  C = alpha * A * B + beta * C,  C is m x {} with {} <= m <= {}", tile_.n_r,
                   least, tile_.vector_rows * tile_.lanes));
  line("");
  line(fmt::format("Register map, {} of 32 vector registers (LMUL {}) and {} of 32 scalars:",
                   tile_.vector_registers(schedule_.a_groups), tile_.lmul, scalars()));
  line("");
  for (int i = 0; i < tile_.vector_rows; ++i) {
    line(fmt::format("  {:<4}..{:<4}  row {} of C's vectors, columns 0..{}: rows {}..{}", c(i, 0),
                     c(i, tile_.n_r - 1), i, tile_.n_r - 1, i * tile_.lanes,
                     last_row(i) ? "m-1" : std::to_string((i + 1) * tile_.lanes - 1)));
  }
  line(fmt::format("  {:<4}{}{:<4}  vectors of A, in turn", a(0),
                   schedule_.a_groups > 1 ? ".." : "  ",
                   schedule_.a_groups > 1 ? a(schedule_.a_groups - 1) : ""));
  line(fmt::format("  {:<4}..{:<4}  elements of B ({} in the order ft0-7, fa0-7, ft8-11, fs0-11)",
                   scalar(0), scalar(scalars() - 1), scalars()));
  line("");
  line("  a0 m           a3 A panel, moving    t0 bytes from the last vector to the next column");
  line("  a1 k, left     a4 B panel, moving    t1 rows of the last vector");
  line("  a2 alpha       a6 C, moving          t2 rows of the others");
  line("  a5 beta        a7 bytes of ldc       t3 turns of the loop   t4 steps left over");
  line("");
  line(fmt::format("An iteration is {} k step{}; a B scalar is loaded {} FMAs ahead of its use.",
                   schedule_.unroll, schedule_.unroll > 1 ? "s" : "", schedule_.ahead));
  line(fmt::format("Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN {}:",
                   tile_.vlen));
  line(fmt::format("  quern generate --board B --dtype {} --mr {} --nr {} --lmul {} --emit asm",
                   dtype_, tile_.m_r, tile_.n_r, tile_.lmul));
  if (!schedule_.plain()) {
    line(fmt::format("    --unroll {} --buffers {} --pipeline {}", schedule_.unroll,
                     schedule_.a_groups, schedule_.ahead));
  }
  out_ += " */\n";
}

// Saves (fsd) or restores (fld) the scalar registers that belong to the caller.
void Writer::save(const char* mnemonic) {
  const int count = scalars() - free_scalars;
  if (count <= 0) return;
  const int frame = (count * 8 + 15) / 16 * 16;
  if (std::string(mnemonic) == "fsd") op("addi", "sp, sp, -{}", frame);
  for (int i = 0; i < count; ++i) op(mnemonic, "{}, {}(sp)", scalar(free_scalars + i), i * 8);
  if (std::string(mnemonic) == "fld") op("addi", "sp, sp, {}", frame);
}

void Writer::entry() {
  save("fsd");
  if (has_tail()) {
    op("li", "t2, {}", tile_.lanes);
    op("addi", "t1, a0, -{}", (tile_.vector_rows - 1) * tile_.lanes);
    op("slli", "t0, t1, {}", std::countr_zero(static_cast<unsigned>(bytes_)));
    set_vl("t2");
  } else {
    op("slli", "t0, a0, {}", std::countr_zero(static_cast<unsigned>(bytes_)));
    set_vl("a0");
  }
  op("slli", "a7, a7, {}", std::countr_zero(static_cast<unsigned>(bytes_)));
  for (int i = 0; i < tile_.vector_rows; ++i) {
    for (int j = 0; j < tile_.n_r; ++j) op("vmv.v.i", "{}, 0", c(i, j));
  }
}

void Writer::write(const Operation& operation) {
  switch (operation.kind) {
    case Operation::load_a:
      op(vle(), "{}, (a3)", a(operation.a_group));
      if (last_row(operation.i)) {
        op("add", "a3, a3, t0");
      } else {
        op("addi", "a3, a3, {}", tile_.lanes * bytes_);
      }
      break;
    case Operation::load_b:
      op(flw(), "{}, {}(a4)", scalar(operation.b_register),
         (operation.step * tile_.n_r + operation.j) * bytes_);
      break;
    case Operation::fma:
      op("vfmacc.vf", "{}, {}, {}", c(operation.i, operation.j), scalar(operation.b_register),
         a(operation.a_group));
      break;
  }
}

void Writer::plain_step(bool cut) {
  for (const Operation& operation : k_step(tile_)) {
    if (cut && operation.kind == Operation::load_a && last_row(operation.i)) set_vl("t1");
    write(operation);
  }
}

void Writer::loops() {
  const int unroll = schedule_.unroll;
  op("beqz", "a1, {}", to("update"));
  if (has_tail()) {
    comment(
        "A short last vector is loaded at full length while the panel goes on behind it: spare");
    comment("lanes hold values of the next column. Only the last step must cut it.");
    op("sltu", "t5, t1, t2");
    op("sub", "a1, a1, t5");
  }
  if (unroll > 1) {
    op("andi", "t4, a1, {}", unroll - 1);
    op("srli", "t3, a1, {}", std::countr_zero(static_cast<unsigned>(unroll)));
    op("beqz", "t3, {}", to("remainder"));
  } else {
    op("mv", "t3, a1");
    op("beqz", "t3, {}", to(has_tail() ? "tail" : "update"));
  }
  const bool early = !body_.before.empty();
  if (early) {
    comment("Loads of the first iteration that the loop makes one iteration earlier.");
    for (const Operation& operation : body_.before) write(operation);
    op("addi", "t3, t3, -1");
    op("beqz", "t3, {}", to("last"));
  }
  out_ += "    .p2align 3\n";
  label("loop");
  op("addi", "t3, t3, -1");
  for (const Operation& operation : body_.loop) write(operation);
  op("addi", "a4, a4, {}", unroll * tile_.n_r * bytes_);
  op("bnez", "t3, {}", to("loop"));
  if (early) {
    label("last");
    for (const Operation& operation : body_.last) write(operation);
    op("addi", "a4, a4, {}", unroll * tile_.n_r * bytes_);
  }
  if (unroll > 1) {
    label("remainder");
    op("beqz", "t4, {}", to(has_tail() ? "tail" : "update"));
    label("step");
    op("addi", "t4, t4, -1");
    plain_step(false);
    op("addi", "a4, a4, {}", tile_.n_r * bytes_);
    op("bnez", "t4, {}", to("step"));
  }
  if (has_tail()) {
    label("tail");
    op("beqz", "t5, {}", to("update"));
    plain_step(true);
    set_vl("t2");
  }
  label("update");
}

// C = alpha * sum, or alpha * sum + beta * C. The sums are scaled in place; C passes through the A
// groups, loads ahead of their use, stores behind it.
void Writer::update(bool overwrite) {
  const int cells = tile_.accumulators();
  const auto cell = [&](int s) {
    return std::pair(s % tile_.vector_rows, s / tile_.vector_rows);  // along the columns of C
  };
  // Moves a pointer from cell to cell; t5 for loads, a6 for stores.
  const auto advance = [&](const char* pointer, int s) {
    const auto [i, j] = cell(s);
    if (s + 1 == cells) return;
    if (!last_row(i)) return op("addi", "{}, {}, {}", pointer, pointer, tile_.lanes * bytes_);
    op("add", "{}, {}, t6", pointer, pointer);
  };
  const auto access = [&](const std::string& mnemonic, const std::string& value,
                          const char* pointer, int s) {
    const bool cut = has_tail() && last_row(cell(s).first);
    if (cut) set_vl("t1");
    op(mnemonic, "{}, ({})", value, pointer);
    if (cut) set_vl("t2");
    advance(pointer, s);
  };
  for (int s = 0; s < cells; ++s) {
    const auto [i, j] = cell(s);
    op("vfmul.vf", "{}, {}, fa0", c(i, j), c(i, j));
  }
  if (overwrite) {
    for (int s = 0; s < cells; ++s) access(vse(), c(cell(s).first, cell(s).second), "a6", s);
    return;
  }
  const int groups = schedule_.a_groups;
  op("mv", "t5, a6");
  for (int s = 0; s < cells + groups; ++s) {
    if (s < cells) access(vle(), a(s % groups), "t5", s);
    if (const int f = s - (groups - 1); f >= 0 && f < cells) {
      op("vfmacc.vf", "{}, fa1, {}", c(cell(f).first, cell(f).second), a(f % groups));
    }
    if (const int w = s - groups; w >= 0) {
      access(vse(), c(cell(w).first, cell(w).second), "a6", w);
    }
  }
}

std::string Writer::file(const std::string& id, const std::string& symbol) {
  header(id);
  out_ += fmt::format("    .text\n    .p2align 4\n    .globl {0}\n    .type {0}, @function\n{0}:\n",
                      symbol);
  entry();
  loops();
  const char suffix = wide_ ? 'd' : 's';
  op(flw(), "fa0, (a2)");
  op(flw(), "fa1, (a5)");
  if (has_tail()) {
    comment("From the last vector of a column of C to the first of the next.");
    op("addi", "t6, a7, -{}", (tile_.vector_rows - 1) * tile_.lanes * bytes_);
  } else {
    op("mv", "t6, a7");
  }
  op(fmt::format("fmv.{}.x", wide_ ? 'd' : 'w'), "fa2, zero");
  op(fmt::format("feq.{}", suffix), "t3, fa1, fa2");
  op("bnez", "t3, {}", to("overwrite"));
  update(false);
  save("fld");
  op("ret", "");
  label("overwrite");
  comment("beta = 0: C is not read, a NaN there must not survive.");
  update(true);
  save("fld");
  op("ret", "");
  out_ += fmt::format("    .size {0}, . - {0}\n    .section .note.GNU-stack, \"\", @progbits\n",
                      symbol);
  // An instruction without operands leaves its column empty.
  for (std::size_t at = 0; (at = out_.find(" \n", at)) != std::string::npos;) {
    std::size_t first = at;
    while (first > 0 && out_[first - 1] == ' ') --first;
    out_.erase(first, at + 1 - first);
    at = first;
  }
  return std::move(out_);
}

}  // namespace

std::string assembly(const KernelPoint& point, const Tile& tile, const Schedule& schedule,
                     const std::string& id, const std::string& symbol) {
  return Writer(point, tile, schedule).file(id, symbol);
}

}  // namespace quern::generator::rvv
