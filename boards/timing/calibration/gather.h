// What the memory model says of the loops gather-k and dirty-k (memory_loops.h), worked out without
// a program: k lines side by side, the next step when the last one has come.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace quern::timing {

struct GatherModel {
  int slots = 1;           // miss slots
  double latency = 0;      // of a line, load to use
  double hit = 0;          // of a load that hits L1
  double line = 1;         // cycles of a line, on the slowest part of its way
  double step = 0;         // cycles of a step beyond the latency of its last line
  double loads_cycle = 1;  // loads issued in a cycle

  // Cycles a step with `lines` lines.
  double cycles(int lines) const {
    std::vector<double> slot(static_cast<std::size_t>(slots), 0.0);
    double begin = 0, busy = 0, half = 0;
    constexpr int steps = 24;  // line times may be fractions: an average
    for (int i = 0; i < steps; ++i) {
      if (i == steps / 2) half = begin;
      double issue = begin, ready = 0;
      for (int j = 0; j < lines; ++j) {
        double& free = *std::min_element(slot.begin(), slot.end());
        issue = std::max(issue, std::ceil(free));
        const double start = std::max(std::floor(issue), busy);
        busy = start + line;
        free = start + latency - hit;
        ready = start + latency;
        issue += 1 / loads_cycle;
      }
      begin = std::ceil(ready) + step;
    }
    return (begin - half) / (steps - steps / 2);
  }
};

}  // namespace quern::timing
