// Target side of `quern calibrate`: the prefetcher. Chains of pointers through lines of L2, slow
// enough that what was asked for ahead has arrived.
//
//   paced-hit, paced-miss   the two times that a step can take
//   prefetch-stride-s       every s-th line of the buffer, then again from the next line on
//   prefetch-streams-n      n streams of consecutive lines, one step of each after the other
//   prefetch-ahead-d        in each page 33 consecutive lines, then the line d behind the last:
//
//                             lines 0 1 2 ... 32        32 + d       hit: d lines ahead or more
//
//   prefetch-page           the last 33 lines of a page, then the first of the next
#pragma once

#include "boards/timing/calibration/measuring.h"

namespace quern::calibration {

inline constexpr int pace = 16;  // divisions

// Lines between the beginnings of streams: as far as they go into the buffer, and such that they
// meet in few sets of L1.
inline std::size_t stream_spacing(std::size_t lines, std::size_t streams, std::size_t sets) {
  const std::size_t furthest = lines / streams;
  std::size_t best = furthest, best_gap = 0;
  for (std::size_t spacing = furthest; spacing > furthest / 2; --spacing) {
    std::vector<std::size_t> starts;
    for (std::size_t s = 0; s < streams; ++s) starts.push_back(s * spacing % sets);
    std::sort(starts.begin(), starts.end());
    std::size_t gap = starts.front() + sets - starts.back();
    for (std::size_t s = 1; s < streams; ++s) gap = std::min(gap, starts[s] - starts[s - 1]);
    if (gap > best_gap) best = spacing, best_gap = gap;
  }
  return best;
}

inline void run_prefetch_loops(Measuring& measuring) {
  const std::size_t line = measuring.options().line, lines_of_page = page_bytes / line;
  const Buffer near(measuring.near_bytes());
  const std::size_t lines = near.size() / line, pages = near.size() / page_bytes;
  measuring.print("paced-hit", chase<pace>(measuring, near, all_lines(page_bytes, line)));
  measuring.print("paced-miss", chase<pace>(measuring, near, all_lines(near.size(), line)));
  std::vector<std::size_t> offsets;
  for (std::size_t stride = 1; stride <= most_stride; ++stride) {
    offsets.clear();
    for (std::size_t phase = 0; phase < stride; ++phase)
      for (std::size_t i = phase; i < lines; i += stride) offsets.push_back(i * line);
    measuring.print("prefetch-stride-" + std::to_string(stride),
                    chase<pace>(measuring, near, offsets));
  }
  for (std::size_t streams = 1; streams <= most_streams; ++streams) {
    const std::size_t spacing = stream_spacing(lines, streams, measuring.options().l1_sets);
    offsets.clear();
    for (std::size_t i = 0; i < spacing; ++i)
      for (std::size_t s = 0; s < streams; ++s) offsets.push_back((s * spacing + i) * line);
    measuring.print("prefetch-streams-" + std::to_string(streams),
                    chase<pace>(measuring, near, offsets));
  }
  for (std::size_t ahead = 1; ahead <= most_ahead; ++ahead) {
    offsets.clear();
    for (const std::size_t page : scattered(pages)) {
      for (std::size_t i = 0; i < trained_lines; ++i)
        offsets.push_back(page * page_bytes + i * line);
      offsets.push_back(page * page_bytes + (trained_lines - 1 + ahead) * line);
    }
    measuring.print("prefetch-ahead-" + std::to_string(ahead),
                    chase<pace>(measuring, near, offsets));
  }
  offsets.clear();
  for (const std::size_t pair : scattered(pages / 2)) {
    const std::size_t next = (2 * pair + 1) * lines_of_page;
    for (std::size_t i = next - trained_lines; i <= next; ++i) offsets.push_back(i * line);
  }
  measuring.print("prefetch-page", chase<pace>(measuring, near, offsets));
}

}  // namespace quern::calibration
