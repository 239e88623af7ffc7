// quern plan: plans a trace, has the plan judged by the independent verifier, writes the result
// files.
#include <fmt/core.h>

#include <chrono>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "planner/bounds/bounds.h"
#include "planner/lattice/diagnosis.h"
#include "planner/model/trace_reader.h"
#include "planner/output/pictures.h"
#include "planner/output/result_files.h"
#include "planner/search/planner.h"
#include "planner/verify/verifier.h"

namespace quern::cli {
namespace {

using namespace planner;

struct Arguments {
  std::filesystem::path trace, out, machine, timeline, map;
  bool diagnose = false;
  std::string objective = "cycles", pipeline = "search";
  PlanOptions options;
  std::int64_t max_nodes = TraceLimits{}.max_nodes;
  // verify
  std::filesystem::path verify_trace, verify_folder;
  std::string verify_objective;
};

const std::map<std::string, Objective> objectives{
    {"peak", Objective::peak}, {"traffic", Objective::traffic}, {"cycles", Objective::cycles}};
const std::map<std::string, Pipeline> pipelines{
    {"search", Pipeline::search}, {"lattice", Pipeline::lattice}, {"stable", Pipeline::stable}};

Machine load_machine(const Context& context, const std::filesystem::path& chosen) {
  const auto folder = context.root / "planner" / "machines";
  std::filesystem::path path = chosen;
  if (path.empty()) path = "davinci-npu";
  // A bare name is one of the shipped machines.
  if (!path.has_extension() && !path.has_parent_path()) {
    path = folder / (path.string() + ".json");
    if (!std::filesystem::exists(path)) {
      throw bad_input("--machine {}: no such machine in {}", chosen.string(), folder.string());
    }
  }
  return read_machine(path, folder / "schema.json");
}

Json or_null(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(); }

// How far above the bound, as a share of the bound; null when the bound is 0.
Json gap(std::int64_t value, std::int64_t bound) {
  if (bound <= 0) return value == 0 ? Json(0.0) : Json();
  return static_cast<double>(value - bound) / static_cast<double>(bound);
}

Json describe(const Machine& machine, const verify::Verdict& verdict, const LowerBounds& bounds,
              Objective objective) {
  Json tiers = Json::array();
  for (std::size_t t = 0; t < verdict.peak_by_tier.size(); ++t) {
    tiers.push_back({{"tier", machine.tiers[t].name},
                     {"capacity", machine.tiers[t].capacity},
                     {"peak", verdict.peak_by_tier[t]},
                     {"most_live", verdict.most_live_by_tier[t]}});
  }
  const std::int64_t bound = objective == Objective::peak      ? bounds.peak
                             : objective == Objective::traffic ? bounds.traffic
                                                               : bounds.cycles();
  const std::int64_t value = objective == Objective::peak      ? verdict.peak
                             : objective == Objective::traffic ? verdict.traffic.value_or(0)
                                                               : verdict.cycles;
  return {{"machine", machine.name},
          {"timing", "modelled"},
          {"valid", verdict.valid},
          {"problems", verdict.problems},
          {"peak", verdict.peak},
          {"peak_all_tiers", verdict.peak_all_tiers},
          {"tiers", tiers},
          {"traffic", or_null(verdict.traffic)},
          {"spills", or_null(verdict.spills)},
          {"cycles", verdict.cycles},
          {"cycles_no_reuse", verdict.cycles_no_reuse},
          {"reuse_edges", verdict.reuse_edges},
          {"lower_bound", bound},
          {"gap", verdict.valid ? gap(value, bound) : Json()},
          {"lower_bounds",
           {{"peak", bounds.peak},
            {"peak_by", bounds.peak_by},
            {"must_live", bounds.must_live},
            {"traffic", bounds.traffic},
            {"traffic_by", bounds.traffic_by},
            {"cycles", bounds.cycles()},
            {"critical_path", bounds.critical_path},
            {"busiest_pipe", bounds.busiest_pipe},
            {"busiest_pipe_name", bounds.busiest_pipe_name},
            {"scheduled_pipe", bounds.scheduled_pipe},
            {"scheduled_pipe_name", bounds.scheduled_pipe_name},
            {"memory_exact", bounds.memory_exact}}}};
}

void print_table(const Json& body) {
  const auto row = [](const char* what, const Json& value, const Json& bound, const Json& share) {
    if (value.is_null()) return;
    fmt::print("{:<16} {:>12}", what, value.get<std::int64_t>());
    if (!bound.is_null()) fmt::print("   lower bound {:>12}", bound.get<std::int64_t>());
    if (!share.is_null()) fmt::print("   gap {:.1f} %", 100 * share.get<double>());
    fmt::print("\n");
  };
  const Json& bounds = body["lower_bounds"];
  const bool memory = !body["traffic"].is_null();
  row("peak", body["peak"], bounds["peak"], memory ? Json() : body["gap"]);
  row("traffic", body["traffic"], bounds["traffic"], Json());
  row("spills", body["spills"], Json(), Json());
  row("cycles", body["cycles"], bounds["cycles"],
      gap(body["cycles"], bounds["cycles"].get<std::int64_t>()));
  fmt::print("{:<16} {:>12}   ({}, verified: {})\n", "timing", "modelled",
             memory ? "with address reuse" : "order only, without memory",
             body["valid"].get<bool>() ? "valid" : "INVALID");
  for (const auto& problem : body["problems"]) fmt::print("  {}\n", problem.get<std::string>());
}

void print_diagnosis(const Json& diagnosis) {
  fmt::print("ignore           {:>12}   {} of {} hand-overs too early\n",
             diagnosis["ignore_cycles"].get<std::int64_t>(),
             diagnosis["ownership_violations"].get<std::int64_t>(),
             diagnosis["reuse_edges"].get<std::int64_t>());
  fmt::print("freeze           {:>12}\n", diagnosis["freeze_cycles"].get<std::int64_t>());
  fmt::print("refine           {:>12}   {} moves\n", diagnosis["refine_cycles"].get<std::int64_t>(),
             diagnosis["refine_moves"].get<int>());
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

verify::Submission as_submission(const CommandGraph& graph, const Plan& plan) {
  verify::Submission submission;
  submission.schedule.assign(plan.order.begin(), plan.order.end());
  submission.has_memory = plan.has_memory();
  for (std::size_t b = 0; b < plan.offsets.size(); ++b) {
    submission.memory.push_back({graph.buffers[b].id, plan.offsets[b], static_cast<int>(b) + 1});
  }
  for (const Spill& pair : plan.spills) {
    submission.spills.push_back({graph.buffers[pair.buffer].id, pair.offset,
                                 static_cast<int>(submission.spills.size()) + 1});
  }
  return submission;
}

PlanResult search(const Context& context, const Problem& problem, PlanOptions options) {
  constexpr int steps = 100;
  Progress progress(steps, context.verbosity < 0 || options.pipeline != Pipeline::search);
  int shown = 0;
  options.interrupted = [] { return quern::interrupted(); };
  options.progress = [&](double share) {
    for (; shown < static_cast<int>(share * steps); ++shown) progress.step("% of the search");
  };
  return make_plan(problem, options);
}

ExitCode run_plan(const Context& context, Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  if (arguments.trace.empty()) throw bad_input("plan: TRACE is missing (see quern plan --help)");
  const Machine machine = load_machine(context, arguments.machine);
  const CommandGraph graph =
      build_command_graph(read_trace(arguments.trace, {arguments.max_nodes}), machine);
  const Problem problem = compile(graph, machine);
  arguments.options.objective = objectives.at(arguments.objective);
  arguments.options.pipeline = pipelines.at(arguments.pipeline);
  if (arguments.options.objective == Objective::peak &&
      (!arguments.map.empty() || arguments.diagnose)) {
    throw bad_input("--map and --diagnose need addresses: use --objective traffic or cycles");
  }
  const InterruptGuard guard;
  const PlanResult result = search(context, problem, arguments.options);
  const bool peak = arguments.options.objective == Objective::peak;
  const verify::Verdict verdict =
      verify::judge(graph, machine, as_submission(graph, result.plan), peak);
  const LowerBounds bounds = lower_bounds(problem);
  Json body = describe(machine, verdict, bounds, arguments.options.objective);
  body["case"] = graph.name;
  body["objective"] = arguments.objective;
  body["pipeline"] = arguments.pipeline;
  body["seed"] = arguments.options.seed;
  body["threads"] = arguments.options.threads;
  body["effort"] = arguments.options.effort;
  body["candidates"] = result.candidates;
  body["stopped_by"] = result.stopped_by;
  body["files"] = Json::array();
  if (!verdict.valid) {
    throw make_error(ExitCode::nothing_valid, "{}: the plan did not pass the verifier: {}",
                     arguments.trace.string(), verdict.problems.front());
  }
  if (!arguments.out.empty()) {
    const auto folder = arguments.out / problem_folder(arguments.options.objective);
    for (const auto& file : write_result_files(graph, result.plan, folder)) {
      body["files"].push_back(file.string());
    }
  }
  if (!arguments.timeline.empty()) {
    write_file(arguments.timeline, chrome_timeline(graph, machine, result.plan));
  }
  if (!arguments.map.empty())
    write_file(arguments.map, memory_map_svg(graph, machine, result.plan));
  if (arguments.diagnose) {
    const Diagnosis diagnosis = diagnose(problem, result.plan);
    body["diagnosis"] = {{"ignore_cycles", diagnosis.ignore_cycles},
                         {"ownership_violations", diagnosis.ownership_violations},
                         {"reuse_edges", diagnosis.reuse_edges},
                         {"freeze_cycles", diagnosis.freeze_cycles},
                         {"refine_cycles", diagnosis.refine_cycles},
                         {"refine_moves", diagnosis.refine_moves}};
  }
  body["seconds"] = seconds_since(begin);
  if (context.json) {
    context.print_json("quern.plan.v1", body);
  } else {
    fmt::print("{} for {} on {}: {} candidates, ended by {}\n", graph.name, arguments.objective,
               machine.name, result.candidates, result.stopped_by);
    print_table(body);
    if (body.contains("diagnosis")) print_diagnosis(body["diagnosis"]);
  }
  if (result.stopped_by == "interrupt") return ExitCode::interrupted;
  if (result.stopped_by == "budget") return ExitCode::good;
  context.say(fmt::format("{}: the time limit ended the search; the best plan so far is kept",
                          arguments.trace.string()));
  return ExitCode::budget_ended;
}

ExitCode run_verify(const Context& context, const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const Machine machine = load_machine(context, arguments.machine);
  const CommandGraph graph =
      build_command_graph(read_trace(arguments.verify_trace, {arguments.max_nodes}), machine);
  const LowerBounds bounds = lower_bounds(compile(graph, machine));

  // DIR holds the files themselves, or a folder for each problem.
  struct Found {
    std::filesystem::path folder;
    std::optional<Objective> objective;
  };
  std::vector<Found> found;
  const std::string schedule = graph.name + "_schedule.txt";
  if (std::filesystem::exists(arguments.verify_folder / schedule)) {
    found.push_back({arguments.verify_folder, std::nullopt});
  }
  for (const auto& [name, objective] : objectives) {
    const auto folder = arguments.verify_folder / problem_folder(objective);
    if (std::filesystem::exists(folder / schedule)) found.push_back({folder, objective});
  }
  if (!arguments.verify_objective.empty()) {
    const Objective wanted = objectives.at(arguments.verify_objective);
    std::erase_if(found, [&](const Found& f) { return f.objective && *f.objective != wanted; });
    for (Found& f : found) f.objective = wanted;
  }
  if (found.empty()) {
    throw bad_input("{}: no {} there, nor in Problem1, Problem2 or Problem3 below it",
                    arguments.verify_folder.string(), schedule);
  }
  Json plans = Json::array();
  bool valid = true;
  for (const Found& f : found) {
    const verify::Submission submission = verify::read_submission(f.folder, graph.name);
    const std::string name = f.folder.filename().string();
    Objective objective = submission.has_memory ? Objective::cycles : Objective::peak;
    for (const auto& [word, o] : objectives) {
      if (name == problem_folder(o)) objective = o;
    }
    if (f.objective) objective = *f.objective;
    const verify::Verdict verdict =
        verify::judge(graph, machine, submission, objective == Objective::peak);
    valid = valid && verdict.valid;
    Json plan = describe(machine, verdict, bounds, objective);
    plan["folder"] = f.folder.string();
    for (const auto& [word, o] : objectives) {
      if (o == objective) plan["objective"] = word;
    }
    plans.push_back(std::move(plan));
  }
  // The top level repeats the last plan in the order peak, traffic, cycles; `plans` has them all.
  Json body = plans.back();
  body["case"] = graph.name;
  body["valid"] = valid;
  body["plans"] = plans;
  body["seconds"] = seconds_since(begin);
  if (context.json) {
    context.print_json("quern.plan_verify.v1", body);
  } else {
    for (const Json& plan : plans) {
      fmt::print("{} in {}\n", graph.name, plan["folder"].get<std::string>());
      print_table(plan);
    }
  }
  return valid ? ExitCode::good : ExitCode::check_failed;
}

template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto verifying = std::make_shared<bool>(false);
  CLI::App* plan = add_subcommand(
      app, context, "plan", "Plan order, memory and timing of a command trace",
      "quern plan planner/traces/Matmul_Case0.json --objective cycles --out plans\n"
      "  quern plan verify planner/traces/Matmul_Case0.json plans",
      [&context, arguments, verifying] {
        return *verifying ? run_verify(context, *arguments) : run_plan(context, *arguments);
      });
  plan->add_option("TRACE", arguments->trace, "X.json, or X_Nodes.csv beside X_Edges.csv");
  plan->add_option("--objective", arguments->objective, "peak, traffic or cycles")
      ->check(CLI::IsMember(names_of(objectives)))
      ->capture_default_str();
  plan->add_option("--out", arguments->out, "Folder of the result files (Problem1, 2 or 3 in it)");
  plan->add_option("--machine", arguments->machine,
                   "Shipped machine (davinci-npu, snitch-cluster, accel) or a description file");
  plan->add_option("--pipeline", arguments->pipeline, "search, lattice or stable")
      ->check(CLI::IsMember(names_of(pipelines)))
      ->capture_default_str();
  plan->add_option("--effort", arguments->options.effort,
                   "How much to search, as a multiple of the default; counted in work, so the same "
                   "everywhere")
      ->check(CLI::Range(1e-6, 1e6))
      ->capture_default_str();
  plan->add_option("--time-limit", arguments->options.time_limit,
                   "Seconds after which the search ends whatever its effort, exit 124 (default: 18 "
                   "for peak and traffic, 110 for cycles)")
      ->check(time_limit);
  plan->add_flag("--diagnose", arguments->diagnose,
                 "Compare the plan with reuse ignored, frozen, and refined on the critical path");
  plan->add_option("--timeline", arguments->timeline, "Write a Chrome/Perfetto trace");
  plan->add_option("--map", arguments->map, "Write a memory map as SVG (traffic and cycles)");
  plan->add_option("--seed", arguments->options.seed, "Seed of the search")->capture_default_str();
  plan->add_option("--threads", arguments->options.threads, "Threads of the search")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  plan->add_option("--max-nodes", arguments->max_nodes, "Refuse longer traces")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();

  CLI::App* check = plan->add_subcommand("verify", "Judge the result files of anyone's plan");
  check->add_option("TRACE", arguments->verify_trace, "The trace")->required();
  check->add_option("DIR", arguments->verify_folder, "Folder of the result files")->required();
  check->add_option("--objective", arguments->verify_objective, "Only this problem's files")
      ->check(CLI::IsMember(names_of(objectives)));
  check->add_option("--machine", arguments->machine, "As for plan");
  check->add_option("--max-nodes", arguments->max_nodes, "Refuse longer traces");
  check->add_flag("--json", context.json, "Print one JSON document on stdout");
  check->callback([verifying] { *verifying = true; });
}

}  // namespace quern::cli
