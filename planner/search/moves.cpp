#include "planner/search/moves.h"

#include <algorithm>

namespace quern::planner {

Neighbourhood::Neighbourhood(const Problem& problem, const Structure& structure)
    : problem_(problem), structure_(structure) {
  position_.assign(problem.operations(), -1);
  marked_.assign(problem.operations(), 0);
}

void Neighbourhood::index(const std::vector<int>& anchors) {
  for (std::size_t i = 0; i < anchors.size(); ++i) position_[anchors[i]] = static_cast<int>(i);
}

void Neighbourhood::change_order(std::vector<int>& anchors, Random& random, int at) {
  const int count = static_cast<int>(anchors.size());
  if (count < 2) return;
  const double kind = random.unit();
  const int near =
      at >= 0 ? std::clamp(at + (random.chance(0.5) ? 1 : -1) * (random.log_uniform(24) - 1), 0,
                           count - 1)
              : -1;
  const int place = near >= 0 ? near : random.below(count);
  if (kind < 0.35)
    move_segment(anchors, random, near);
  else if (kind < 0.45)
    swap_segments(anchors, random);
  else if (kind < 0.65)
    move_chain(anchors, random, place);
  else if (kind < 0.75)
    interleave_chains(anchors, random, place);
  else
    bring_together(anchors, random, place);
}

void Neighbourhood::move_segment(std::vector<int>& anchors, Random& random, int at) const {
  const int count = static_cast<int>(anchors.size());
  const int length = random.log_uniform(at >= 0 ? std::min(8, count) : std::max(1, count / 4));
  const int from = at >= 0 ? std::min(at, count - length) : random.below(count - length + 1);
  const int shift = random.log_uniform(std::max(1, count / 2));
  const auto begin = anchors.begin();
  if (random.chance(0.5)) {
    const int to = std::max(0, from - shift);
    std::rotate(begin + to, begin + from, begin + from + length);
  } else {
    const int to = std::min(count, from + length + shift);
    std::rotate(begin + from, begin + from + length, begin + to);
  }
}

void Neighbourhood::swap_segments(std::vector<int>& anchors, Random& random) const {
  const int count = static_cast<int>(anchors.size());
  const int length = random.log_uniform(std::max(1, count / 4));
  if (2 * length > count) return;
  const int first = random.below(count - 2 * length + 1);
  const int gap = random.log_uniform(count) - 1;
  const int second = std::min(count - length, first + length + gap);
  std::swap_ranges(anchors.begin() + first, anchors.begin() + first + length,
                   anchors.begin() + second);
}

void Neighbourhood::relocate(std::vector<int>& anchors, const std::vector<int>& members, int at) {
  for (int member : members) marked_[member] = 1;
  rest_.clear();
  for (int anchor : anchors) {
    if (!marked_[anchor]) rest_.push_back(anchor);
  }
  for (int member : members) marked_[member] = 0;
  at = std::min(at, static_cast<int>(rest_.size()));
  std::copy(rest_.begin(), rest_.begin() + at, anchors.begin());
  std::copy(members.begin(), members.end(), anchors.begin() + at);
  std::copy(rest_.begin() + at, rest_.end(),
            anchors.begin() + at + static_cast<std::ptrdiff_t>(members.size()));
}

// A whole chain, or the anchors that touch one buffer, next to a chain that shares something with
// it, or anywhere.
void Neighbourhood::move_chain(std::vector<int>& anchors, Random& random, int place) {
  const int anchor = anchors[place];
  group_ = structure_.chains[structure_.chain_of[anchor]];
  index(anchors);
  if (group_.size() == 1 || random.chance(0.2)) {
    const auto buffers = structure_.footprint[anchor];
    if (buffers.empty()) return;
    const auto users =
        structure_.touched_by[buffers[random.below(static_cast<int>(buffers.size()))]];
    if (users.size() > 64) return;
    group_.assign(users.begin(), users.end());
    std::sort(group_.begin(), group_.end(),
              [&](int a, int b) { return position_[a] < position_[b]; });
  }
  int at = random.below(static_cast<int>(anchors.size()));
  const auto buffers = structure_.footprint[group_[random.below(static_cast<int>(group_.size()))]];
  if (!buffers.empty() && random.chance(0.7)) {
    const auto users =
        structure_.touched_by[buffers[random.below(static_cast<int>(buffers.size()))]];
    const int other = users[random.below(static_cast<int>(users.size()))];
    const auto& chain = structure_.chains[structure_.chain_of[other]];
    at = random.chance(0.5) ? position_[chain.front()] : position_[chain.back()] + 1;
  }
  int before = 0;
  for (int member : group_) before += position_[member] < at ? 1 : 0;
  relocate(anchors, group_, at - before);
}

// Two chains step by step, as when two accumulators share the operands that stream by.
void Neighbourhood::interleave_chains(std::vector<int>& anchors, Random& random, int place) {
  const int anchor = anchors[place];
  const auto buffers = structure_.footprint[anchor];
  if (buffers.empty()) return;
  const auto users = structure_.touched_by[buffers[random.below(static_cast<int>(buffers.size()))]];
  const int other = users[random.below(static_cast<int>(users.size()))];
  const int a = structure_.chain_of[anchor], b = structure_.chain_of[other];
  if (a == b) return move_segment(anchors, random, -1);
  const auto& first = structure_.chains[a];
  const auto& second = structure_.chains[b];
  index(anchors);
  const int at = position_[first.front()];
  group_.clear();
  // Sometimes in sequence rather than interleaved: the way back.
  const bool zip = random.chance(0.7);
  const std::size_t lag = zip ? static_cast<std::size_t>(random.below(3)) : first.size();
  for (std::size_t step = 0; step < std::max(first.size(), second.size() + lag); ++step) {
    if (step < first.size()) group_.push_back(first[step]);
    if (step >= lag && step - lag < second.size()) group_.push_back(second[step - lag]);
  }
  int before = 0;
  for (int member : group_) before += position_[member] < at ? 1 : 0;
  relocate(anchors, group_, at - before);
}

// Two users of one buffer that are neighbours in the order of its uses: the later one is moved up
// to the earlier one, or the earlier one down.
void Neighbourhood::bring_together(std::vector<int>& anchors, Random& random, int place) {
  const int anchor = anchors[place];
  const auto buffers = structure_.footprint[anchor];
  if (buffers.empty()) return;
  const auto users = structure_.touched_by[buffers[random.below(static_cast<int>(buffers.size()))]];
  if (users.size() < 2) return move_segment(anchors, random, -1);
  index(anchors);
  const int here = position_[anchor];
  int next = -1;
  for (int user : users) {
    const int at = position_[user];
    if (at > here && (next < 0 || at < next)) next = at;
  }
  if (next < 0) return;
  // A few commands around the pair may travel along.
  const int length = random.log_uniform(8);
  const auto begin = anchors.begin();
  if (random.chance(0.5)) {
    const int end = std::min(next + length, static_cast<int>(anchors.size()));
    std::rotate(begin + here + 1, begin + next, begin + end);
  } else {
    const int first = std::max(0, here + 1 - length);
    std::rotate(begin + first, begin + here + 1, begin + next);
  }
}

void Neighbourhood::change_placement(Genes& genes, Random& random, bool cycles) const {
  const int kind = random.below(cycles ? 10 : 8);
  if (problem_.buffers() == 0 || problem_.operations() == 0) return;
  if (kind < 5) {
    if (genes.keep.empty()) {
      const int last = problem_.operations() - 1;
      genes.keep.assign(problem_.buffers_of.begin_of(last) + problem_.buffers_of[last].size(),
                        1.0F);
    }
    const float factors[] = {0.0625F, 0.25F, 0.5F, 1.0F, 2.0F, 4.0F, 16.0F};
    for (int changes = random.log_uniform(4); changes > 0; --changes) {
      genes.keep[random.below(static_cast<int>(genes.keep.size()))] = factors[random.below(7)];
    }
  } else if (kind < 7) {
    if (genes.high.empty()) genes.high.assign(problem_.buffers(), 0);
    char& high = genes.high[random.below(problem_.buffers())];
    high = high == 0 ? 1 : 0;
  } else if (kind == 7) {
    const double powers[] = {0, 0.5, 1, 1, 2, 4};
    genes.policy.distance_power = powers[random.below(6)];
  } else if (kind == 8) {
    const double weights[] = {0, 0.0003, 0.001, 0.003, 0.01};
    genes.policy.wait_weight = weights[random.below(5)];
  } else {
    if (random.chance(0.5)) genes.policy.time_first = !genes.policy.time_first;
    const double tolerances[] = {0, 0, 30, 100, 300};
    genes.policy.wait_tolerance = tolerances[random.below(5)];
  }
}

}  // namespace quern::planner
