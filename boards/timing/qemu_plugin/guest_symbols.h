// Names for guest addresses: the functions of every ELF file that this process, an emulator whose
// guest shares its address space, has mapped.
#pragma once

#include <cstdint>

#include "boards/timing/timing_report.h"

namespace quern::timing {

// At guest addresses; `guest_base` is host address less guest address.
SymbolMap mapped_functions(std::uint64_t guest_base);

}  // namespace quern::timing
