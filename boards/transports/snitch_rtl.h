// Transports of the Snitch machine: bare-metal ELF programs on a simulator that is a process of its
// own, so that it can be limited and ended.
//
//   verilator   the RTL of boards/snitch/rtl, verilated with the product (quern-snitch-sim)
//   simulator   a Snitch simulator that the user has: takes the ELF file, ends when the program
//   writes
//               tohost, lets the console output reach stdout
//
// Cycles: `verilator` counts the whole run; an external simulator tells nothing, so there the
// program's own figure counts, the warm one of a line "RESULT <cold> <warm> <checksum>".
#pragma once

#include <memory>

#include "boards/transports/transport.h"

namespace quern::boards {

std::unique_ptr<Transport> make_verilator_transport(const Machine& machine);

// The command is settings["simulator"], or the environment's QUERN_SNITCH_SIMULATOR.
std::unique_ptr<Transport> make_simulator_transport(const Machine& machine);

}  // namespace quern::boards
