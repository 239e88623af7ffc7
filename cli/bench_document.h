// What `quern bench --json` prints of a record on every board; boards add what only they count.
#pragma once

#include "base/json_file.h"
#include "tuner/record.h"

namespace quern::cli {

Json bench_document(const tuner::Record& record);

}  // namespace quern::cli
