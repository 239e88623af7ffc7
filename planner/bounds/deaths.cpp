#include "planner/bounds/deaths.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

namespace quern::planner {
namespace {

// Of telling_set: some hundred megabytes.
constexpr std::int64_t most_pairs = 40'000'000;

Live live_in(const Deaths& deaths, const Bits& members) {
  Live live;
  members.for_each([&](int b) { live.add(deaths.buffers[b]); });
  return live;
}

// A beginning of a sequence of deaths.
struct Beginning {
  std::int64_t most = 0;  // forced by it so far
  Live live;              // after its last death
  Bits touched;
};

struct Later {
  bool operator()(const Beginning& a, const Beginning& b) const {
    if (a.most != b.most) return a.most > b.most;
    return a.live.units > b.live.units;
  }
};

}  // namespace

TellingSet telling_set(const Deaths& deaths) {
  const int count = static_cast<int>(deaths.buffers.size());
  std::vector<Live> seen(count);
  std::vector<std::vector<int>> tells(count);  // buffer -> those whose death it is live at
  std::int64_t told_pairs = 0;
  for (int b = 0; b < count; ++b) {
    seen[b] = live_in(deaths, deaths.touched[b]);
    deaths.touched[b].for_each([&](int other) {
      tells[other].push_back(b);
      ++told_pairs;
    });
    if (told_pairs > most_pairs) return {};
  }
  const auto told = [&](int b) { return forced_traffic(seen[b], deaths.capacity); };
  using Entry = std::pair<std::int64_t, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (int b = 0; b < count; ++b) queue.emplace(told(b), b);
  std::vector<char> out(count, 0);
  std::vector<int> left_out;
  TellingSet best;
  std::size_t best_at = 0;
  while (!queue.empty()) {
    const auto [price, b] = queue.top();
    queue.pop();
    if (out[b] != 0 || price != told(b)) continue;
    if (price > best.first_death) {
      best.first_death = price;
      best_at = left_out.size();
    }
    out[b] = 1;
    left_out.push_back(b);
    for (int other : tells[b]) {
      if (out[other] != 0) continue;
      seen[other].remove(deaths.buffers[b]);
      queue.emplace(told(other), other);
    }
  }
  best.members.assign(left_out.begin() + static_cast<std::ptrdiff_t>(best_at), left_out.end());
  std::sort(best.members.begin(), best.members.end());
  return best;
}

Deaths restricted(const Deaths& deaths, const std::vector<int>& members) {
  const int count = static_cast<int>(members.size());
  Deaths result{{}, std::vector<Bits>(members.size(), Bits(count)), deaths.capacity};
  for (int i = 0; i < count; ++i) {
    result.buffers.push_back(deaths.buffers[members[i]]);
    for (int j = 0; j < count; ++j) {
      if (deaths.touched[members[i]].contains(members[j])) result.touched[i].insert(j);
    }
  }
  return result;
}

std::int64_t least_held(const Deaths& deaths, std::int64_t work) {
  const int count = static_cast<int>(deaths.buffers.size());
  const std::int64_t work_of_one = std::int64_t{count} * count * (count / 64 + 1);
  std::int64_t bound = 0;
  Beginning settled{0, {}, Bits(count)};
  const auto over = [&](const Bits& touched) {  // all whose deaths it implies
    for (int b = 0; b < count; ++b) {
      if (!touched.contains_all(deaths.touched[b])) return false;
    }
    return true;
  };
  while (!over(settled.touched)) {
    std::priority_queue<Beginning, std::vector<Beginning>, Later> open;
    std::unordered_set<Bits, BitsHash> known;
    open.push({0, settled.live, settled.touched});
    bool found = false;
    while (!open.empty() && !found) {
      Beginning at = open.top();
      open.pop();
      if (!known.insert(at.touched).second) continue;
      bound = std::max(bound, at.most);
      if ((work -= work_of_one) < 0) return bound;
      if (at.touched != settled.touched && at.live.units <= settled.live.units &&
          at.live.unbacked <= settled.live.unbacked) {
        settled = std::move(at);
        found = true;
        continue;
      }
      for (int b = 0; b < count; ++b) {
        if (at.touched.contains_all(deaths.touched[b])) continue;  // dead already
        Beginning next = at;
        next.touched |= deaths.touched[b];
        if (known.count(next.touched) > 0) continue;
        deaths.touched[b].for_each_beyond(at.touched,
                                          [&](int born) { next.live.add(deaths.buffers[born]); });
        next.most = std::max(at.most, forced_traffic(next.live, deaths.capacity));
        for (int dead = 0; dead < count; ++dead) {
          if (next.touched.contains_all(deaths.touched[dead]) &&
              !at.touched.contains_all(deaths.touched[dead])) {
            next.live.remove(deaths.buffers[dead]);
          }
        }
        open.push(std::move(next));
      }
    }
    if (!found) return bound;  // cannot happen: dying to the end leaves nothing live
  }
  return bound;
}

}  // namespace quern::planner
