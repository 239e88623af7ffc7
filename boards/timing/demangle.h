// C++ function names as their authors wrote them. The boards' compilers mangle by the Itanium C++
// ABI, as this host's does, whose library knows the way back.
#pragma once

#include <string>

namespace quern::timing {

// "_ZN2ns3addEii" -> "ns::add(int, int)"; what is no mangled name stays as it is.
std::string demangled(const std::string& symbol);

}  // namespace quern::timing
