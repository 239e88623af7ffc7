// From what the micro-benchmarks measured to a board file.
//
//   {"name": "vector-fma m2 occupancy", "cycles": 2.00}  -->  class vector-fma, LMUL 2,
//   occupancy 2.00
//   ...                                                  -->  timing block with these values,
//   source "calibrated"
//
// A loop was made so that one parameter decides its time, so a parameter is read off, not searched
// for: the residual that is printed is what the fitted model says of the same loop against what was
// measured. What no loop measures keeps the value and source of the board file that was the
// starting point; where a loop exists but cannot show the parameter on this board, the table says
// so ("kept").
#pragma once

#include <string>
#include <vector>

#include "base/json_file.h"
#include "boards/timing/calibration/measurements.h"
#include "boards/timing/parameters.h"

namespace quern::timing {

struct FittedParameter {
  std::string name;     // of the loop that decides
  std::string pointer;  // JSON pointer into the board file
  Json before;
  double measured = 0;  // cycles of the loop
  Json value;           // of the parameter
  double modelled = 0;  // cycles of the loop under the fitted parameters; 0: not known
  std::string kept;     // why no loop of this board shows the parameter; empty: it was fitted
  double residual() const { return modelled > 0 && measured > 0 ? modelled / measured - 1 : 0; }
};

struct Calibration {
  Json board;  // the new board file
  std::vector<FittedParameter> parameters;
  double worst_residual = 0;
};

// `board` is the starting point; `timing_word` says what kind of figure the measurements are.
// Loops that are missing leave their parameters alone. Throws check_failed if what comes out is no
// board that the model accepts.
Calibration fit(const Json& board, const std::vector<Measurement>& measurements,
                const std::string& timing_word);

}  // namespace quern::timing
