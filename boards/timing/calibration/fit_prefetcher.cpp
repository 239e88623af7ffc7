// The prefetcher. A step of its chains takes one of two times; how many took the shorter one says
// what had been fetched ahead.
#include <fmt/format.h>

#include <algorithm>

#include "boards/timing/calibration/fitting.h"
#include "boards/timing/calibration/loop_shapes.h"

namespace quern::timing {

using namespace calibration;

void fit_prefetcher(Fitting& f) {
  const std::string memory = "/timing/memory/";
  const double *hit = f.measured("paced-hit"), *miss = f.measured("paced-miss"),
               *page = f.measured("prefetch-page");
  const auto stride = f.family("prefetch-stride-", 1, most_stride),
             streams = f.family("prefetch-streams-", 1, most_streams),
             ahead = f.family("prefetch-ahead-", 1, most_ahead);
  if (!hit || !miss || !page || stride.empty() || streams.empty() || ahead.empty()) return;
  const double gain = *miss - *hit;
  const auto fetched = [&](double step) { return (*miss - step) / gain; };
  if (gain < 2 || fetched(stride[0]) < 0.5) {
    f.set_whole("prefetch-stride-1", memory + "prefetch_streams", 0, 0);
    for (const char* key : {"prefetch_distance", "prefetch_stride", "prefetch_crosses_page"})
      f.keep("prefetch-stride-1", memory + key, "there is no prefetcher");
    return;
  }
  // The first loop of a family that does not go on as the ones before decides; if all do, the
  // parameter is that much or more, and what was known of it before may be right.
  const auto count = [&](const char* family, const char* key, const std::vector<double>& steps,
                         int before, auto&& goes_on) {
    int n = 1;
    const int all = static_cast<int>(steps.size());
    while (n < all && goes_on(n + 1, steps[static_cast<std::size_t>(n)])) ++n;
    f.set_whole(fmt::format("prefetch-{}-{}", family, std::min(n + 1, all)), memory + key,
                n < all ? n : std::max(n, before));
  };
  // What is asked for ahead is the last of `trained_lines` + 1 steps.
  const auto late = [&](double steps) {
    return (steps - ahead[0]) * (trained_lines + 1) > 0.5 * gain;
  };
  const bool crosses = !late(*page);
  const MemoryParameters& before = f.before.memory;
  count("streams", "prefetch_streams", streams, before.prefetch_streams,
        [&](int, double step) { return fetched(step) > 0.5; });
  count("ahead", "prefetch_distance", ahead, before.prefetch_distance,
        [&](int, double step) { return !late(step); });
  // The first line of a page is fetched only where pages are crossed. The longest stride counts: at
  // powers of two the lines fetched ahead share few sets of L1, so that a shorter one may fail.
  int longest = 1;
  for (int s = 2; s <= most_stride; ++s) {
    const double within = crosses ? 1 : 1 - static_cast<double>(s) * line_bytes / page_bytes;
    if (fetched(stride[static_cast<std::size_t>(s) - 1]) > 0.5 * within) longest = s;
  }
  f.set_whole(fmt::format("prefetch-stride-{}", std::min(longest + 1, most_stride)),
              memory + "prefetch_stride",
              longest < most_stride ? longest : std::max(longest, before.prefetch_stride));
  f.set("prefetch-page", memory + "prefetch_crosses_page", crosses, false);
}

}  // namespace quern::timing
