#include "planner/verify/verifier.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "planner/verify/address_owners.h"
#include "planner/verify/time_owners.h"

namespace quern::planner::verify {
namespace {

constexpr std::size_t most_problems = 10;

class Judge {
 public:
  Judge(const CommandGraph& graph, const Machine& machine, const Submission& submission,
        bool peak_limits)
      : graph_(graph), machine_(machine), plan_(submission), peak_limits_(peak_limits) {}

  Verdict run() {
    nodes_ = graph_.size() + 2 * static_cast<std::int64_t>(plan_.spills.size());
    if (read_schedule() && read_places() && check_edges()) {
      replay();
      if (verdict_.problems.empty()) {
        verdict_.cycles_no_reuse = time_commands(false);
        verdict_.cycles = time_commands(true);
        check_ownership_in_time();
      }
    }
    verdict_.valid = verdict_.problems.empty();
    return std::move(verdict_);
  }

 private:
  enum class State : std::uint8_t { unborn, resident, away, freed };

  template <class... Args>
  bool problem(fmt::format_string<Args...> format, Args&&... args) {
    if (verdict_.problems.size() < most_problems) {
      verdict_.problems.push_back(fmt::format(format, std::forward<Args>(args)...));
    }
    return false;
  }

  // Every node once, spill nodes included.
  bool read_schedule() {
    position_.assign(nodes_, -1);
    for (std::size_t i = 0; i < plan_.schedule.size(); ++i) {
      const std::int64_t id = plan_.schedule[i];
      if (id < 0 || id >= nodes_) {
        return problem("schedule line {}: node {} does not exist (nodes are 0..{})", i + 1, id,
                       nodes_ - 1);
      }
      if (position_[id] >= 0) {
        return problem("schedule line {}: node {} is given twice", i + 1, id);
      }
      position_[id] = static_cast<int>(i);
    }
    for (std::int64_t id = 0; id < nodes_; ++id) {
      if (position_[id] < 0) return problem("node {} is missing from the schedule", id);
    }
    return true;
  }

  bool read_places() {
    for (std::size_t b = 0; b < graph_.buffers.size(); ++b) {
      index_of_[graph_.buffers[b].id] = static_cast<int>(b);
    }
    first_offset_.assign(graph_.buffers.size(), -1);
    for (const auto& place : plan_.memory) {
      const int buffer = checked_place(place, "memory");
      if (buffer < 0) return false;
      if (first_offset_[buffer] >= 0) {
        return problem("memory line {}: buffer {} is placed twice", place.line, place.buffer);
      }
      first_offset_[buffer] = place.offset;
    }
    if (plan_.has_memory) {
      for (std::size_t b = 0; b < graph_.buffers.size(); ++b) {
        if (first_offset_[b] < 0) {
          return problem("buffer {} has no line in the memory file", graph_.buffers[b].id);
        }
      }
    }
    for (const auto& place : plan_.spills) {
      const int buffer = checked_place(place, "spill");
      if (buffer < 0) return false;
      spilled_.push_back(buffer);
    }
    return true;
  }

  // The buffer's index, or -1 after a problem: unknown buffer, range outside its own tier.
  int checked_place(const Submission::Place& place, const char* file) {
    const auto at = index_of_.find(place.buffer);
    if (at == index_of_.end()) {
      problem("{} line {}: there is no buffer {}", file, place.line, place.buffer);
      return -1;
    }
    const Buffer& buffer = graph_.buffers[at->second];
    const Tier& tier = machine_.tiers[buffer.tier];
    if (place.offset < 0 || place.offset > tier.capacity - buffer.size) {
      problem("{} line {}: buffer {} of size {} at offset {} is outside tier {} (0..{})", file,
              place.line, place.buffer, buffer.size, place.offset, tier.name, tier.capacity);
      return -1;
    }
    return at->second;
  }

  bool check_edges() {
    for (int node = 0; node < graph_.size(); ++node) {
      for (int next : graph_.successors[node]) {
        if (position_[node] > position_[next]) {
          return problem("node {} stands before its predecessor {}", next, node);
        }
      }
    }
    return true;
  }

  // Walks the order once: residency of every operand, overlap at every position, the rules of spill
  // pairs, and the dependencies that spilling adds.
  void replay() {
    const std::size_t buffers = graph_.buffers.size();
    state_.assign(buffers, State::unborn);
    stay_of_.assign(buffers, -1);
    away_in_.assign(buffers, -1);
    used_by_.assign(buffers, {});
    after_.assign(nodes_, {});
    std::vector<std::int64_t> held(machine_.tiers.size()), peak(machine_.tiers.size());
    std::vector<int> live(machine_.tiers.size()), most(machine_.tiers.size());
    for (const Tier& tier : machine_.tiers) owners_.emplace_back(tier.capacity);
    std::int64_t traffic = 0;

    for (std::int64_t id : plan_.schedule) {
      const int node = static_cast<int>(id);
      if (node >= graph_.size()) {
        const int pair = (node - graph_.size()) / 2;
        const int buffer = spilled_[pair];
        const Buffer& facts = graph_.buffers[buffer];
        const bool out = (node - graph_.size()) % 2 == 0;
        const int sign = out ? -1 : 1;
        if (!(out ? spill_out(node, buffer) : spill_in(node, pair, buffer))) return;
        if (out) traffic += facts.backed ? facts.size : 2 * facts.size;
        held[facts.tier] += sign * facts.size;
        live[facts.tier] += sign;
      } else if (graph_.commands[node].kind == CommandKind::operation) {
        for (int buffer : graph_.buffers_of[node]) {
          if (!use(node, buffer)) return;
        }
      } else {
        const int buffer = graph_.commands[node].buffer;
        const Buffer& facts = graph_.buffers[buffer];
        const bool alloc = graph_.commands[node].kind == CommandKind::alloc;
        if (!(alloc ? allocate(node, buffer) : release(node, buffer))) return;
        held[facts.tier] += alloc ? facts.size : -facts.size;
        live[facts.tier] += alloc ? 1 : -1;
      }
      std::int64_t counted = 0, all = 0;
      for (std::size_t t = 0; t < held.size(); ++t) {
        peak[t] = std::max(peak[t], held[t]);
        most[t] = std::max(most[t], live[t]);
        all += held[t];
        if (machine_.tiers[t].counts_in_peak) counted += held[t];
      }
      verdict_.peak = std::max(verdict_.peak, counted);
      verdict_.peak_all_tiers = std::max(verdict_.peak_all_tiers, all);
    }
    for (std::size_t t = 0; peak_limits_ && t < most.size(); ++t) {
      const int limit = machine_.tiers[t].peak_live_limit;
      if (limit > 0 && most[t] > limit) {
        problem("tier {}: {} buffers alive at once, the peak order allows {}",
                machine_.tiers[t].name, most[t], limit);
      }
    }
    verdict_.peak_by_tier = peak;
    verdict_.most_live_by_tier = most;
    if (plan_.has_memory) {
      verdict_.traffic = traffic;
      verdict_.spills = static_cast<std::int64_t>(plan_.spills.size());
    }
  }

  std::int64_t id_of(int buffer) const { return graph_.buffers[buffer].id; }

  bool occupy(int node, int buffer, std::int64_t offset) {
    state_[buffer] = State::resident;
    if (!plan_.has_memory) return true;
    const Buffer& facts = graph_.buffers[buffer];
    AddressOwners& owners = owners_[facts.tier];
    const int other = owners.resident_in(offset, offset + facts.size);
    if (other != AddressOwners::nobody) {
      return problem("node {}: buffer {} at {}..{} of tier {} overlaps buffer {}", node,
                     id_of(buffer), offset, offset + facts.size, machine_.tiers[facts.tier].name,
                     id_of(other));
    }
    std::vector<int> releases;
    owners.acquire(offset, offset + facts.size, buffer, releases);
    std::sort(releases.begin(), releases.end());
    releases.erase(std::unique(releases.begin(), releases.end()), releases.end());
    for (int releaser : releases) reuse_.emplace_back(releaser, node);
    stay_of_[buffer] = static_cast<int>(stays_.size());
    stays_.push_back({facts.tier, offset, offset + facts.size, node, -1});
    return true;
  }

  void vacate(int node, int buffer) {
    if (!plan_.has_memory) return;
    Stay& stay = stays_[stay_of_[buffer]];
    stay.release = node;
    owners_[stay.tier].release(stay.from, stay.to, node);
  }

  bool allocate(int node, int buffer) {
    if (state_[buffer] != State::unborn) {
      return problem("node {}: buffer {} is allocated twice", node, id_of(buffer));
    }
    return occupy(node, buffer, first_offset_[buffer]);
  }

  bool release(int node, int buffer) {
    if (state_[buffer] != State::resident) {
      return problem("node {}: buffer {} is not in memory when it is freed", node, id_of(buffer));
    }
    if (away_in_[buffer] >= 0) after_[node].push_back(away_in_[buffer]);
    vacate(node, buffer);
    state_[buffer] = State::freed;
    return true;
  }

  bool use(int node, int buffer) {
    if (state_[buffer] != State::resident) {
      return problem("node {} uses buffer {}, which is {}", node, id_of(buffer),
                     state_[buffer] == State::away     ? "spilled"
                     : state_[buffer] == State::unborn ? "not allocated yet"
                                                       : "freed");
    }
    if (away_in_[buffer] >= 0) after_[node].push_back(away_in_[buffer]);
    used_by_[buffer].push_back(node);
    return true;
  }

  bool spill_out(int node, int buffer) {
    if (state_[buffer] != State::resident) {
      return problem("node {}: SPILL_OUT of buffer {}, which is not in memory", node,
                     id_of(buffer));
    }
    after_[node] = used_by_[buffer];
    after_[node].push_back(graph_.buffers[buffer].alloc);
    if (away_in_[buffer] >= 0) after_[node].push_back(away_in_[buffer]);
    used_by_[buffer].clear();
    vacate(node, buffer);
    state_[buffer] = State::away;
    away_in_[buffer] = node + 1;
    return true;
  }

  bool spill_in(int node, int pair, int buffer) {
    if (state_[buffer] != State::away || away_in_[buffer] != node) {
      return problem("node {}: SPILL_IN of buffer {} without its SPILL_OUT before it", node,
                     id_of(buffer));
    }
    after_[node].push_back(node - 1);
    return occupy(node, buffer, plan_.spills[pair].offset);
  }

  int pipe_of(int node) const {
    if (node < graph_.size()) return graph_.commands[node].pipe;
    return (node - graph_.size()) % 2 == 0 ? machine_.transfer.out_pipe : machine_.transfer.in_pipe;
  }

  std::int64_t cycles_of(int node) const {
    if (node < graph_.size()) return graph_.commands[node].cycles;
    const Buffer& buffer = graph_.buffers[spilled_[(node - graph_.size()) / 2]];
    const bool out = (node - graph_.size()) % 2 == 0;
    return out ? machine_.out_cycles(buffer.size, buffer.backed) : machine_.in_cycles(buffer.size);
  }

  // Earliest times with in-order pipes. All constraints point forwards in the order, so one walk
  // does it.
  std::int64_t time_commands(bool reuse) {
    std::vector<std::vector<int>> reused(reuse ? nodes_ : 0);
    if (reuse) {
      for (const auto& [releaser, acquirer] : reuse_) reused[acquirer].push_back(releaser);
      verdict_.reuse_edges = static_cast<std::int64_t>(reuse_.size());
    }
    start_.assign(nodes_, 0);
    finish_.assign(nodes_, 0);
    std::vector<std::int64_t> pipe_free(machine_.pipes.size(), 0);
    std::int64_t last = 0;
    for (std::int64_t id : plan_.schedule) {
      const int node = static_cast<int>(id);
      std::int64_t start = 0;
      if (node < graph_.size()) {
        for (int before : graph_.predecessors[node]) start = std::max(start, finish_[before]);
      }
      for (int before : after_[node]) start = std::max(start, finish_[before]);
      if (reuse) {
        for (int before : reused[node]) start = std::max(start, finish_[before]);
      }
      const int pipe = pipe_of(node);
      if (pipe >= 0) start = std::max(start, pipe_free[pipe]);
      start_[node] = start;
      finish_[node] = start + cycles_of(node);
      if (pipe >= 0) pipe_free[pipe] = finish_[node];
      last = std::max(last, finish_[node]);
    }
    return last;
  }

  // Commands run while their buffers are in memory, and no address has two owners at an instant.
  void check_ownership_in_time() {
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      const Stay& stay = stays_[i];
      const std::int64_t begin = start_[stay.acquire], end = finish_[stay.release];
      for (int use : graph_.commands_of[buffer_at(stay.acquire)]) {
        if (position_[use] > position_[stay.acquire] && position_[use] < position_[stay.release] &&
            (start_[use] < begin || finish_[use] > end)) {
          problem("node {} runs at {}..{} while its buffer is in memory at {}..{}", use,
                  start_[use], finish_[use], begin, end);
        }
      }
    }
    if (const auto clash = find_clash(stays_, start_, finish_)) {
      problem("at cycle {} addresses {}..{} of tier {} have two owners: nodes {} and {}",
              clash->time, clash->from, clash->to, machine_.tiers[clash->tier].name, clash->first,
              clash->second);
    }
  }

  int buffer_at(int node) const {
    return node < graph_.size() ? graph_.commands[node].buffer
                                : spilled_[(node - graph_.size()) / 2];
  }

  const CommandGraph& graph_;
  const Machine& machine_;
  const Submission& plan_;
  const bool peak_limits_;
  Verdict verdict_;
  std::int64_t nodes_ = 0;
  std::vector<int> position_;
  std::unordered_map<std::int64_t, int> index_of_;  // BufId -> buffer
  std::vector<std::int64_t> first_offset_;
  std::vector<int> spilled_;  // buffer of each pair
  std::vector<State> state_;
  std::vector<int> stay_of_;  // current stay of a buffer
  std::vector<int> away_in_;  // SPILL_IN of the buffer's latest pair, -1 before the first
  std::vector<std::vector<int>> used_by_;  // operations since the buffer came into memory
  std::vector<std::vector<int>> after_;    // dependencies that spilling adds
  std::vector<AddressOwners> owners_;
  std::vector<std::pair<int, int>> reuse_;  // release -> acquire
  std::vector<Stay> stays_;
  std::vector<std::int64_t> start_, finish_;
};

}  // namespace

Verdict judge(const CommandGraph& graph, const Machine& machine, const Submission& submission,
              bool peak_limits) {
  return Judge(graph, machine, submission, peak_limits).run();
}

}  // namespace quern::planner::verify
