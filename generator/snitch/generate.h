// From a kernel point to assembly, through all levels, each of which can be looked at.
#pragma once

#include <string>
#include <vector>

#include "generator/snitch/kernel_nests.h"
#include "generator/snitch/machine.h"
#include "generator/snitch/point.h"

namespace quern::generator::snitch {

struct Generated {
  std::string id;
  std::string symbol;                     // C symbol of the function
  std::string assembly;                   // the whole .S file
  std::vector<std::string> loop_nests;    // printed level 1
  std::vector<std::string> stream_nests;  // printed level 2 (empty where nothing is streamed)
  std::string program;                    // printed level 3, virtual registers
  int freps = 0;                          // frep.o instructions in the code
  std::int64_t workspace_bytes = 0;       // of the last pointer argument; 0: the kernel needs none
  std::vector<std::string> notes;  // what was chosen and what was not possible, for the header
};

// Throws bad_input when the operands do not fit in the TCDM or the registers do not suffice.
Generated generate(const Point& point, const Machine& machine = {});

}  // namespace quern::generator::snitch
