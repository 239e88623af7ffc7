// The few statistics that figures are made of.
#pragma once

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace quern {

// The middle value, or the mean of the two middle ones. `values` must not be empty.
inline double median(std::vector<double> values) {
  QUERN_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace quern
