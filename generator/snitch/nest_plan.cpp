#include "generator/snitch/nest_plan.h"

#include <fmt/format.h>

#include "base/error.h"
#include "generator/snitch/pack.h"
#include "generator/snitch/unroll.h"

namespace quern::generator::snitch {
namespace {

class Planner {
 public:
  Planner(const LoopNest& nest, const PlanLimits& limits, const Machine& machine)
      : nest_(nest), limits_(limits), machine_(machine) {}

  std::optional<NestPlan> best(std::string& why);

 private:
  // A step without regions yet, and the workspace that it takes; nullopt when the nest is not of
  // that form.
  struct Draft {
    PlanStep step;
    std::int64_t workspace_bytes = 0;
  };
  std::optional<Draft> partial_sums(const LoopNest& nest);
  std::optional<Draft> transposed(const LoopNest& nest);
  std::optional<Draft> outputs(const LoopNest& nest, Spread spread, std::int64_t used = 0);
  void both();

  void add(std::vector<std::optional<Draft>> drafts);
  bool place(PlanStep& step, NestPlan& plan);
  double cycles(const NestPlan& plan) const;
  void closed(const std::string& reason) {
    if (why_.empty()) why_ = reason;
  }

  const LoopNest& nest_;
  const PlanLimits& limits_;
  const Machine& machine_;
  std::optional<NestPlan> best_;
  std::string why_, refused_;
};

// Gives the step its regions.
bool Planner::place(PlanStep& step, NestPlan& plan) {
  // Factors are asked in outputs, tiles are in words.
  const auto word = step.words.sums_lanes() ? 1 : machine_.word / size_of(step.words.output().type);
  if (limits_.n_r % word != 0) {
    closed(fmt::format("n_r = {} is no multiple of the {} outputs of a word", limits_.n_r, word));
    return false;
  }
  std::string why;
  std::optional<std::vector<StreamNest>> regions;
  try {
    regions = unroll_and_jam(step.words, limits_.m_r, limits_.n_r / static_cast<int>(word),
                             machine_, why);
  } catch (const Error& error) {
    if (error.code() != ExitCode::bad_input) throw;
    refused_ = error.what();
    return false;
  }
  if (!regions) {
    closed(why);
    return false;
  }
  // Buffers that take turns: every region has its own, so that none waits for another.
  for (StreamNest& region : *regions) {
    for (Operand& o : region.nest.operands) {
      if (!o.staging || !o.staging->alternating) continue;
      std::int64_t rows = o.staging->rows;
      for (const TiledLoop& loop : region.jam) {
        if (loop.iterator == 0) rows *= loop.extent;
      }
      o.map.offset = o.staging->target = plan.workspace_bytes;
      plan.workspace_bytes += 2 * rows * o.staging->target_row;
    }
  }
  step.regions = std::move(*regions);
  return true;
}

double Planner::cycles(const NestPlan& plan) const {
  std::vector<StreamNest> regions;
  double total = 0, work = 0;  // of the step before, which hides copies
  for (const PlanStep& step : plan.steps) {
    double copies = 0;
    for (const Staging& s : step.staged_first) {
      copies += static_cast<double>(s.rows) * s.row_cycles();
    }
    total += std::max(0.0, copies - work);
    // Between steps: a stream set-up that no small kernel hides, saved registers, the last fence.
    constexpr double kStep = 60;
    if (work > 0) total += kStep;
    work = estimate_cycles(step.regions, machine_);
    regions.insert(regions.end(), step.regions.begin(), step.regions.end());
  }
  return total + estimate_cycles(regions, machine_);
}

// Keeps the plan if it is the cheapest so far.
void Planner::add(std::vector<std::optional<Draft>> drafts) {
  NestPlan plan;
  for (const std::optional<Draft>& draft : drafts) {
    if (!draft) return;
    plan.workspace_bytes = std::max(plan.workspace_bytes, draft->workspace_bytes);
  }
  for (std::optional<Draft>& draft : drafts) {
    if (!place(draft->step, plan)) return;
    plan.steps.push_back(std::move(draft->step));
  }
  if (plan.workspace_bytes > limits_.workspace_room) {
    return closed(
        fmt::format("a workspace of {} bytes does not fit beside the operands, {} are free",
                    plan.workspace_bytes, limits_.workspace_room));
  }
  plan.cycles = cycles(plan);
  if (!best_ || plan.cycles < best_->cycles) best_ = std::move(plan);
}

std::optional<Planner::Draft> Planner::partial_sums(const LoopNest& nest) {
  std::string why;
  const std::optional<Packed> packed = pack(nest, why);
  if (packed && packed->words && !packed->rest) return Draft{{*packed->words, {}, {}}, 0};
  closed(why);
  return std::nullopt;
}

std::optional<Planner::Draft> Planner::transposed(const LoopNest& nest) {
  std::string why;
  const std::optional<PackedOutputs> packed =
      transpose_right_operand(nest, limits_.workspace_argument, why);
  if (!packed) return std::nullopt;
  std::optional<Draft> draft = partial_sums(packed->words);
  if (!draft) return std::nullopt;
  draft->step.staged_first = packed->staged_first;
  draft->workspace_bytes = packed->workspace_bytes;
  return draft;
}

std::optional<Planner::Draft> Planner::outputs(const LoopNest& nest, Spread spread,
                                               std::int64_t used) {
  std::string why;
  const std::optional<PackedOutputs> packed =
      pack_outputs(nest, limits_.workspace_argument, why, spread, used);
  if (packed) return Draft{{packed->words, packed->staged_first, {}}, packed->workspace_bytes};
  closed(why);
  return std::nullopt;
}

// The first columns as partial sums, in one hardware loop, so that the integer core can copy.
void Planner::both() {
  constexpr std::int64_t kTile = 8;  // outputs of a tile of partial sums that the sequencer holds
  constexpr std::size_t kColumn = 1;
  // With a bias, integer loops keep the core at work all the time.
  if (limits_.m_r != 0 || nest_.iterators.size() != 3 || nest_.init == Init::operand) return;
  const std::int64_t columns = nest_.iterators[kColumn].extent;
  for (std::int64_t first = kTile; first + kTile <= columns; first += kTile) {
    const LoopNest left = restrict_iterator(nest_, kColumn, 0, first),
                   right = restrict_iterator(nest_, kColumn, first, columns - first);
    std::optional<Draft> sums = partial_sums(left);
    if (!sums) sums = transposed(left);
    if (!sums) return;
    const std::int64_t used = sums->workspace_bytes;
    add({std::move(sums), outputs(right, Spread::first, used)});
  }
}

std::optional<NestPlan> Planner::best(std::string& why) {
  if (limits_.staging) {
    add({outputs(nest_, Spread::row_by_row)});
    add({transposed(nest_)});
    both();
  }
  add({partial_sums(nest_)});
  if (!best_ && !refused_.empty()) throw bad_input("{}", refused_);
  why = why_;
  return std::move(best_);
}

}  // namespace

std::optional<NestPlan> plan_reduction(const LoopNest& nest, const PlanLimits& limits,
                                       const Machine& machine, std::string& why) {
  return Planner(nest, limits, machine).best(why);
}

}  // namespace quern::generator::snitch
