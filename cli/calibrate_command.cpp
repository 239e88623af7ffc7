// quern calibrate: measures instruction and memory costs of a board and writes them into a board file.
#include <fmt/core.h>

#include "base/file.h"
#include "boards/timing/calibration/fit.h"
#include "boards/timing/calibration/micro_benchmarks.h"
