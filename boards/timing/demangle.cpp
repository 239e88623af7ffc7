#include "boards/timing/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace quern::timing {

std::string demangled(const std::string& symbol) {
  // Without the prefix, plain C names would be taken for types: "i" is int.
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? std::string(name.get()) : symbol;
}

}  // namespace quern::timing
