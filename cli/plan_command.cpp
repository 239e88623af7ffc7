// quern plan: plans a trace, has the plan judged by the independent verifier, writes the result
// files.
#include <fmt/core.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/commands.h"
#include "cli/plan_report.h"
#include "cli/progress.h"
#include "planner/lattice/diagnosis.h"
#include "planner/output/pictures.h"
#include "planner/output/result_files.h"
#include "planner/search/planner.h"

namespace quern::cli {
namespace {

using namespace planner;

struct Arguments {
  PlanInput input;
  std::filesystem::path out, timeline, map;
  bool diagnose = false;
  std::string objective = "cycles", pipeline = "search";
  PlanOptions options;
};

const std::map<std::string, Pipeline> pipelines{
    {"search", Pipeline::search}, {"lattice", Pipeline::lattice}, {"stable", Pipeline::stable}};

void print_diagnosis(const Json& diagnosis) {
  fmt::print("ignore           {:>12}   {} of {} hand-overs too early\n",
             diagnosis["ignore_cycles"].get<std::int64_t>(),
             diagnosis["ownership_violations"].get<std::int64_t>(),
             diagnosis["reuse_edges"].get<std::int64_t>());
  fmt::print("freeze           {:>12}\n", diagnosis["freeze_cycles"].get<std::int64_t>());
  fmt::print("refine           {:>12}   {} moves\n", diagnosis["refine_cycles"].get<std::int64_t>(),
             diagnosis["refine_moves"].get<int>());
}

PlanResult search(const Context& context, const Problem& problem, PlanOptions options) {
  constexpr int steps = 100;
  Progress progress(steps, context.verbosity < 0 || options.pipeline != Pipeline::search);
  int shown = 0;
  options.interrupted = [] { return quern::interrupted(); };
  options.progress = [&](const SearchProgress& now) {
    for (; shown < static_cast<int>(now.share * steps); ++shown) {
      progress.step(fmt::format("% of the effort, {} candidates", now.candidates));
    }
  };
  return make_plan(problem, options);
}

ExitCode run_plan(const Context& context, Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  if (arguments.input.trace.empty()) {
    throw bad_input("plan: TRACE is missing (see quern plan --help)");
  }
  const Machine machine = arguments.input.read_machine(context);
  const CommandGraph graph = arguments.input.read_graph(machine);
  const Problem problem = compile(graph, machine);
  arguments.options.objective = plan_objectives.at(arguments.objective);
  arguments.options.pipeline = pipelines.at(arguments.pipeline);
  if (arguments.options.objective == Objective::peak &&
      (!arguments.map.empty() || arguments.diagnose)) {
    throw bad_input("--map and --diagnose need addresses: use --objective traffic or cycles");
  }
  for (const auto& path : {arguments.timeline, arguments.map}) {
    if (!path.empty() && !std::filesystem::exists(path)) check_writable(path.parent_path());
  }
  if (!arguments.out.empty()) check_writable(arguments.out);
  const InterruptGuard guard;
  const PlanResult result = search(context, problem, arguments.options);
  const bool peak = arguments.options.objective == Objective::peak;
  const verify::Verdict verdict =
      verify::judge(graph, machine, verify::as_submission(graph, result.plan), peak);
  const LowerBounds bounds = lower_bounds(problem);
  Json body = describe_plan(machine, verdict, bounds, arguments.options.objective);
  body["case"] = graph.name;
  body["pipeline"] = arguments.pipeline;
  body["seed"] = arguments.options.seed;
  body["threads"] = arguments.options.threads;
  body["effort"] = arguments.options.effort;
  body["candidates"] = result.candidates;
  body["stopped_by"] = result.stopped_by;
  body["files"] = Json::array();
  if (!verdict.valid) {
    throw make_error(ExitCode::nothing_valid, "{}: the plan did not pass the verifier: {}",
                     arguments.input.trace.string(), verdict.problems.front());
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
    print_plan(context, body);
    if (body.contains("diagnosis")) print_diagnosis(body["diagnosis"]);
  }
  if (result.stopped_by == "budget") return ExitCode::good;
  const bool by_user = result.stopped_by == "interrupt";
  context.say(fmt::format("{}: {} ended the search; the best plan so far is kept",
                          arguments.input.trace.string(),
                          by_user ? "an interrupt" : "the time limit"));
  return by_user ? ExitCode::interrupted : ExitCode::budget_ended;
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
  auto arguments = std::make_shared<Arguments>();
  auto verify = std::make_shared<std::function<ExitCode()>>();
  CLI::App* plan =
      add_subcommand(app, context, "plan", "Plan order, memory and timing of a command trace",
                     "quern plan planner/traces/Matmul_Case0.json --objective cycles --out plans\n"
                     "  quern plan verify planner/traces/Matmul_Case0.json plans",
                     [&context, arguments, verify] {
                       return *verify ? (*verify)() : run_plan(context, *arguments);
                     });
  plan->add_option("TRACE", arguments->input.trace, "X.json, or X_Nodes.csv beside X_Edges.csv");
  plan->add_option("--objective", arguments->objective, "peak, traffic or cycles")
      ->check(CLI::IsMember(names_of(plan_objectives)))
      ->capture_default_str();
  plan->add_option("--out", arguments->out, "Folder of the result files (Problem1, 2 or 3 in it)");
  arguments->input.add_options(*plan);
  plan->add_option("--pipeline", arguments->pipeline, "search, lattice or stable")
      ->check(CLI::IsMember(names_of(pipelines)))
      ->capture_default_str();
  plan->add_option("--effort", arguments->options.effort,
                   "How much to search, as a multiple of the default; counted in work, so the plan "
                   "is the same on every machine")
      ->check(CLI::Validator(
          [](std::string& text) -> std::string {
            double effort = 0;
            if (CLI::detail::lexical_cast(text, effort) && effort >= 1e-6 && effort <= 1e6)
              return {};
            return "expected 1e-6 to 1e6, found " + text;
          },
          "FACTOR"))
      ->capture_default_str();
  plan->add_option("--time-limit", arguments->options.time_limit,
                   "Seconds after which the search ends whatever its effort, exit 124 (default: 18 "
                   "for peak and traffic, 110 for cycles)")
      ->check(time_limit);
  plan->add_option("--seed", arguments->options.seed, "Seed of the search")
      ->check(CLI::Range(std::int64_t{0}, INT64_MAX))
      ->capture_default_str();
  plan->add_option("--threads", arguments->options.threads,
                   "Threads of the search; do not change its result")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  plan->add_flag("--diagnose", arguments->diagnose,
                 "Compare the plan with reuse ignored, frozen, and refined on the critical path");
  plan->add_option("--timeline", arguments->timeline, "Write a Chrome/Perfetto trace");
  plan->add_option("--map", arguments->map, "Write a memory map as SVG (traffic and cycles)");
  add_plan_verify(*plan, context, *verify);
}

}  // namespace quern::cli
