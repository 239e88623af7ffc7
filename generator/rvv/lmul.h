// How many registers one vector value takes: LMUL 1/2, 1, 2, 4 or 8.
#pragma once

#include <algorithm>
#include <string>

namespace quern::generator::rvv {

struct Lmul {
  int halves = 2;  // LMUL in halves of a register: 1, 2, 4, 8, 16

  // Registers that a value occupies; half a one cannot be shared.
  int registers() const { return std::max(1, halves / 2); }
  Lmul doubled() const { return {2 * halves}; }
  std::string text() const { return halves == 1 ? "1/2" : std::to_string(halves / 2); }
  // As vsetvli and intrinsics spell it.
  std::string name() const { return halves == 1 ? "mf2" : "m" + text(); }

  friend bool operator==(const Lmul&, const Lmul&) = default;
};

}  // namespace quern::generator::rvv
