// Snitch kernel points -> records: what bench/snitch/runner.h finds out about a point, as the
// journal keeps it.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "bench/snitch/runner.h"
#include "boards/session.h"
#include "tuner/record.h"

namespace quern::tuner::snitch {

struct Measurement {
  bench::snitch::Result result;  // with what only this machine counts
  Record record;
};

// Measures points one after the other and hands over each measurement as it is made. Ends early
// when interrupted, and at a point whose simulator failed: it would fail the others too.
// `time_limit`: of one simulation, on this host's clock. Throws bad_input for a point that no
// kernel can be generated for, tool_missing without an assembler.
void measure_kernels(boards::Session& session, const std::filesystem::path& root,
                     const std::filesystem::path& build,
                     const std::vector<generator::snitch::Point>& points,
                     std::chrono::milliseconds time_limit,
                     const std::function<void(const Measurement&)>& take);

}  // namespace quern::tuner::snitch
