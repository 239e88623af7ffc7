// Level 2 -> 3: from placed operands to instructions. Two ways:
//
//   jammed  streams in and out, several accumulators, FREP nest; first and last step of a reduction
//   peeled plain   one output at a time; operands from streams or from memory. The steps of the
//   ablation, and the
//           correct slower path for what cannot be streamed.
#pragma once

#include "generator/snitch/fold_windows.h"
#include "generator/snitch/point.h"
#include "generator/snitch/program.h"
#include "generator/snitch/stream_nest.h"

namespace quern::generator::snitch {

// What the nests of one kernel share while they are lowered into it.
class KernelBuilder {
 public:
  KernelBuilder(Program& target, const Machine& for_machine)
      : program(target), machine(for_machine) {}

  // 0.0, set once at the start of the kernel: in every lane (and as f64), or boxed for scalar f32,
  // f16.
  Register float_zero() { return boxed_zero(ScalarType::f64); }
  Register boxed_zero(ScalarType type);
  // The kernel's scalar argument in every lane of the type.
  Register scalar(ScalarType type, int lanes);
  // Appends to `block`: rd = rs + value, for any value.
  void add_immediate(Block& block, Register rd, Register rs, std::int64_t value);
  Register constant(Block& block, std::int64_t value, std::string role);
  // Turns the streams on unless they are; the end of the kernel turns them off.
  void streams_on(Block& block);

  // Prelude, body, streams off; with a workspace, which the next call may write at once, the end
  // of all work.
  void finish(bool workspace);

  Program& program;
  const Machine& machine;
  Block body;

 private:
  Block prelude_;
  Register zero_[3]{}, scalar_{};
  bool streams_on_ = false;
};

void lower_jammed(KernelBuilder& builder, const StreamNest& nest, bool frep);

// Windows folded inside a word (fold_windows.h).
void lower_folded(KernelBuilder& builder, const FoldedWindows& windows);

// A reduction to one value (dot): `partial` independent sums, then a tree.
void lower_split(KernelBuilder& builder, const StreamNest& nest, std::int64_t partial, bool frep);

// Copies all rows of `staging` into the workspace, before anything is streamed.
void lower_staging(KernelBuilder& builder, const Staging& staging, int workspace_argument);
// Copies the next `rows` rows and waits until they are in memory; both pointers advance.
void lower_staged_rows(KernelBuilder& builder, Block& block, const Staging& staging,
                       Register source, Register target, std::int64_t rows);

// How the plain lowering computes addresses.
enum class Addressing {
  literal,  // every access evaluates its affine map (what a naive lowering does)
  pointers  // one running pointer an operand
};

struct PlainOptions {
  Addressing addressing = Addressing::pointers;
  bool scalar_replacement = true;
  bool frep = false;
  // Outputs at a time along the innermost parallel iterator, whose extent it divides; with pointers
  // only.
  std::int64_t jam = 1;
};
// The largest jam up to `most` whose addresses fit in the offsets of loads and stores.
std::int64_t plain_jam(const LoopNest& nest, std::int64_t most);
// `streams`: the same nest with some operands in streams; nullptr: all in memory.
void lower_plain(KernelBuilder& builder, const LoopNest& nest, const StreamNest* streams,
                 const PlainOptions& options);

// Waits until the write stream of the nest before has reached memory.
void lower_drain(KernelBuilder& builder);

// Emits the stream configuration of `nest` except the pointers that change in its integer loops.
// `counts`: further constants that the kernel needs; filled with their registers.
struct Count {
  std::int64_t value;
  std::string role;
  Register reg;
};
void lower_stream_setup(KernelBuilder& builder, Block& block, const StreamNest& nest,
                        std::vector<Count>& counts);
// The scfgwi that starts the stream of an operand at `pointer`.
Node start_stream(const StreamNest& nest, const StreamedOperand& operand, Register pointer);

// Two read-modify instructions for fma on packed data, where there is no fused one that keeps its
// addend.
bool splits_fma(const LoopNest& nest);

}  // namespace quern::generator::snitch
