#include "generator/snitch/generate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "generator/snitch/assembly.h"
#include "generator/snitch/lowering.h"
#include "generator/snitch/nest_plan.h"
#include "generator/snitch/pack.h"
#include "generator/snitch/registers.h"
#include "generator/snitch/unroll.h"
#include "generator/snitch/verify.h"

namespace quern::generator::snitch {
namespace {

// Of the lowering below without streams (modelled; used only to choose).
double unstreamed_cycles(const LoopNest& nest) {
  double step = 1;  // the operation
  for (const Operand& o : nest.operands) {
    if (o.access == Access::in) step += o.type == nest.accumulator ? 1 : 2;
  }
  const std::int64_t columns = nest.iterators[1].extent;
  step *= 1.1;
  // Windows wait for the FPU where few of a row's outputs are computed at a time (fits kernels of 1
  // to 7 columns).
  if (is_pooling(nest)) step += 5.0 / static_cast<double>(std::min<std::int64_t>(columns, 8));
  return step * static_cast<double>(nest.points()) + 40;
}

class Compiler {
 public:
  Compiler(const Point& point, const Machine& machine)
      : point_(point), machine_(machine), builder_(program_, machine) {}

  Generated run();

 private:
  void lower(const LoopNest& nest);
  bool lower_streamed(const LoopNest& nest, std::string& why);
  bool lower_with_streams_plain(const LoopNest& nest, std::string& why);
  bool lower_packed_reduction(const LoopNest& nest, std::string& why);
  void lower_folded_windows(const FoldedWindows& windows);
  void take_workspace(std::int64_t bytes);
  void lower_unstreamed(const LoopNest& nest);
  void note_streams(const StreamNest& nest);
  void check_capacity(const std::vector<Buffer>& all);

  const Point& point_;
  const Machine& machine_;
  Program program_;
  KernelBuilder builder_;
  std::int64_t operand_bytes_ = 0;
  Generated result_;
};

// The operands must fit; a workspace is only planned where it fits too.
void Compiler::check_capacity(const std::vector<Buffer>& all) {
  for (const Buffer& b : all) {
    operand_bytes_ += (b.bytes() + machine_.word - 1) / machine_.word * machine_.word;
  }
  const std::int64_t room = machine_.tcdm_bytes - machine_.stack_bytes;
  if (operand_bytes_ <= room) return;
  throw bad_input(
      "{} needs {} bytes of TCDM for its operands, there are {} ({} of {} are the stack); choose "
      "smaller sizes",
      id(point_), operand_bytes_, room, machine_.stack_bytes, machine_.tcdm_bytes);
}

void Compiler::note_streams(const StreamNest& nest) {
  result_.stream_nests.push_back(print(nest));
  for (const StreamedOperand& o : nest.operands) {
    if (o.place != StreamedOperand::Place::stream) continue;
    const Operand& operand = nest.nest.operands[o.operand];
    if (operand.staging) {
      program_.notes.push_back(fmt::format("copy {} for each {}: {}", operand.name,
                                           nest.nest.iterators[0].name, print(*operand.staging)));
    }
    program_.notes.push_back(fmt::format("stream ft{} {} {:<4} {}", o.mover,
                                         operand.access == Access::out ? "->" : "<-", operand.name,
                                         print(o.pattern)));
  }
  std::string jam;
  for (const TiledLoop& loop : nest.jam) {
    jam += fmt::format("{}{} {}", jam.empty() ? "" : " x ", loop.extent,
                       nest.nest.iterators[loop.iterator].name);
  }
  if (!jam.empty()) program_.notes.push_back("unroll and jam " + jam);
}

// Some operands in streams, one output at a time: the intermediate steps of the ablation.
bool Compiler::lower_with_streams_plain(const LoopNest& nest, std::string& why) {
  const bool output_in_memory = nest.init == Init::destination;
  const std::optional<StreamNest> placed =
      place_streams(nest, JamFactors(nest.iterators.size(), 1), output_in_memory, machine_, why);
  if (!placed) return false;
  if (!placed->hoisted.empty()) {
    why = "the streams would have to be restarted";
    return false;
  }
  note_streams(*placed);
  lower_plain(builder_, nest, &*placed,
              {Addressing::literal, point_.passes.scalar_replacement, point_.passes.frep});
  return true;
}

bool Compiler::lower_streamed(const LoopNest& nest, std::string& why) {
  const bool jam = point_.passes.unroll_and_jam && nest.init != Init::destination;
  if (nest.has_reduction() && !jam) {
    if (nest.lanes > 1) {
      why = "packed reductions need unroll and jam";
      return false;
    }
    return lower_with_streams_plain(nest, why);
  }
  if (nest.has_reduction() && nest.iterators.size() == 1) {
    const std::optional<StreamNest> placed = place_streams(nest, {1}, true, machine_, why);
    if (!placed) return false;
    note_streams(*placed);
    lower_split(builder_, *placed,
                std::min<std::int64_t>(machine_.add_multiply_distance, placed->reduction_length()),
                point_.passes.frep);
    return true;
  }
  const std::optional<std::vector<StreamNest>> regions =
      unroll_and_jam(nest, point_.m_r, point_.n_r, machine_, why);
  if (!regions) return false;
  for (const StreamNest& region : *regions) {
    note_streams(region);
    lower_jammed(builder_, region, point_.passes.frep);
  }
  return true;
}

void Compiler::take_workspace(std::int64_t bytes) {
  if (bytes == 0) return;
  result_.workspace_bytes = bytes;
  program_.notes.push_back(
      fmt::format("a{}: workspace of {} bytes, 8-byte aligned", program_.arguments, bytes));
  ++program_.arguments;
}

void Compiler::lower_folded_windows(const FoldedWindows& windows) {
  take_workspace(windows.workspace_bytes);
  note_streams(windows.streams);
  result_.stream_nests.back() = print(windows);
  program_.notes.push_back("take " + windows.take.name + ": " + print(windows.take));
  lower_folded(builder_, windows);
}

// A reduction over a plane of f32 or f16 outputs: packed, in one way or another.
bool Compiler::lower_packed_reduction(const LoopNest& nest, std::string& why) {
  const Passes& passes = point_.passes;
  if (!passes.unroll_and_jam || nest.init == Init::destination) {
    why = "packed reductions need unroll and jam";
    return false;
  }
  PlanLimits limits;
  limits.m_r = point_.m_r;
  limits.n_r = point_.n_r;
  limits.workspace_argument = program_.arguments;
  limits.workspace_room = machine_.tcdm_bytes - machine_.stack_bytes - operand_bytes_;
  limits.staging = passes.frep;  // the copies are paced by the hardware loops
  std::optional<NestPlan> plan = plan_reduction(nest, limits, machine_, why);
  std::optional<FoldedWindows> folded;
  if (is_pooling(nest) && limits.staging && point_.m_r == 0) {
    folded = fold_windows(nest, limits.workspace_argument, limits.workspace_room, machine_, why);
  }
  if (folded && plan && plan->cycles < folded->cycles) folded.reset();
  if (!plan && !folded) return false;
  if (point_.m_r == 0 && (folded ? folded->cycles : plan->cycles) > unstreamed_cycles(nest)) {
    why = "too small to pay for its set-up";
    return false;
  }
  if (folded) {
    lower_folded_windows(*folded);
    return true;
  }
  take_workspace(plan->workspace_bytes);
  for (const PlanStep& step : plan->steps) {
    result_.loop_nests.push_back(print(step.words));
    for (const Staging& staging : step.staged_first) {
      program_.notes.push_back(fmt::format("copy {}: {}", staging.name, print(staging)));
      lower_staging(builder_, staging, limits.workspace_argument);
    }
    for (const StreamNest& region : step.regions) {
      note_streams(region);
      lower_jammed(builder_, region, passes.frep);
    }
  }
  return true;
}

// Without streams, but several outputs at a time, so that loads and the FPU's latency overlap.
void Compiler::lower_unstreamed(const LoopNest& nest) {
  if (point_.m_r != 0)
    program_.notes.push_back("the unroll and jam that was asked for is not used");
  // Each takes an accumulator, an operand that is not shared and, for halves, its wide form.
  constexpr std::int64_t kMost = 8;
  PlainOptions options;
  if (!point_.passes.unroll_and_jam || !point_.passes.scalar_replacement) {
    options.scalar_replacement = point_.passes.scalar_replacement;
    lower_plain(builder_, nest, nullptr, options);
    return;
  }
  JamFactors factors(nest.iterators.size(), 1);
  for (std::size_t d = 0; d < nest.iterators.size(); ++d) {
    if (nest.iterators[d].kind != IteratorKind::parallel) continue;
    std::fill(factors.begin(), factors.end(), 1);
    factors[d] = plain_jam(nest, kMost);
  }
  const Cut parts = cut(nest, factors);
  const auto jam_of = [](const JamFactors& jam) {
    return *std::max_element(jam.begin(), jam.end());
  };
  options.jam = jam_of(parts.jam);
  lower_plain(builder_, parts.main, nullptr, options);
  for (const LoopNest& rest : parts.rests) {
    options.jam = plain_jam(rest, kMost);
    lower_plain(builder_, rest, nullptr, options);
  }
}

void Compiler::lower(const LoopNest& nest) {
  result_.loop_nests.push_back(print(nest));
  if (!point_.passes.streams) {
    lower_plain(builder_, nest, nullptr, {Addressing::literal, point_.passes.scalar_replacement});
    return;
  }
  std::string why;
  if (nest.type != ScalarType::f64 && nest.has_reduction() && nest.iterators.size() > 1) {
    if (lower_packed_reduction(nest, why)) return;
    program_.notes.push_back("not packed: " + why);
    lower_unstreamed(nest);
    return;
  }
  const std::optional<Packed> packed = pack(nest, why);
  if (packed) {
    bool done = true;
    if (packed->words) {
      if (packed->words->lanes > 1) result_.loop_nests.push_back(print(*packed->words));
      done = lower_streamed(*packed->words, why);
    }
    if (done) {
      if (packed->rest) {
        result_.loop_nests.push_back(print(*packed->rest));
        program_.notes.push_back("the elements that fill no word go one by one");
        lower_unstreamed(*packed->rest);
      }
      return;
    }
  }
  program_.notes.push_back("not streamed: " + why);
  lower_unstreamed(nest);
}

Generated Compiler::run() {
  const std::vector<Buffer> all = buffers(point_);
  check_capacity(all);
  result_.id = id(point_);
  result_.symbol = result_.id;
  std::replace(result_.symbol.begin(), result_.symbol.end(), '-', '_');
  program_.name = result_.symbol;
  program_.arguments = static_cast<int>(all.size());
  const std::vector<LoopNest> nests = loop_nests(point_);
  for (const LoopNest& nest : nests) {
    for (const Operand& o : nest.operands) program_.scalar_argument |= o.access == Access::scalar;
  }
  for (std::size_t i = 0; i < nests.size(); ++i) {
    if (nests.size() > 1) builder_.body.push_back(comment(nests[i].name));
    lower(nests[i]);
    // What one nest streams out, the next one loads.
    if (i + 1 < nests.size() && point_.passes.streams) lower_drain(builder_);
  }
  builder_.finish(result_.workspace_bytes > 0);
  result_.program = print(program_);
  if (const std::string problem = violation(program_, machine_); !problem.empty()) {
    fmt::print(stderr, "{}: {}\n{}", result_.id, problem, result_.program);
    QUERN_CHECK(problem.empty());
  }
  result_.freps = count_freps(program_.body);
  const Allocation allocation = allocate_registers(program_);
  const KernelInfo& kernel = info(point_.kernel);
  const std::string regenerate =
      fmt::format("quern generate --board snitch --point {}", result_.id);
  result_.notes = program_.notes;
  result_.assembly = write_assembly(
      program_, allocation,
      {fmt::format("{} for the Snitch core, {}", kernel.signature, name_of(point_.type)),
       result_.id, regenerate});
  return std::move(result_);
}

}  // namespace

Generated generate(const Point& point, const Machine& machine) {
  check(point);
  return Compiler(point, machine).run();
}

}  // namespace quern::generator::snitch
