#include "boards/snitch/harness/machine.h"

namespace quern::snitch {

const char* name(RunEnd end) {
  switch (end) {
    case RunEnd::exited:
      return "exited";
    case RunEnd::time_out:
      return "time-out";
    case RunEnd::illegal:
      return "illegal-instruction";
    case RunEnd::misaligned:
      return "misaligned";
    case RunEnd::access:
      return "access";
    case RunEnd::trapped:
      return "trapped";
    case RunEnd::deadlock:
      return "deadlock";
  }
  return "";
}

int exit_code(RunEnd end, int program_code) {
  switch (end) {
    case RunEnd::exited:
      return program_code & 0xff;
    case RunEnd::time_out:
      return 124;  // as `timeout` does
    // As a shell reports the signal that a hosted program would die of.
    case RunEnd::illegal:
      return 132;
    case RunEnd::trapped:
      return 133;
    case RunEnd::misaligned:
      return 135;
    case RunEnd::access:
      return 139;
    case RunEnd::deadlock:
      return 125;
  }
  return 1;
}

}  // namespace quern::snitch
