// The instructions and registers that one element type needs in assembly.
#pragma once

#include <string>

#include "generator/core/dtype.h"

namespace quern::generator::rvv {

struct Mnemonics {
  // In the k loop. The products with ".vv" take a vector where the others take a scalar.
  std::string vector_load;                              // of a panel
  std::string scalar_load;                              // of a panel, into a scalar register
  std::string spread_scalar;                            // scalar register -> vector
  std::string multiply_add, multiply_add_vv;            // sum += scalar * vector
  std::string multiply_subtract, multiply_subtract_vv;  // complex only
  bool integer_scalars = false;   // panel elements sit in x registers when they are broadcast...
  bool integer_operands = false;  // ... and when they are operands

  // In the update of C.
  std::string c_load, c_store;                  // unit stride
  std::string c_load_strided, c_store_strided;  // with a stride in bytes
  std::string sum_load;                         // alpha and beta
  std::string scale;                            // vd = vs * scalar
  std::string accumulate;                       // vd += scalar * vs
  std::string accumulate_negative;              // vd -= scalar * vs
  std::string scale_and_add;                    // vd = scalar * vd + vs
  std::string add;                              // vd = vs + vs
  std::string bits_load;                        // a value's bits into an x register
  std::string one_bits;                         // the bits of 1
};

Mnemonics mnemonics(const DTypeInfo& type);

}  // namespace quern::generator::rvv
