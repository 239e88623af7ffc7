// What `quern plan` and `quern plan verify` share: the options they have in common, and how a
// judged plan is reported beside its lower bounds.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/context.h"
#include "planner/bounds/bounds.h"
#include "planner/model/machine.h"
#include "planner/model/plan.h"
#include "planner/model/trace_reader.h"
#include "planner/verify/verifier.h"

namespace quern::cli {

extern const std::map<std::string, planner::Objective> plan_objectives;

// A trace and the machine it runs on, from the command line.
struct PlanInput {
  std::filesystem::path trace;
  std::string machine = "davinci-npu";
  std::int64_t max_nodes = planner::TraceLimits{}.max_nodes;

  void add_options(CLI::App& command);
  planner::Machine read_machine(const Context& context) const;
  planner::CommandGraph read_graph(const planner::Machine& machine) const;
};

template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

// The fields that a plan's JSON has whoever made it.
Json describe_plan(const planner::Machine& machine, const planner::verify::Verdict& verdict,
                   const planner::LowerBounds& bounds, planner::Objective objective);
// The same as a table on stdout.
void print_plan(const Context& context, const Json& plan);

double seconds_since(std::chrono::steady_clock::time_point begin);

}  // namespace quern::cli
