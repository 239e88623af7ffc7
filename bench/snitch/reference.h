// What a Snitch kernel must compute, by plain loops over the kernel's definition, not through the
// generator.
#pragma once

#include <cstdint>
#include <vector>

#include "generator/snitch/point.h"

namespace quern::bench::snitch {

// Operands in the order of the kernel's pointer arguments; each value exactly representable in its
// type.
using Operands = std::vector<std::vector<double>>;

// Elements of each operand, the output included.
std::vector<std::int64_t> operand_sizes(const generator::snitch::Point& point);
// Which operand is the output, and its type.
int output_operand(const generator::snitch::Point& point);
generator::snitch::ScalarType output_type(const generator::snitch::Point& point);

// The output for these inputs (the entry of the output is ignored), in double precision.
std::vector<double> reference(const generator::snitch::Point& point, const Operands& operands,
                              double scalar);

}  // namespace quern::bench::snitch
