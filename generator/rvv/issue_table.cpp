#include "generator/rvv/issue_table.h"

namespace quern::generator::rvv {

bool IssueTable::fits(int cycle, int slot, const std::optional<double>& write) const {
  if (room(cycle) < 1) return false;
  if (!write) return true;
  const double own = cycle + *write;
  // The nearest neighbours are enough: all others are in order already.
  for (int c = cycle, s = slot; c > cycle - cycles_; --c, s = static_cast<int>(at(c).size())) {
    while (s-- > 0) {
      if (const auto& before = at(c)[static_cast<std::size_t>(s)].write) {
        if (c + *before > own) return false;
        c = cycle - cycles_;  // found
        break;
      }
    }
  }
  for (int c = cycle, s = slot; c < cycle + cycles_; ++c, s = 0) {
    for (; s < static_cast<int>(at(c).size()); ++s) {
      if (const auto& behind = at(c)[static_cast<std::size_t>(s)].write) return own <= c + *behind;
    }
  }
  return true;
}

void IssueTable::insert(int cycle, int slot, const Entry& entry) {
  auto& entries = slots_[index(cycle)];
  entries.insert(entries.begin() + slot, entry);
}

bool UnitTable::free(int cycle, int length) const {
  for (int c = 0; c < length; ++c) {
    if (busy_[index(cycle + c)]) return false;
  }
  return true;
}

void UnitTable::take(int cycle, int length) {
  for (int c = 0; c < length; ++c) busy_[index(cycle + c)] = true;
}

}  // namespace quern::generator::rvv
