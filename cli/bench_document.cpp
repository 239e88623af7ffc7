#include "cli/bench_document.h"

#include "base/statistics.h"

namespace quern::cli {
namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Json bench_document(const tuner::Record& record) {
  return {{"id", record.id},
          {"board", record.board},
          {"via", record.via},
          {"timing", record.timing},
          {"dtype", record.dtype},
          {"m", record.m},
          {"n", record.n},
          {"k", record.k},
          {"outcome", tuner::to_string(record.outcome)},
          {"reason", record.reason},
          {"cycles", record.cycles.empty() ? Json(nullptr) : Json(median(record.cycles))},
          {"instructions", or_null(record.instructions)},
          {"unknown_instructions", or_null(record.unknown_instructions)},
          {"gflops", or_null(record.gflops)},
          {"peak_fraction", or_null(record.peak_fraction)},
          {"correct", record.outcome == tuner::Outcome::ok},
          {"max_error", or_null(record.max_error)},
          {"versions", record.versions}};
}

}  // namespace quern::cli
