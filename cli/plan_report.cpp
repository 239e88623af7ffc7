#include "cli/plan_report.h"

#include <fmt/core.h>

#include <optional>

namespace quern::cli {

using namespace planner;

const std::map<std::string, Objective> plan_objectives{
    {"peak", Objective::peak}, {"traffic", Objective::traffic}, {"cycles", Objective::cycles}};

void PlanInput::add_options(CLI::App& command) {
  command
      .add_option("--machine", machine,
                  "A shipped machine (see planner/machines) or a description file")
      ->capture_default_str();
  command.add_option("--max-nodes", max_nodes, "Refuse longer traces")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{500'000'000}))
      ->capture_default_str();
}

Machine PlanInput::read_machine(const Context& context) const {
  const auto folder = context.root / "planner" / "machines";
  std::filesystem::path path = machine;
  // A bare name is one of the shipped machines.
  if (!path.has_extension() && !path.has_parent_path()) {
    path = folder / (machine + ".json");
    if (!std::filesystem::exists(path)) {
      std::string names;
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().stem().string();
        if (name != "schema") names += (names.empty() ? "" : ", ") + name;
      }
      throw bad_input("--machine {}: no such machine; there are {}, or give a description file",
                      machine, names);
    }
  }
  return planner::read_machine(path, folder / "schema.json");
}

CommandGraph PlanInput::read_graph(const Machine& on) const {
  return build_command_graph(read_trace(trace, {max_nodes}), on);
}

namespace {

Json or_null(const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(); }

// How far above the bound, as a share of it; null when there is no plan or the bound is 0.
Json gap_of(const Json& value, const Json& bound) {
  if (value.is_null() || bound.is_null()) return {};
  const auto units = value.get<std::int64_t>(), least = bound.get<std::int64_t>();
  if (units == least) return 0.0;
  if (least <= 0) return {};
  return static_cast<double>(units - least) / static_cast<double>(least);
}

const char* name_of(Objective objective) {
  for (const auto& [name, value] : plan_objectives) {
    if (value == objective) return name.c_str();
  }
  return "";
}

}  // namespace

Json describe_plan(const Machine& machine, const verify::Verdict& verdict,
                   const LowerBounds& bounds, Objective objective) {
  Json tiers = Json::array();
  for (std::size_t t = 0; t < verdict.peak_by_tier.size(); ++t) {
    tiers.push_back({{"tier", machine.tiers[t].name},
                     {"capacity", machine.tiers[t].capacity},
                     {"peak", verdict.peak_by_tier[t]},
                     {"most_live", verdict.most_live_by_tier[t]}});
  }
  const std::string name = name_of(objective);
  Json body = {{"objective", name},
               {"machine", machine.name},
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
               {"reuse_edges", verdict.reuse_edges}};
  body["lower_bounds"] = {{"peak", bounds.peak},
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
                          {"memory_exact", bounds.memory_exact}};
  // The bound on the peak is one for peak orders: a plan that evicts holds less. A peak order in
  // turn has no addresses, so nothing waits for them and nothing is moved; its cycles are bounded
  // all the same.
  const bool peak = objective == Objective::peak;
  const Json& least = body["lower_bounds"];
  body["gaps"] = {{"peak", peak ? gap_of(body["peak"], least["peak"]) : Json()},
                  {"traffic", peak ? Json() : gap_of(body["traffic"], least["traffic"])},
                  {"cycles", gap_of(body["cycles"], least["cycles"])}};
  if (!verdict.valid) {  // it has no figures worth the name
    for (const char* figure : {"peak", "peak_all_tiers", "traffic", "spills", "cycles",
                               "cycles_no_reuse", "reuse_edges"}) {
      body[figure] = nullptr;
    }
    for (Json& gap : body["gaps"]) gap = nullptr;
  }
  body["lower_bound"] = least[name];
  body["gap"] = body["gaps"][name];
  return body;
}

void print_plan(const Context& context, const Json& plan) {
  const bool peak = plan["objective"] == "peak";
  const auto row = [&](const char* what, bool bounded) {
    if (plan[what].is_null()) return;
    fmt::print("{:<10} {:>12}", what, plan[what].get<std::int64_t>());
    if (bounded) {
      const auto least = plan["lower_bounds"][what].get<std::int64_t>();
      const Json& gap = plan["gaps"][what];
      fmt::print("   lower bound {:>12}", least);
      if (gap.is_null())
        fmt::print("   nothing proven");
      else if (gap == 0.0)
        fmt::print("   gap 0 (proven optimal)");
      else
        fmt::print("   gap {:.1f} %", 100 * gap.get<double>());
      const std::string by = std::string(what) + "_by";
      if (least > 0 && plan["lower_bounds"].contains(by))
        fmt::print("   by {}", plan["lower_bounds"][by].get<std::string>());
    }
    fmt::print("\n");
  };
  row("peak", peak);
  row("traffic", !peak);
  row("spills", false);
  row("cycles", true);
  const bool valid = plan["valid"].get<bool>();
  fmt::print("{:<10} {:>12}   cycles {}\n", "timing", "modelled",
             peak ? "without addresses" : "with address reuse");
  fmt::print("{:<10} {:>12}\n", "verified", context.paint(valid, valid ? "valid" : "INVALID"));
  for (const auto& problem : plan["problems"]) fmt::print("  {}\n", problem.get<std::string>());
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace quern::cli
