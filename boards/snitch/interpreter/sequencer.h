// FREP as a program sees it: a body of buffered FP instructions, possibly with one more loop
// inside, that is executed when the last instruction of the outermost body has arrived.
//
//   frep.o 3, 4      outer body of 4 instructions, 3 times
//     fmul.d
//     frep.o 2, 1    inner: the next instruction, 2 times in each outer iteration
//       fmadd.d
//     fmadd.d
//     fmadd.d
//
// There is one register a level. One loop more in a nest (a second inner loop) takes over the
// register of the innermost one when that has run: from then on neither of the two repeats.
// Measured on one program of the original core, tests/snitch_conformance/frep_nest_two.S.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include "boards/snitch/fpu/instruction.h"

namespace quern::snitch::interpreter {

class SequencerMisuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One instruction of the FP subsystem as the integer core offloads it.
struct FpOffload {
  enum class Kind { arithmetic, load, store } kind = Kind::arithmetic;
  std::uint32_t bits = 0;
  std::uint32_t address = 0;  // of a load or store, computed by the integer core at issue
  std::optional<FpInstruction> decoded;
};

class Sequencer {
 public:
  using Execute = std::function<void(const FpOffload&)>;
  Sequencer(unsigned entries, unsigned levels, Execute execute)
      : entries_(entries), levels_(levels), execute_(std::move(execute)) {}

  bool collecting() const { return !loops_.empty(); }
  void start_loop(std::uint32_t bits, std::uint32_t repetitions);
  void offload(FpOffload instruction);

 private:
  struct Loop {
    std::size_t first, count;
    std::uint64_t iterations;
    unsigned stagger_max, stagger_mask;
  };
  void run(std::size_t begin, std::size_t end, std::size_t loop, unsigned stagger, unsigned mask);
  std::size_t loops_inside(std::size_t loop) const;
  bool repeats(std::size_t loop) const;

  unsigned entries_, levels_;
  Execute execute_;
  std::vector<Loop> loops_;  // in order of arrival; [0] is the outermost
  std::vector<FpOffload> body_;
  bool taken_over_ = false;  // the innermost loop's register has gone to a later loop
};

}  // namespace quern::snitch::interpreter
