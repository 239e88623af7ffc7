#include "planner/allocation/model.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace quern::planner::allocation {

std::vector<Stretch> stretches_of(const Buffer& buffer) {
  auto gaps = buffer.gaps;
  std::sort(gaps.begin(), gaps.end(),
            [](const Gap& a, const Gap& b) { return a.period.lower < b.period.lower; });
  std::vector<Stretch> stretches;
  std::int64_t time = buffer.lifespan.lower;
  for (const Gap& gap : gaps) {
    if (time < gap.period.lower) stretches.push_back({{time, gap.period.lower}, {0, buffer.size}});
    if (gap.window) stretches.push_back({gap.period, *gap.window});
    time = gap.period.upper;
  }
  if (time < buffer.lifespan.upper) {
    stretches.push_back({{time, buffer.lifespan.upper}, {0, buffer.size}});
  }
  return stretches;
}

Model::Model(const Problem& problem) {
  choose_unit(problem);
  for (const Buffer& buffer : problem.buffers) {
    size.push_back((buffer.size + unit - 1) / unit);
    address_size.push_back(buffer.size);
    alignment.push_back(std::max<std::int64_t>(1, buffer.alignment / unit));
    fixed.push_back(buffer.offset ? *buffer.offset / unit : -1);
    duration.push_back(buffer.lifespan.upper - buffer.lifespan.lower);
  }
  cut_sections(problem);
  find_conflicts();
}

void Model::choose_unit(const Problem& problem) {
  // What sizes, windows and fixed offsets have in common; an alignment that divides it is no
  // constraint.
  std::int64_t common = 0;
  bool windows = false;
  for (const Buffer& buffer : problem.buffers) {
    common = std::gcd(common, buffer.size);
    if (buffer.offset) common = std::gcd(common, *buffer.offset);
    for (const Gap& gap : buffer.gaps) {
      if (!gap.window) continue;
      windows = true;
      common = std::gcd(common, std::gcd(gap.window->lower, gap.window->upper));
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Buffer& buffer : problem.buffers) {
      if (common % buffer.alignment == 0) continue;
      const std::int64_t smaller = std::gcd(common, buffer.alignment);
      changed = changed || smaller != common;
      common = smaller;
    }
  }
  unit = std::max<std::int64_t>(1, common);
  // Where all offsets are multiples of a larger number, buffers may as well fill whole multiples of
  // it. (Windows would have to be rounded at both ends, which loses room.)
  if (windows) return;
  std::int64_t grid = 0;
  for (const Buffer& buffer : problem.buffers) {
    grid = std::gcd(grid, buffer.alignment);
    if (buffer.offset) grid = std::gcd(grid, *buffer.offset);
  }
  unit = std::max(unit, grid);
}

void Model::cut_sections(const Problem& problem) {
  struct Event {
    std::int64_t time;
    bool begins;  // at equal times, ends come first
    Member member;
  };
  std::vector<Event> events;
  for (int b = 0; b < buffers(); ++b) {
    for (const Stretch& stretch : stretches_of(problem.buffers[b])) {
      const bool whole = stretch.window == Interval{0, problem.buffers[b].size};
      const Member member{b, stretch.window.lower / unit,
                          whole ? size[b] : stretch.window.upper / unit};
      events.push_back({stretch.time.lower, true, member});
      events.push_back({stretch.time.upper, false, member});
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& x, const Event& y) {
    return x.time != y.time ? x.time < y.time : x.begins < y.begins;
  });

  first_section.assign(buffers(), 0);
  last_section.assign(buffers(), -1);
  std::vector<std::size_t> count(buffers(), 0);
  std::vector<Member> live;
  std::vector<std::size_t> place(buffers(), 0);  // of a buffer in `live`
  bool grown = false;                            // something began since the last section
  std::size_t total = 0;
  for (const Event& event : events) {
    const int buffer = event.member.buffer;
    if (event.begins) {
      place[buffer] = live.size();
      live.push_back(event.member);
      grown = true;
      continue;
    }
    if (grown) {
      total += live.size();
      if (total > most_pairs) {
        throw bad_input("the problem is too large: more than {} buffers times sections",
                        most_pairs);
      }
      const int section = sections();
      for (const Member& member : live) {
        if (count[member.buffer]++ == 0) first_section[member.buffer] = section;
        last_section[member.buffer] = section;
        members.push(member);
      }
      members.end_row();
      grown = false;
    }
    live[place[buffer]] = live.back();
    place[live.back().buffer] = place[buffer];
    live.pop_back();
  }

  // The same by buffer.
  std::vector<std::size_t> at(buffers() + 1, 0);
  for (int b = 0; b < buffers(); ++b) at[b + 1] = at[b] + count[b];
  std::vector<Occupancy> by_buffer(total);
  auto next = at;
  for (int s = 0; s < sections(); ++s) {
    for (const Member& m : members[s]) by_buffer[next[m.buffer]++] = {s, m.lower, m.upper};
  }
  for (int b = 0; b < buffers(); ++b) {
    for (std::size_t o = at[b]; o < at[b + 1]; ++o) occupancies.push(by_buffer[o]);
    occupancies.end_row();
  }
}

void Model::find_conflicts() {
  std::vector<char> windowed(buffers(), 0);  // occupies less than all of itself somewhere
  std::vector<std::vector<int>> entering(
      sections());  // live in a section but not in the one before
  for (int b = 0; b < buffers(); ++b) {
    int before = -2;
    for (const Occupancy& o : occupancies[b]) {
      windowed[b] |= o.upper - o.lower < size[b];
      if (o.section != before + 1) entering[o.section].push_back(b);
      before = o.section;
    }
  }
  std::vector<const Occupancy*> here(sections(), nullptr);  // occupancies[b] by section
  std::vector<int> seen(buffers(), -1);
  std::vector<Interval> forbidden;
  for (int b = 0; b < buffers(); ++b) {
    auto meet = [&](int other) {
      if (other == b || seen[other] == b) return;
      seen[other] = b;
      Conflict conflict{other, size[other], size[b]};
      if (windowed[b] || windowed[other]) {
        // Forbidden differences offset(other) - offset(b): a union of open intervals.
        forbidden.clear();
        for (const Occupancy& o : occupancies[other]) {
          if (const Occupancy* mine = here[o.section]) {
            forbidden.push_back({mine->lower - o.upper, mine->upper - o.lower});
          }
        }
        std::sort(forbidden.begin(), forbidden.end(),
                  [](const Interval& x, const Interval& y) { return x.lower < y.lower; });
        Interval hull = forbidden.front();
        for (const Interval& interval : forbidden) {
          if (interval.lower >= hull.upper) ordered = false;  // what lies between is allowed
          hull.upper = std::max(hull.upper, interval.upper);
        }
        if (hull.lower >= 0 || hull.upper <= 0) ordered = false;
        conflict.below = std::max<std::int64_t>(1, -hull.lower);
        conflict.above = std::max<std::int64_t>(1, hull.upper);
      }
      conflicts.push(conflict);
    };
    for (const Occupancy& o : occupancies[b]) here[o.section] = &o;
    int before = -2;
    for (const Occupancy& o : occupancies[b]) {
      if (o.section != before + 1) {
        for (const Member& m : members[o.section]) meet(m.buffer);
      } else {
        for (const int other : entering[o.section]) meet(other);
      }
      before = o.section;
    }
    for (const Occupancy& o : occupancies[b]) here[o.section] = nullptr;
    conflicts.end_row();
    if (conflicts.total() > most_pairs) {
      throw bad_input("the problem is too large: more than {} pairs of live buffers", most_pairs);
    }
  }
}

std::vector<std::int64_t> Model::latest_offsets(std::int64_t capacity) const {
  std::vector<std::int64_t> latest(buffers());
  for (int b = 0; b < buffers(); ++b) {
    const std::int64_t room = capacity - address_size[b];
    latest[b] = room < 0 ? -1 : room / unit / alignment[b] * alignment[b];
    if (fixed[b] >= 0) latest[b] = fixed[b] <= latest[b] ? fixed[b] : -1;
  }
  return latest;
}

Solution Model::solution(const std::vector<std::int64_t>& offsets) const {
  Solution solution;
  for (const std::int64_t offset : offsets) solution.offsets.push_back(offset * unit);
  return solution;
}

}  // namespace quern::planner::allocation
