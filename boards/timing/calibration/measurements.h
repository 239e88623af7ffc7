// What the target program of `quern calibrate` prints, and whether a fit may rest on it.
//
//   {"name": "tlb-64", "cycles": 40.0, "timing": "measured"}   one line a loop, 400 and more of
//   them
#pragma once

#include <string>
#include <vector>

namespace quern::timing {

struct Measurement {
  std::string name;
  double cycles = 0;
};

// The JSON lines of the target program. Throws check_failed for a line that is not one.
std::vector<Measurement> parse_measurements(const std::string& output);

// The names of all loops that the program runs.
std::vector<std::string> calibration_loops();

// Every loop of the program must be there, once, with a time that a loop can have. Throws
// check_failed naming the first one that is not: the program was interrupted, or the board was so
// busy that a difference of two times is negative.
void check_measurements(const std::vector<Measurement>& measurements);

}  // namespace quern::timing
