// The registry: one line a transport.
#include "base/error.h"
#include "boards/transports/qemu.h"
#include "boards/transports/snitch_rtl.h"
#include "boards/transports/transport.h"

namespace quern::boards {

const std::vector<TransportKind>& transport_kinds() {
  static const std::vector<TransportKind> kinds = {
      {"qemu", "rvv", Timing::modelled, make_qemu_transport},
      {"verilator", "snitch", Timing::rtl, make_verilator_transport},
      {"simulator", "snitch", Timing::rtl, make_simulator_transport},
  };
  return kinds;
}

const TransportKind& transport_kind(std::string_view name) {
  std::string known;
  for (const auto& kind : transport_kinds()) {
    if (kind.name == name) return kind;
    known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw bad_input("no transport \"{}\"; this build has: {}", name, known);
}

const TransportKind& transport_kind(std::string_view name, std::string_view board) {
  const TransportKind& found = transport_kind(name);
  if (found.board == board) return found;
  std::string known;
  for (const auto& kind : transport_kinds()) {
    if (kind.board == board) known += (known.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw bad_input("transport \"{}\" does not reach boards of kind {}; these do: {}", name, board,
                  known);
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::nonzero_exit:
      return "nonzero_exit";
    case Outcome::crash:
      return "crash";
    case Outcome::illegal_instruction:
      return "illegal_instruction";
    case Outcome::timeout:
      return "timeout";
    case Outcome::out_of_memory:
      return "out_of_memory";
    case Outcome::interrupted:
      return "interrupted";
    case Outcome::unavailable:
      return "unavailable";
  }
  return "?";
}

}  // namespace quern::boards
