#include "generator/rvv/assembly.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "generator/rvv/assembly_writer.h"

namespace quern::generator::rvv {
namespace {

// Scalar registers in the order in which they are taken: those that a function may spoil, then
// those that it must restore.
constexpr const char* fp_names[] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                    "fa0", "fa1", "fa2",  "fa3",  "fa4", "fa5", "fa6",  "fa7",
                                    "ft8", "ft9", "ft10", "ft11", "fs0", "fs1", "fs2",  "fs3",
                                    "fs4", "fs5", "fs6",  "fs7",  "fs8", "fs9", "fs10", "fs11"};
constexpr int free_fp = 20;
// a1 is free once the loop counters are made of it.
constexpr const char* integer_names[] = {"t6", "a1", "s0", "s1", "s2", "s3",  "s4",
                                         "s5", "s6", "s7", "s8", "s9", "s10", "s11"};
constexpr int free_integer = 2;
constexpr int cache_line = 64;

}  // namespace

AssemblyWriter::AssemblyWriter(const KernelPoint& point, const Tile& tile, const Schedule& schedule)
    : point_(point),
      choices_(choices_of(point)),
      tile_(tile),
      schedule_(schedule),
      body_(schedule_loop(tile, schedule)),
      words_(mnemonics(tile.type)) {}

const char* AssemblyWriter::scalar(int index) const {
  const bool integer =
      schedule_.operand == ScalarOperand::scalar ? words_.integer_operands : words_.integer_scalars;
  return integer ? integer_names[index] : fp_names[index];
}

// The plain steps for what the loop leaves over hold one row of scalars.
int AssemblyWriter::scalars() const {
  const bool plain_steps = schedule_.unroll > 1 || runs_over();
  return std::max(body_.scalar_registers,
                  plain_steps ? k_step_scalars(tile_, schedule_.operand) : 0);
}

void AssemblyWriter::header(const std::string& id) {
  const auto line = [&](const std::string& text) {
    out_ += text.empty() ? " *\n" : " * " + text + "\n";
  };
  const char along = tile_.along_n ? 'n' : 'm';
  const char vectors = tile_.along_n ? 'B' : 'A', scalars_of = tile_.along_n ? 'A' : 'B';
  const int least = (tile_.vector_rows - 1) * tile_.lanes + 1;
  const int most = tile_.vector_rows * tile_.lanes;
  out_ += "/*\n";
  line(fmt::format("{}: a GEMM micro-kernel for {}VLEN {}.", id,
                   tile_.any_vlen ? "every VLEN of 128 or more, here counted for " : "",
                   tile_.vlen));
  line("");
  line(fmt::format(
      "  C = alpha * A * B + beta * C,  C is {} with {} <= {} <= {}{}",
      tile_.along_n ? fmt::format("{} x n", tile_.across) : fmt::format("m x {}", tile_.across),
      least, along, most, tile_.c_row_major ? ", row-major" : ""));
  line("");
  line(fmt::format("Register map, {} of 32 vector registers (LMUL {}) and {} of {} scalars:",
                   tile_.vector_registers(panel_groups(tile_, schedule_)), tile_.lmul.text(),
                   scalars(), scalar_registers_of(tile_)));
  line("");
  for (int i = 0; i < tile_.vector_rows; ++i) {
    line(fmt::format("  {:<4}..{:<4}  row {} of C's vectors, {} 0..{}{}: {} {}..{}",
                     sum(tile_.accumulator(i, 0, 0)),
                     sum(tile_.accumulator(i, tile_.across - 1, tile_.type.parts - 1)), i,
                     tile_.along_n ? "rows" : "columns", tile_.across - 1,
                     tile_.type.complex() ? ", real and imaginary in turn" : "",
                     tile_.along_n ? "columns" : "rows", i * tile_.lanes,
                     i + 1 == tile_.vector_rows ? fmt::format("{}-1", along)
                                                : std::to_string((i + 1) * tile_.lanes - 1)));
  }
  const int groups =
      schedule_.operand == ScalarOperand::scalar ? schedule_.groups : tile_.vectors();
  line(fmt::format("  {:<4}{}{:<4}  vectors of {}{}", group(0), groups > 1 ? ".." : "  ",
                   groups > 1 ? group(groups - 1) : "", vectors,
                   schedule_.operand == ScalarOperand::scalar ? ", in turn" : ""));
  if (schedule_.operand != ScalarOperand::scalar) {
    line(fmt::format("  {:<4}..{:<4}  elements of {} spread over a vector, in turn",
                     spread_group(0), spread_group(1), scalars_of));
  }
  if (gathers())
    line(fmt::format("  {:<10}  the row of {} that they come from", row_group(), scalars_of));
  if (scalars() > 0) {
    line(fmt::format("  {:<4}..{:<4}  elements of {} ({} in the order {})", scalar(0),
                     scalar(scalars() - 1), scalars_of, scalars(),
                     *scalar(0) == 'f' ? "ft0-7, fa0-7, ft8-11, fs0-11" : "t6, a1, s0-11"));
  }
  line("");
  line(
      fmt::format("  a0 {}           a3 A panel, moving    t0 bytes from the last vector to the "
                  "next",
                  along));
  line("  a1 k, left     a4 B panel, moving    t1 elements of the last vector");
  line("  a2 alpha       a6 C, moving          t2 elements of the others");
  line(fmt::format(
      "  a5 beta        a7 bytes of ldc       t3 end of the loop in {}   t4 steps left over",
      scalars_of));
  if (schedule_.own_pointers) {
    const auto registers = pointer_registers(tile_);
    std::string names = vector_panel();
    for (int v = 1; v < tile_.vectors() * schedule_.unroll; ++v)
      names += fmt::format(", {}", registers[static_cast<std::size_t>(v - 1)]);
    line("");
    line(fmt::format("In the loop {} point to the vectors of an iteration, {} is its bytes.", names,
                     registers[static_cast<std::size_t>(tile_.vectors() * schedule_.unroll - 1)]));
  }
  line("");
  const std::string order =
      schedule_.operand != ScalarOperand::scalar ? "each loads its vectors first"
      : schedule_.modulo ? "a modulo schedule against the board's tables places its loads"
      : schedule_.ahead == 0
          ? std::string("a scalar is loaded just ahead of its use")
          : fmt::format("a scalar is loaded {} or more FMAs ahead of its use", schedule_.ahead);
  line(fmt::format("An iteration is {} k step{}; {}.", schedule_.unroll,
                   schedule_.unroll > 1 ? "s" : "", order));
  line(fmt::format("Contract: gemm/micro_kernel.h. Regenerate, with a board B that has VLEN {}:",
                   tile_.vlen));
  line(fmt::format("  quern generate --board B --dtype {} --mr {} --nr {}", tile_.type.name,
                   tile_.m_r, tile_.n_r));
  line(fmt::format("    {}", choices_options(point_)));
  out_ += " */\n";
}

// Saves or restores the scalar registers that belong to the caller.
void AssemblyWriter::save(const char* store_or_load) {
  const bool store = *store_or_load == 's', integer = scalars() > 0 && *scalar(0) != 'f';
  const int first = integer ? free_integer : free_fp, count = scalars() - first;
  if (count <= 0) return;
  const int frame = (count * 8 + 15) / 16 * 16;
  if (store) op("addi", "sp, sp, -{}", frame);
  for (int i = 0; i < count; ++i)
    op(std::string(integer ? "" : "f") + store_or_load, "{}, {}(sp)", scalar(first + i), i * 8);
  if (!store) op("addi", "sp, sp, {}", frame);
}

void AssemblyWriter::entry() {
  save("sd");
  if (runs_over()) {
    const int full = tile_.vector_rows - 1;
    if (tile_.any_vlen) {
      op("vsetvli", "t2, zero, e{}, {}, ta, ma", tile_.type.panel_bits, tile_.lmul.name());
      if (full == 0) {
        op("mv", "t1, a0");
      } else if (full == 1) {
        op("sub", "t1, a0, t2");
      } else {
        op("li", "t1, {}", full);
        op("mul", "t1, t1, t2");
        op("sub", "t1, a0, t1");
      }
      op("slli", "a0, t2, {}", log2(tile_.panel_bytes()));
    } else {
      op("li", "t2, {}", tile_.lanes);
      if (full > 0) {
        op("addi", "t1, a0, -{}", full * tile_.lanes);
      } else {
        op("mv", "t1, a0");
      }
    }
    op("slli", "t0, t1, {}", log2(tile_.panel_bytes()));
    set_c_vl("t2");
  } else {
    op("slli", "t0, a0, {}", log2(tile_.panel_bytes()));
    set_c_vl("a0");
  }
  op("slli", "a7, a7, {}", log2(c_bytes()));
  prefetch_c();
  for (int s = 0; s < tile_.accumulators(); ++s) op("vmv.v.i", "{}, 0", sum(s));
  if (tile_.type.widening()) set_vl(runs_over() ? "t2" : "a0");
}

// Every line of C's full vectors and the start of its last ones: what is C's for certain.
void AssemblyWriter::prefetch_c() {
  if (choices_.c_prefetch == CPrefetch::none) return;
  comment("Ask for C, which is needed at the end.");
  const int vector = tile_.lanes * c_bytes(), bytes = (tile_.vector_rows - 1) * vector;
  if (tile_.across > 1) op("mv", "t3, a6");
  for (int j = 0; j < tile_.across; ++j) {
    for (int offset = 0; offset <= bytes; offset += cache_line) {
      op(choices_.c_prefetch == CPrefetch::load ? "lb" : "prefetch.w", "{}{}({})",
         choices_.c_prefetch == CPrefetch::load ? "zero, " : "", offset, j == 0 ? "a6" : "t3");
    }
    if (j + 1 < tile_.across) op("add", "t3, t3, a7");
  }
}

// The pointer from vector i of a k step to the next vector of the panel.
void AssemblyWriter::to_next_vector(const char* to, const char* from, int i) {
  if (last_row(i)) {
    op("add", "{}, {}, t0", to, from);
  } else if (tile_.any_vlen) {
    op("add", "{}, {}, a0", to, from);
  } else {
    op("addi", "{}, {}, {}", to, from, tile_.lanes * tile_.panel_bytes());
  }
}

const char* AssemblyWriter::vector_pointer(const Operation& operation) const {
  const int v = operation.step % schedule_.unroll * tile_.vectors() + operation.i;
  if (!own_pointers_ || v == 0) return vector_panel();
  return pointer_registers(tile_)[static_cast<std::size_t>(v - 1)];
}

void AssemblyWriter::write(const Operation& operation) {
  switch (operation.kind) {
    case Operation::load_vector:
      op(words_.vector_load, "{}, ({})", group(operation.vector_group), vector_pointer(operation));
      break;
    case Operation::advance_vectors: {
      const char* pointer = vector_pointer(operation);
      if (own_pointers_) {
        const int vectors = tile_.vectors() * schedule_.unroll;
        op("add", "{0}, {0}, {1}", pointer,
           pointer_registers(tile_)[static_cast<std::size_t>(vectors - 1)]);
      } else {
        to_next_vector(pointer, pointer, operation.i);
      }
      if (choices_.panel_prefetch > 0) {
        prefetched_ += (last_row(operation.i) ? tile_.tail : tile_.lanes) * tile_.panel_bytes();
        for (int line = 0; prefetched_ >= cache_line; prefetched_ -= cache_line, ++line) {
          op("prefetch.r", "{}({})", choices_.panel_prefetch + line * cache_line, pointer);
        }
      }
      break;
    }
    case Operation::advance_scalars:
      scalars_moved_ = schedule_.unroll * tile_.scalars() * tile_.panel_bytes();
      op("addi", "{0}, {0}, {1}", scalar_panel(), scalars_moved_);
      break;
    case Operation::load_scalar: {
      const bool bits = schedule_.operand == ScalarOperand::broadcast && words_.integer_scalars;
      op(bits ? "lh" : words_.scalar_load, "{}, {}({})", scalar(operation.scalar_register),
         (operation.step * tile_.scalars() + operation.j) * tile_.panel_bytes() - scalars_moved_,
         scalar_panel());
      break;
    }
    case Operation::load_row:
      if (operation.step == 0) {
        op(words_.vector_load, "{}, ({})", row_group(), scalar_panel());
      } else {
        op("addi", "t6, {}, {}", scalar_panel(),
           operation.step * tile_.scalars() * tile_.panel_bytes());
        op(words_.vector_load, "{}, (t6)", row_group());
      }
      break;
    case Operation::spread:
      if (gathers()) {
        op("vrgather.vi", "{}, {}, {}", spread_group(operation.scalar_register), row_group(),
           operation.j);
      } else {
        op(words_.spread_scalar, "{}, {}", spread_group(operation.scalar_register),
           scalar(operation.j % body_.scalar_registers));
      }
      break;
    case Operation::fma: {
      const auto to = tile_.product(operation.i, operation.j);
      const bool spread = schedule_.operand != ScalarOperand::scalar;
      op(to.subtract ? (spread ? words_.multiply_subtract_vv : words_.multiply_subtract)
                     : (spread ? words_.multiply_add_vv : words_.multiply_add),
         "{}, {}, {}", sum(tile_.accumulator(to.row, to.column, to.part)),
         spread ? spread_group(operation.scalar_register) : scalar(operation.scalar_register),
         group(operation.vector_group));
      break;
    }
  }
}

// One k step. Where `cut` is set it reads no further than its panels go.
void AssemblyWriter::plain_step(bool cut) {
  std::string length = "t2";
  const auto need = [&](const std::string& wanted) {
    if (!cut || length == wanted) return;
    length = wanted;
    set_vl(wanted.c_str());
  };
  for (const Operation& operation : k_step(tile_, schedule_.operand)) {
    if (operation.kind == Operation::load_vector) {
      need(last_row(operation.i) ? "t1" : "t2");
    } else if (operation.kind == Operation::load_row && cut) {
      op("li", "t6, {}", tile_.scalars());
      need("t6");
    } else if (operation.kind == Operation::spread) {
      need("t2");
    }
    write(operation);
  }
  need("t2");
}

// The last step, which must not read past the panels; several where a row is gathered from, since
// it is read up to a vector's length past its start.
void AssemblyWriter::cut_steps() {
  label("tail");
  op("beqz", "t5, {}", to("update"));
  if (gathers()) {
    label("cut");
    op("addi", "t5, t5, -1");
    plain_step(true);
    op("addi", "{0}, {0}, {1}", scalar_panel(), tile_.scalars() * tile_.panel_bytes());
    op("bnez", "t5, {}", to("cut"));
  } else {
    plain_step(true);
  }
}

// Points to every vector of an iteration, and counts the bytes to the next one. A pointer that the
// loop moves ahead of its load starts an iteration earlier.
void AssemblyWriter::own_pointers() {
  if (!schedule_.own_pointers) return;
  const auto registers = pointer_registers(tile_);
  const int vectors = tile_.vectors() * schedule_.unroll;
  const char* from = vector_panel();
  for (int v = 0; v < vectors; ++v) {
    const char* to = registers[static_cast<std::size_t>(v)];
    to_next_vector(to, from, v % tile_.vectors());
    from = to;
  }
  op("sub", "{0}, {0}, {1}", from, vector_panel());
  std::set<std::string> loaded;
  own_pointers_ = true;
  for (const Operation& operation : body_.loop) {
    const char* pointer = vector_pointer(operation);
    if (operation.kind == Operation::load_vector) loaded.insert(pointer);
    if (operation.kind == Operation::advance_vectors && !loaded.contains(pointer))
      op("sub", "{0}, {0}, {1}", pointer, from);
  }
}

// The iteration behind the loop. Only the panel's pointer is used again.
void AssemblyWriter::write_last() {
  std::set<std::string> loaded;
  for (const Operation& operation : body_.last) {
    const std::string pointer = vector_pointer(operation);
    if (operation.kind == Operation::load_vector) loaded.insert(pointer);
    const bool done = own_pointers_ && operation.kind == Operation::advance_vectors &&
                      pointer != vector_panel() && loaded.contains(pointer);
    if (!done) write(operation);
  }
}

// Makes again what the pointers of the loop have overwritten.
void AssemblyWriter::end_own_pointers() {
  if (!own_pointers_) return;
  own_pointers_ = false;
  if (!tile_.has_tail()) return;
  const auto registers = pointer_registers(tile_);
  const auto used = [&](std::string_view name) {
    const auto end = registers.begin() + tile_.vectors() * schedule_.unroll;
    return std::find(registers.begin(), end, name) != end;
  };
  if (used("t2")) op("li", "t2, {}", tile_.lanes);
  if (used("t1")) op("srli", "t1, t0, {}", log2(tile_.panel_bytes()));
  if (used("t5")) op("sltu", "t5, t1, t2");
}

void AssemblyWriter::loops() {
  const int unroll = schedule_.unroll, row = tile_.scalars() * tile_.panel_bytes();
  op("beqz", "a1, {}", to("update"));
  if (runs_over()) {
    comment(
        "A short last vector is loaded at full length while the panel goes on behind it: spare");
    comment("lanes hold values of the next k step. Only the last step must cut it.");
    if (tile_.has_tail()) op("sltu", "t5, t1, t2");
    if (gathers()) {
      comment("So is a row that is gathered from, of which the last steps may have to be cut.");
      op("addi", "t6, t2, -1");
      if (!tile_.has_tail()) op("divu", "t5, t6, t1");
      op("li", "t3, {}", tile_.scalars());
      op("divu", "t6, t6, t3");
      op("bgeu", "t5, t6, {}", to("counted"));
      op("mv", "t5, t6");
      label("counted");
      op("bgeu", "a1, t5, {}", to("enough"));
      op("mv", "t5, a1");
      label("enough");
    }
    op("sub", "a1, a1, t5");
  }
  const std::string after = runs_over() ? "tail" : "update";
  if (unroll > 1) {
    op("andi", "t4, a1, {}", unroll - 1);
    op("srli", "t3, a1, {}", log2(unroll));
    op("beqz", "t3, {}", to("remainder"));
  } else {
    op("mv", "t3, a1");
    op("beqz", "t3, {}", to(after));
  }
  const bool early = !body_.before.empty();
  if (early) comment("The last iteration stands behind the loop.");
  if (early) op("addi", "t3, t3, -1");
  op("li", "t6, {}", unroll * row);
  op("mul", "t3, t3, t6");
  op("add", "t3, t3, {}", scalar_panel());
  own_pointers();
  if (early) {
    comment("Loads of the first iteration that the loop makes one iteration earlier.");
    for (const Operation& operation : body_.before) write(operation);
    op("beq", "{}, t3, {}", scalar_panel(), to("last"));
  }
  out_ += "    .p2align 3\n";
  label("loop");
  for (const Operation& operation : body_.loop) write(operation);
  scalars_moved_ = 0;
  op("bne", "{}, t3, {}", scalar_panel(), to("loop"));
  if (early) {
    label("last");
    write_last();
    scalars_moved_ = 0;
  }
  end_own_pointers();
  if (unroll > 1) {
    label("remainder");
    op("beqz", "t4, {}", to(after));
    label("step");
    op("addi", "t4, t4, -1");
    plain_step(false);
    op("addi", "{0}, {0}, {1}", scalar_panel(), row);
    op("bnez", "t4, {}", to("step"));
  }
  if (runs_over()) cut_steps();
  label("update");
}

std::string AssemblyWriter::file(const std::string& id, const std::string& symbol) {
  header(id);
  out_ += fmt::format("    .text\n    .p2align 4\n    .globl {0}\n    .type {0}, @function\n{0}:\n",
                      symbol);
  entry();
  loops();
  update();
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

std::string assembly(const KernelPoint& point, const Tile& tile, const Schedule& schedule,
                     const std::string& id, const std::string& symbol) {
  return AssemblyWriter(point, tile, schedule).file(id, symbol);
}

}  // namespace quern::generator::rvv
