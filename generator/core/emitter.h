// The interface between kernel points and source text.
//
//     KernelPoint + Target --Emitter--> source text
//
// An emitter is one folder of generator/ and one line in generator/registry.cpp. It declares its
// parameters, says which points are valid for a target and why the others are not, and writes the
// source. Nothing outside its folder knows what its choices mean.
//
// Emission is all or nothing: emit() either returns the whole text or throws. The same point and
// target always give the same bytes.
#pragma once

#include <array>
#include <bit>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "generator/core/kernel_point.h"

namespace quern::generator {

// What instructions cost on the target, in cycles, for schedules that are made against it. Filled
// from a board's timing tables.
struct Costs {
  struct Cost {
    double latency = 0;    // from issue to use
    double occupancy = 0;  // until the unit takes the next
  };
  double issue_width = 0;  // instructions a cycle; 0: the board has no tables
  // Results of floating-point and vector instructions are written in program order: one of them
  // issues no sooner than it can write behind all that stand before it.
  bool writes_in_order = false;
  bool one_load_unit = false;  // scalar and vector loads wait for each other
  Cost scalar_load, integer_load;
  // By log2 of the element's bytes and log2 of twice LMUL, of the operands where the product is
  // wider.
  using Table = std::array<std::array<Cost, 5>, 4>;
  Table vector_load{}, fma{}, widening_fma{}, widening_multiply_add{};

  static const Cost& at(const Table& table, int bits, int lmul_halves) {
    return table[static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(bits)) - 3)]
                [static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(lmul_halves)))];
  }
};

// What a kernel may rely on. Filled from a board file; the generator itself knows no boards.
struct Target {
  int vlen = 0;                      // bits of a vector register; 0: none
  std::set<std::string> extensions;  // "v", "zvfh", ... as in the ISA string
  Costs costs = {};
};

// One of an emitter's own choices, beside dtype, m_r and n_r.
struct Parameter {
  std::string name;                 // "lmul": option --lmul, key in KernelPoint::choices
  std::vector<std::string> values;  // all that can be asked for
  std::string meaning;              // help text
  bool fixed_by_target = false;     // not the user's to choose: its only value is the target's
  // Varied in a space that does not fix it. Others keep their default there, unless a list or "all"
  // is asked for: the space would have a hundred million points.
  bool varied = true;
};

struct Kernel {
  std::string id;         // of the point it was made from
  std::string symbol;     // C identifier of the function
  std::string source;     // whole file
  std::string extension;  // ".c" or ".S"
};

// What a caller must know of a kernel. The dimension that its vectors run along is the one whose
// size is an argument; the other is the tile's own.
struct KernelForm {
  enum class Along { m, n } along = Along::m;
  enum class COrder { column_major, row_major } c_order = COrder::column_major;
  int lanes = 0;          // elements of one vector, for the VLEN that the point names
  bool any_vlen = false;  // runs at every VLEN; lanes and the tile's size along grow with it

  // What GEMM in BLAS terms is built from.
  bool blas() const { return along == Along::m && c_order == COrder::column_major && !any_vlen; }
};

class Emitter {
 public:
  virtual ~Emitter() = default;

  virtual std::string family() const = 0;
  // The values that make sense on the target, default first.
  virtual std::vector<Parameter> parameters(const Target& target) const = 0;
  // The constraints in the order in which they are checked: names for `quern space`.
  virtual std::vector<std::string> constraints() const = 0;

  // The point with every choice that is missing set to the target's default.
  KernelPoint complete(KernelPoint point, const Target& target) const;
  // Readable, unique id of a complete point, and back. parse_id throws bad_input.
  virtual std::string id(const KernelPoint& point) const = 0;
  virtual KernelPoint parse_id(const std::string& id) const = 0;

  struct Violation {
    std::string constraint;  // one of constraints()
    std::string
        reason;  // with the numbers: "30 accumulators + 3 A vectors need 33 of 32 registers"
  };
  // Empty when the point is valid on the target; else the first constraint that it breaks.
  virtual std::vector<Violation> violations(const KernelPoint& point,
                                            const Target& target) const = 0;

  // How a kernel wants to be called (gemm/micro_kernel.h).
  virtual KernelForm form_of(const KernelPoint& point) const = 0;

  // The kernels that together cover a full tile and all its edges (gemm/kernel_family.h), row-major
  // by number of vectors along the tile, then by its width across them, 1 and up; the last one is
  // the point itself.
  struct Family {
    int lanes = 0;  // elements of one vector
    std::vector<KernelPoint> points;
  };
  virtual Family family_of(const KernelPoint& point) const = 0;

  // Source of a valid point. Throws bad_input with the violation's reason for an invalid one.
  virtual Kernel emit(const KernelPoint& point, const Target& target) const = 0;
};

// The registered emitters, and the one of a family (throws bad_input for an unknown family).
std::span<const Emitter* const> emitters();
const Emitter& emitter(const std::string& family);

}  // namespace quern::generator
