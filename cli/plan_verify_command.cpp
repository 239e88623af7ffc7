// quern plan verify: judges anyone's result files.
#include <fmt/core.h>

#include <optional>

#include "cli/commands.h"
#include "cli/plan_report.h"
#include "planner/decode/problem.h"
#include "planner/output/result_files.h"

namespace quern::cli {
namespace {

using namespace planner;

struct VerifyArguments {
  PlanInput input;
  std::filesystem::path folder;
  std::string objective;
};

ExitCode run_verify(const Context& context, const VerifyArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const Machine machine = arguments.input.read_machine(context);
  const CommandGraph graph = arguments.input.read_graph(machine);
  const LowerBounds bounds = lower_bounds(compile(graph, machine));

  // DIR holds the files themselves, or a folder for each problem.
  struct Found {
    std::filesystem::path folder;
    std::optional<Objective> objective;
  };
  std::vector<Found> found;
  const std::string schedule = graph.name + "_schedule.txt";
  if (std::filesystem::exists(arguments.folder / schedule)) {
    found.push_back({arguments.folder, std::nullopt});
  }
  for (const auto& [name, objective] : plan_objectives) {
    const auto folder = arguments.folder / problem_folder(objective);
    if (std::filesystem::exists(folder / schedule)) found.push_back({folder, objective});
  }
  if (!arguments.objective.empty()) {
    const Objective wanted = plan_objectives.at(arguments.objective);
    std::erase_if(found, [&](const Found& f) { return f.objective && *f.objective != wanted; });
    for (Found& f : found) f.objective = wanted;
  }
  if (found.empty()) {
    throw bad_input("{}: no {} there, nor in Problem1, Problem2 or Problem3 below it",
                    arguments.folder.string(), schedule);
  }
  Json plans = Json::array();
  bool valid = true;
  for (const Found& f : found) {
    const verify::Submission submission = verify::read_submission(f.folder, graph.name);
    const std::string name = f.folder.filename().string();
    Objective objective = submission.has_memory ? Objective::cycles : Objective::peak;
    for (const auto& [word, o] : plan_objectives) {
      if (name == problem_folder(o)) objective = o;
    }
    if (f.objective) objective = *f.objective;
    const verify::Verdict verdict =
        verify::judge(graph, machine, submission, objective == Objective::peak);
    valid = valid && verdict.valid;
    Json plan = describe_plan(machine, verdict, bounds, objective);
    plan["folder"] = f.folder.string();
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
      print_plan(context, plan);
    }
  }
  return valid ? ExitCode::good : ExitCode::check_failed;
}

}  // namespace

void add_plan_verify(CLI::App& plan, Context& context, std::function<ExitCode()>& chosen) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* verify = plan.add_subcommand("verify", "Judge the result files of anyone's plan");
  verify->add_option("TRACE", arguments->input.trace, "The trace")->required();
  verify->add_option("DIR", arguments->folder, "Folder of the result files")->required();
  verify->add_option("--objective", arguments->objective, "Only this problem's files")
      ->check(CLI::IsMember(names_of(plan_objectives)));
  arguments->input.add_options(*verify);
  add_shared_options(*verify, context);
  verify->footer("Example:\n  quern plan verify planner/traces/Matmul_Case0.json plans");
  verify->callback([&context, &chosen, arguments] {
    chosen = [&context, arguments] { return run_verify(context, *arguments); };
  });
}

}  // namespace quern::cli
