// Content keys: a 128-bit hash (XXH3) as 32 hex digits. For caches and records, not against an
// adversary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quern {

// Hashes the parts with their lengths, so that moving a byte from one part to the next changes the
// digest.
std::string digest(const std::vector<std::string_view>& parts);

}  // namespace quern
