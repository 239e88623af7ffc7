// What the parts of the assembly back end share: the text under construction, and which register
// holds what. assembly.cpp writes the kernel up to the sums, assembly_update.cpp what becomes of C.
//
//     a0 size along, then bytes of a full vector (any VLEN)        t0 bytes of the last vector
//     a1 k, left                                                   t1 elements of the last vector
//     a2 alpha     a5 beta                                         t2 elements of the others
//     a3 A panel   a4 B panel, both moving                         t3 end of the loop, in the
//     a6 C, moving                                                    panel of the scalars
//     a7 bytes from one column (row-major: row) of C to the next   t4 steps left over
//                                                                  t5 steps that are cut
//
// In the loop, a vector may have a pointer of its own (schedule.h); these and the bytes by which
// they move are in what is free (pointer_registers).
#pragma once

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <string>

#include "generator/rvv/choices.h"
#include "generator/rvv/loop_body.h"
#include "generator/rvv/mnemonics.h"
#include "generator/rvv/schedule.h"
#include "generator/rvv/tile.h"

namespace quern::generator::rvv {

class AssemblyWriter {
 public:
  AssemblyWriter(const KernelPoint& point, const Tile& tile, const Schedule& schedule);

  std::string file(const std::string& id, const std::string& symbol);

 private:
  enum class Update { overwrite, add, general };

  // assembly.cpp
  void header(const std::string& id);
  void save(const char* store_or_load);
  void entry();
  void prefetch_c();
  void write(const Operation& operation);
  void plain_step(bool cut);
  void cut_steps();
  void own_pointers();
  void end_own_pointers();
  void write_last();
  void loops();
  // assembly_update.cpp
  void update();
  void update_cells(Update kind);
  void update_real(Update kind);
  void update_complex(Update kind);
  void scale_complex(int re, const std::string& temporary, const char* factor_re,
                     const char* factor_im);
  void to_next_cell(const char* pointer, int cell);
  void for_cell(int cell, const auto& access);

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

  static std::string v(int number) { return fmt::format("v{}", number); }
  std::string sum(int accumulator) const { return v(accumulator * tile_.sum_lmul().registers()); }
  // Groups behind the accumulators: of the panel's vectors, and in the update of C's.
  std::string group(int index) const {
    return v(tile_.accumulators() * tile_.sum_lmul().registers() + index * tile_.lmul.registers());
  }
  std::string c_vector(int index) const { return sum(tile_.accumulators() + index); }
  int c_vectors() const;  // how many of them there are
  // The groups behind the panel's vectors, where scalars are spread over vectors.
  std::string spread_group(int index) const { return group(tile_.vectors() + index); }
  std::string row_group() const { return group(tile_.vectors() + 2); }

  const char* scalar(int index) const;
  int scalars() const;  // scalar registers that the kernel uses
  const char* vector_panel() const { return tile_.along_n ? "a4" : "a3"; }
  // Of a vector of the iteration: in the loop its own pointer, else the panel's.
  const char* vector_pointer(const Operation& operation) const;
  void to_next_vector(const char* to, const char* from, int i);
  const char* scalar_panel() const { return tile_.along_n ? "a3" : "a4"; }
  bool last_row(int i) const { return i % tile_.vector_rows == tile_.vector_rows - 1; }
  // Vectors are loaded at full length while the panel goes on behind them.
  bool runs_over() const { return tile_.has_tail() || gathers(); }
  bool gathers() const { return schedule_.operand == ScalarOperand::gather; }
  int c_bytes() const { return tile_.sum_bytes() * tile_.type.parts; }  // of an element of C
  static int log2(int power) { return std::countr_zero(static_cast<unsigned>(power)); }

  void set_vl(const char* length) {
    op("vsetvli", "zero, {}, e{}, {}, ta, ma", length, tile_.type.panel_bits, tile_.lmul.name());
  }
  void set_c_vl(const char* length) {
    op("vsetvli", "zero, {}, e{}, {}, ta, ma", length, tile_.type.sum_bits,
       tile_.sum_lmul().name());
  }

  const KernelPoint& point_;
  const Choices choices_;
  const Tile tile_;
  const Schedule schedule_;
  const LoopBody body_;
  const Mnemonics words_;
  int prefetched_ = 0;         // bytes of the panel since the last prefetch
  int scalars_moved_ = 0;      // bytes by which the scalars' pointer is ahead of the iteration
  bool own_pointers_ = false;  // as in the loop
  std::string out_;
};

}  // namespace quern::generator::rvv
