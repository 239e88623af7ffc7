#include "planner/allocation/search.h"

#include <algorithm>

#include "base/error.h"

namespace quern::planner::allocation {

Search::Search(const Model& model, std::vector<std::int64_t> latest)
    : model_(model), latest_(std::move(latest)), weight_(model.sections(), 1.0) {
  stack_.resize(model.sections());
  for (int s = 0; s < model.sections(); ++s) {
    const auto members = model.members[s];
    stack_[s].assign(members.begin(), members.end());
    std::int64_t limit = 0;
    for (const Member& m : members) limit = std::max(limit, latest_[m.buffer] + m.upper);
    limit_.push_back(limit);
  }
}

void Search::restart(Branching branching, std::vector<double> priority, bool strong) {
  branching_ = branching;
  priority_ = std::move(priority);
  strong_ = strong;
  started_ = dead_ = false;
  const int n = model_.buffers(), sections = model_.sections();
  earliest_.assign(n, 0);
  refused_.assign(n, 0);
  stage_.assign(n, free_);
  floor_.assign(sections, 0);
  remaining_.assign(sections, 0);
  slack_.assign(sections, 0);
  choices_.assign(sections, 0);
  touched_.assign(sections, 0);
  section_time_.assign(sections, 0);
  buffer_time_.assign(n, 0);
  for (int s = 0; s < sections; ++s) {
    for (const Member& m : model_.members[s]) remaining_[s] += m.upper - m.lower;
  }
  trail_.clear();
  postponed_.clear();
  frames_.clear();
  opens_.clear();
  queue_.clear();
  open_ = -1;
  part_count_ = 0;
}

Search::State Search::run(std::int64_t nodes) {
  if (!started_) {
    started_ = true;
    if (parts_.empty()) parts_.emplace_back();
    parts_[0].parent = -1;
    parts_[0].buffers.clear();
    part_count_ = 1;
    for (int b = 0; b < model_.buffers(); ++b) {
      if (latest_[b] < 0) dead_ = true;
      if (model_.fixed[b] >= 0 && !dead_) dead_ = !raise(b, model_.fixed[b]);
      if (model_.occupancies[b].empty()) {
        stage_[b] = placed;  // never occupies anything: anywhere is good
      } else {
        parts_[0].buffers.push_back(b);
      }
    }
    std::stable_sort(parts_[0].buffers.begin(), parts_[0].buffers.end(), [&](int x, int y) {
      return model_.first_section[x] < model_.first_section[y];
    });
    for (int s = 0; s < model_.sections(); ++s) touch(s);
    dead_ = dead_ || !propagate();
    if (!dead_) split(0);
  }
  if (dead_) return State::exhausted;
  for (const std::int64_t until = nodes_ + nodes; open_ >= 0;) {
    if (nodes_ >= until) return State::running;
    ++nodes_;
    const int part = opens_[open_].part;
    const int buffer = choose(parts_[part]);
    frames_.push_back({buffer, part, false, trail_.size(), postponed_.size(), part_count_,
                       static_cast<int>(opens_.size()), open_});
    if (place(buffer)) {
      open_ = opens_[open_].next;
      split(part);
    } else if (!backtrack(part)) {
      dead_ = true;
      return State::exhausted;
    }
  }
  return State::found;
}

// Leaves the failed branch for the next one that can mend `failed_part`; false if there is none.
bool Search::backtrack(int failed_part) {
  increment_ *= 1.001;
  if (increment_ > 1e100) {
    for (double& weight : weight_) weight *= 1e-100;
    increment_ *= 1e-100;
  }
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    undo(frame);
    int ancestor = failed_part;
    while (ancestor >= 0 && ancestor != frame.part) ancestor = parts_[ancestor].parent;
    if (ancestor >= 0) {
      failed_part = frame.part;
      // A fixed buffer has no other place to go.
      if (!frame.second && model_.fixed[frame.buffer] < 0) {
        frame.second = true;
        ++nodes_;
        if (postpone(frame.buffer)) return true;
        undo(frame);
      }
    }
    frames_.pop_back();
  }
  return false;
}

void Search::undo(const Frame& frame) {
  while (trail_.size() > frame.changes) {
    const auto [what, index, old] = trail_.back();
    trail_.pop_back();
    switch (what) {
      case Change::earliest:
        earliest_[index] = old;
        break;
      case Change::stage:
        stage_[index] = static_cast<Stage>(old);
        break;
      case Change::refused:
        refused_[index] = old;
        break;
      case Change::floor:
        floor_[index] = old;
        break;
      case Change::remaining:
        remaining_[index] = old;
        break;
      case Change::slack:
        slack_[index] = old;
        break;
      case Change::choices:
        choices_[index] = old;
        break;
    }
  }
  for (const int section : queue_) touched_[section] = 0;
  queue_.clear();
  postponed_.resize(frame.postponed);
  part_count_ = frame.parts;
  opens_.resize(frame.opens);
  open_ = frame.open;
}

void Search::touch(int section) {
  section_time_[section] = ++clock_;
  if (touched_[section]) return;
  touched_[section] = 1;
  queue_.push_back(section);
}

bool Search::raise(int buffer, std::int64_t offset) {
  offset = model_.aligned(buffer, offset);
  if (offset <= earliest_[buffer]) return true;
  if (offset > latest_[buffer]) {
    const auto occupancies = model_.occupancies[buffer];
    for (const Occupancy& o : occupancies) {
      weight_[o.section] += increment_ / static_cast<double>(occupancies.size());
    }
    return false;
  }
  save(Change::earliest, buffer, earliest_[buffer]);
  earliest_[buffer] = offset;
  for (const Occupancy& o : model_.occupancies[buffer]) touch(o.section);
  return true;
}

bool Search::place(int buffer) {
  save(Change::stage, buffer, stage_[buffer]);
  stage_[buffer] = placed;
  for (const Occupancy& o : model_.occupancies[buffer]) {
    const int s = o.section;
    save(Change::floor, s, floor_[s]);
    floor_[s] = earliest_[buffer] + o.upper;
    save(Change::remaining, s, remaining_[s]);
    remaining_[s] -= o.upper - o.lower;
    touch(s);
    for (const Member& m : model_.members[s]) {
      if (stage_[m.buffer] == placed) continue;
      const std::int64_t offset = model_.aligned(m.buffer, floor_[s] - m.lower);
      if (stage_[m.buffer] == postponed && offset > refused_[m.buffer]) {
        save(Change::stage, m.buffer, postponed);
        stage_[m.buffer] = free_;
      }
      if (!raise(m.buffer, offset)) return false;
    }
  }
  return propagate();
}

bool Search::postpone(int buffer) {
  save(Change::stage, buffer, stage_[buffer]);
  stage_[buffer] = postponed;
  save(Change::refused, buffer, refused_[buffer]);
  refused_[buffer] = earliest_[buffer];
  buffer_time_[buffer] = -1;
  postponed_.push_back(buffer);
  return propagate();
}

// Replaces `part` by the parts that its buffers to come fall into.
void Search::split(int part) {
  struct Range {
    std::size_t begin, end;
    int first, last;
  };
  static thread_local std::vector<int> rest;
  static thread_local std::vector<Range> ranges;
  rest.clear();
  ranges.clear();
  for (const int b : parts_[part].buffers) {
    if (stage_[b] != placed) rest.push_back(b);
  }
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const int first = model_.first_section[rest[i]], last = model_.last_section[rest[i]];
    if (ranges.empty() || first > ranges.back().last) ranges.push_back({i, i, first, last});
    ranges.back().end = i + 1;
    ranges.back().last = std::max(ranges.back().last, last);
  }
  // The smallest first: a failure there is found soonest.
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& x, const Range& y) {
    return x.end - x.begin > y.end - y.begin;
  });
  for (const Range& range : ranges) {
    int id = part;
    if (ranges.size() > 1 || part == 0) {
      id = part_count_++;
      if (static_cast<std::size_t>(id) == parts_.size()) parts_.emplace_back();
      Part& fresh = parts_[id];
      fresh.parent = part;
      fresh.first_section = range.first;
      fresh.last_section = range.last;
      fresh.buffers.assign(rest.begin() + static_cast<std::ptrdiff_t>(range.begin),
                           rest.begin() + static_cast<std::ptrdiff_t>(range.end));
    }
    opens_.push_back({id, open_});
    open_ = static_cast<int>(opens_.size()) - 1;
  }
}

bool Search::better(int a, int b) const {
  return b < 0 || priority_[a] > priority_[b] || (priority_[a] == priority_[b] && a < b);
}

int Search::lowest(const Part& part) const {
  int best = -1;
  for (const int b : part.buffers) {
    if (stage_[b] != free_) continue;
    if (best < 0 || earliest_[b] < earliest_[best] ||
        (earliest_[b] == earliest_[best] && better(b, best))) {
      best = b;
    }
  }
  return best;
}

int Search::critical_section(const Part& part) const {
  int best = -1;
  double best_score = 0;
  for (int s = part.first_section; s <= part.last_section; ++s) {
    if (remaining_[s] == 0) continue;
    const auto choices = static_cast<double>(choices_[s]);
    const double share = static_cast<double>(slack_[s]) / static_cast<double>(limit_[s]);
    // A slack of a fiftieth of the section counts like one more choice for each.
    const double score = branching_ == Branching::scarce ? weight_[s] / (choices * (1 + 50 * share))
                         : branching_ == Branching::scarce_choices ? weight_[s] / choices
                                                                   : 1 / (share + choices * 1e-6);
    if (best < 0 || score > best_score) {
      best = s;
      best_score = score;
    }
  }
  return best;
}

// The buffer to try at the bottom of a section.
int Search::bottom(int section) const {
  int best = -1;
  for (const Member& m : model_.members[section]) {
    const int b = m.buffer;
    if (stage_[b] == placed) continue;
    if (best < 0 || earliest_[b] < earliest_[best] ||
        (earliest_[b] == earliest_[best] &&
         (stage_[b] != stage_[best] ? stage_[b] == free_ : better(b, best)))) {
      best = b;
    }
  }
  return best;
}

int Search::choose(const Part& part) {
  int buffer = branching_ == Branching::lowest ? lowest(part) : bottom(critical_section(part));
  // Go down until nothing can come beneath: to a buffer that fits below, or to one that a postponed
  // buffer waits for. `earliest` falls at each step.
  for (;;) {
    QUERN_CHECK(buffer >= 0);
    int next = -1;
    for (const Conflict& k : model_.conflicts[buffer]) {
      const int b = k.buffer;
      if (stage_[b] == placed || earliest_[b] >= earliest_[buffer]) continue;
      const bool beneath = stage_[buffer] == postponed
                               ? earliest_[b] < refused_[buffer] + k.above
                               : earliest_[b] + k.below <= earliest_[buffer];
      if (!beneath) continue;
      if (next < 0 || earliest_[b] < earliest_[next] ||
          (earliest_[b] == earliest_[next] &&
           (stage_[b] != stage_[next] ? stage_[b] == free_ : better(b, next)))) {
        next = b;
      }
    }
    if (next < 0) {
      if (stage_[buffer] == free_) return buffer;
      // A postponed buffer always lies above one that it waits for, unless windows make the order
      // of offsets another one than that of the occupied parts (an unordered model): then any
      // buffer will do.
      const int other = lowest(part);
      return other >= 0 ? other : buffer;
    }
    buffer = next;
  }
}

}  // namespace quern::planner::allocation
