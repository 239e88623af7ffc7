#include "Vsnitch_single.h"
#include "Vsnitch_single___024root.h"
#include "boards/snitch/harness/verilated_machine.h"

namespace quern::snitch {
namespace {

auto tcdm(Vsnitch_single& model) {
  return &model.rootp->snitch_cluster__DOT__i_tcdm__DOT__mem_q[0];
}

}  // namespace

std::unique_ptr<Machine> make_single_core() {
  return std::make_unique<VerilatedMachine<Vsnitch_single, 1, tcdm>>();
}

}  // namespace quern::snitch
