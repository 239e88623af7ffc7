#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace quern {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "quern: %s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace quern
