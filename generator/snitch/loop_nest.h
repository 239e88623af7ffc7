// Level 1: a kernel as a perfect loop nest over an iteration domain, with affine operand maps and
// one scalar operation (the shape of MLIR's linalg.generic).
//
//   nest matmul f64 {
//     domain m: 4 parallel, n: 8 parallel, k: 16 reduction
//     in  A: f64 = a0[128*m + 8*k]
//     in  B: f64 = a1[64*k + 8*n]
//     out C: f64 = a2[64*m + 8*n]
//     init   0
//     body   fma(A, B, acc)
//   }
//
// Address maps are in bytes. Nothing here says how operands are fetched or in which order a
// reduction is summed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/snitch/staging.h"

namespace quern::generator::snitch {

enum class ScalarType { f64, f32, f16 };
std::int64_t size_of(ScalarType type);  // bytes
std::string_view name_of(ScalarType type);

enum class IteratorKind { parallel, reduction };

struct Iterator {
  std::string name;
  std::int64_t extent = 1;
  IteratorKind kind = IteratorKind::parallel;
};

// byte address = pointer + offset + sum of coefficient[d] * iterator d
struct AffineMap {
  std::vector<std::int64_t> coefficients;  // one per iterator
  std::int64_t offset = 0;
};

enum class Access { in, out, scalar };  // scalar: a value in fa0, not in memory

struct Operand {
  std::string name;
  ScalarType type = ScalarType::f64;
  Access access = Access::in;
  int argument = 0;  // pointer in a<argument>
  AffineMap map;
  // The same value for all lanes of a word that packs outputs.
  bool broadcast = false;
  // Copied row by row into the workspace, where `map` addresses it, before it is streamed.
  std::optional<Staging> staging;
};

// What a scalar operation works on.
struct Value {
  enum class Kind { operand, accumulator, zero } kind = Kind::operand;
  int operand = 0;
};

enum class ScalarOp { copy, add, max, fma };  // fma(x, y, z) = x * y + z

struct ScalarBody {
  ScalarOp op = ScalarOp::copy;
  std::vector<Value> arguments;
};

// Where the accumulator of a reduction starts.
enum class Init {
  none,         // no reduction
  zero,         // 0
  first,        // the first element (max)
  operand,      // an operand that the reduction iterators do not move (bias)
  destination,  // what the output holds: an earlier nest has filled it
};

// What the lanes of a packed word hold: neighbouring outputs, or partial sums of one output, which
// are added at the end.
enum class Lanes { outputs, partial_sums };

struct LoopNest {
  std::string name;
  ScalarType type = ScalarType::f64;         // of the inputs
  ScalarType accumulator = ScalarType::f64;  // of the arithmetic: f32 for f16 reductions (widening)
  std::vector<Iterator> iterators;           // outermost first, reductions innermost
  std::vector<Operand> operands;
  Init init = Init::none;
  int init_operand = -1;
  ScalarBody body;
  bool relu = false;  // max(result, 0) after the reduction
  // Elements of one operand word that an instruction works on (packed SIMD). An iterator that is
  // packed counts words, its coefficients are 8 bytes.
  int lanes = 1;
  Lanes lane_contents = Lanes::outputs;
  // Partial sums: two results leave as one word; else one by one, by store instructions.
  bool paired = false;

  const Operand& output() const;
  int output_index() const;
  bool has_reduction() const;
  bool sums_lanes() const { return lanes > 1 && lane_contents == Lanes::partial_sums; }
  const Operand* staged() const;  // the staged operand, if there is one
  std::int64_t points() const;    // size of the iteration domain
};

std::string print(const LoopNest& nest);

}  // namespace quern::generator::snitch
