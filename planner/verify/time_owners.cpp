#include "planner/verify/time_owners.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace quern::planner::verify {

std::optional<Clash> find_clash(const std::vector<Stay>& stays,
                                const std::vector<std::int64_t>& start,
                                const std::vector<std::int64_t>& finish) {
  struct Event {
    std::int64_t time;
    bool acquire;
    int stay;
  };
  std::vector<Event> events;
  int tiers = 0;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    const Stay& stay = stays[i];
    const std::int64_t begin = start[stay.acquire], end = finish[stay.release];
    tiers = std::max(tiers, stay.tier + 1);
    if (begin == end || stay.from == stay.to) continue;
    events.push_back({begin, true, static_cast<int>(i)});
    events.push_back({end, false, static_cast<int>(i)});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.time, a.acquire, a.stay) < std::tuple(b.time, b.acquire, b.stay);
  });
  std::vector<std::map<std::int64_t, int>> present(tiers);  // first address -> stay
  for (const Event& event : events) {
    const Stay& stay = stays[event.stay];
    auto& tier = present[stay.tier];
    if (!event.acquire) {
      tier.erase(stay.from);
      continue;
    }
    const auto next = tier.lower_bound(stay.from);
    const bool hits_next = next != tier.end() && stays[next->second].from < stay.to;
    const bool hits_previous =
        next != tier.begin() && stays[std::prev(next)->second].to > stay.from;
    if (hits_next || hits_previous) {
      const Stay& other = stays[hits_next ? next->second : std::prev(next)->second];
      return Clash{
          event.time,    stay.tier,   std::max(stay.from, other.from), std::min(stay.to, other.to),
          other.acquire, stay.acquire};
    }
    tier.emplace(stay.from, event.stay);
  }
  return std::nullopt;
}

}  // namespace quern::planner::verify
