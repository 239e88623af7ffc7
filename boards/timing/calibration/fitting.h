// What the steps of the fit share: the measurements, the board file in the making, and the table.
//
//   instructions  (fit.cpp)           --.
//   branches      (fit_branches.cpp)  ---+--> Fitting --> Calibration
//   memory        (fit_memory.cpp)    --+
//   prefetcher    (fit_prefetcher.cpp) -'
#pragma once

#include <string>
#include <vector>

#include "boards/timing/calibration/fit.h"

namespace quern::timing {

struct Fitting {
  Calibration calibration;
  const std::vector<Measurement>& measurements;
  std::string source;  // of what was calibrated
  Parameters before;   // as the starting board file has it
  InOrder order = InOrder::none;
  int width = 1;
  // Penalty and bubble are needed by the predictor's loops.
  double mispredict_penalty = 0;
  int taken_branch_bubble = 0;

  const double* measured(const std::string& name) const;
  // All loops prefix + first .. prefix + last; empty if one is missing.
  std::vector<double> family(const std::string& prefix, int first, int last,
                             const std::string& suffix = "") const;

  // Sets /timing/... to a value that `loop` showed. `fallback` is the value before where the board
  // file has none.
  void set(const std::string& loop, const std::string& pointer, Json value, Json fallback = {});
  void set_whole(const std::string& loop, const std::string& pointer, double value, int least = 1);
  void set_number(const std::string& loop, const std::string& pointer, double value);
  // No loop of this board can show it: stays as it is, for a reason.
  void keep(const std::string& loop, const std::string& pointer, const std::string& reason,
            Json fallback = {});

 private:
  FittedParameter& row(const std::string& loop, const std::string& pointer, const Json& fallback);
};

// Two decimals are all that a loop can tell; what is close to a whole number is that.
double rounded(double value);

void fit_bubble(Fitting& fitting);
void fit_branches(Fitting& fitting);
void fit_memory(Fitting& fitting);
void fit_prefetcher(Fitting& fitting);

}  // namespace quern::timing
