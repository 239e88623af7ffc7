// The measured program of one Snitch kernel: where operands lie, what they hold, the generated part
// that goes with harness.S, and the checksum that the program must report.
//
//   TCDM  | operand a0 | operand a1 | ... | workspace |        free        | stack |
//
// Operands follow each other without padding (to the next word), as in the published measurements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/snitch/generate.h"

namespace quern::bench::snitch {

struct PlacedOperand {
  std::string name;
  generator::snitch::ScalarType type;
  std::int64_t elements = 0;
  bool output = false;
  std::uint32_t address = 0;
  std::uint32_t start = 0, step = 0;  // of the value sequence (harness.S)
};

struct MeasuredProgram {
  std::vector<PlacedOperand> operands;
  std::uint32_t workspace = 0;  // address; 0: none
  std::string assembly;         // beside the kernel and harness.S
  std::vector<double> output;   // the right one, element by element
  std::uint32_t checksum = 0;   // of it
};

MeasuredProgram measured_program(const generator::snitch::Point& point,
                                 const generator::snitch::Generated& generated);

// Bits of a value that the type holds exactly, and back.
std::uint64_t bits_of(generator::snitch::ScalarType type, double value);
double value_of(generator::snitch::ScalarType type, std::uint64_t bits);

}  // namespace quern::bench::snitch
