// The word that every figure carries: where its time comes from (DESIGN, vocabulary). A number
// without it could be mistaken for a measurement.
#pragma once

#include <string_view>

namespace quern::boards {

enum class Timing {
  measured,  // wall clock on silicon
  rtl,       // cycles of a cycle-accurate simulation
  modelled,  // cycles of the timing model
};

constexpr std::string_view to_string(Timing timing) {
  switch (timing) {
    case Timing::measured:
      return "measured";
    case Timing::rtl:
      return "rtl";
    case Timing::modelled:
      return "modelled";
  }
  return "?";
}

}  // namespace quern::boards
