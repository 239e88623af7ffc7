// A Snitch kernel point: which kernel, of which element type and size, and what the compiler may
// do.
//
//   snitch-f64-matmul-m1-n5-k200-1x5-no-fuse
//   |      |   |      |          |   `- a pass that is switched off
//   |      |   |      |          `- unroll and jam m_r x n_r
//   |      |   |      `- sizes
//   |      |   `- kernel
//   |      `- element type of the inputs
//   `- family
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "generator/snitch/loop_nest.h"

namespace quern::generator::snitch {

enum class Kernel {
  fill,         // Z[m,n] = value
  sum,          // Z[m,n] = X[m,n] + Y[m,n]
  relu,         // Z[m,n] = max(X[m,n], 0)
  axpy,         // Z[m,n] = value * X[m,n] + Y[m,n]
  dot,          // z = sum over k of X[k] * Y[k]
  matmul,       // C[m,n] = A[m,k] B[k,n]
  matmul_t,     // C[m,n] = A[m,k] B[n,k]
  dense,        // C[m,n] = relu(A[m,k] B[k,n] + bias[n])
  conv3x3,      // Z[m,n] = sum of X[m+i,n+j] * W[i,j]
  max_pool3x3,  // Z[m,n] = max of X[2m+i,2n+j]
  sum_pool3x3,  // Z[m,n] = sum of X[2m+i,2n+j]
};

struct KernelInfo {
  Kernel kernel;
  std::string_view name;
  bool uses_mn, uses_k;        // which sizes it has
  bool jams;                   // has an unroll and jam to choose
  std::string_view signature;  // arguments, for help and headers
};

std::span<const KernelInfo> kernels();
const KernelInfo& info(Kernel kernel);
// Throw bad_input that lists what exists.
Kernel parse_kernel(std::string_view name);
ScalarType parse_type(std::string_view name);

// The compiler's steps, in the order of the published ablation. Each one needs those before it to
// be worth anything, but every subset gives correct code.
struct Passes {
  bool streams = true;             // operands through ft0..ft2
  bool scalar_replacement = true;  // accumulators in registers instead of memory
  bool frep = true;                // innermost loops in the FREP sequencer
  bool fuse_fill = true;           // the accumulator starts at 0 instead of at a filled output
  bool unroll_and_jam = true;      // several outputs at a time; first and last step peeled

  friend bool operator==(const Passes&, const Passes&) = default;
};

struct Point {
  Kernel kernel = Kernel::matmul;
  ScalarType type = ScalarType::f64;
  std::int64_t m = 1, n = 1, k = 1;
  int m_r = 0, n_r = 0;  // 0: chosen by cost
  Passes passes;

  friend bool operator==(const Point&, const Point&) = default;
};

// Readable, unique id, and back. parse_id throws bad_input.
std::string id(const Point& point);
Point parse_id(std::string_view text);

// Sizes that make sense at all (positive, not absurd). Throws bad_input.
void check(const Point& point);

}  // namespace quern::generator::snitch
