#include "planner/output/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "planner/timing/timing.h"

namespace quern::planner {
namespace {

std::string node_name(const CommandGraph& graph, const Plan& plan, int node) {
  if (node < graph.size()) return graph.op_name(node);
  const int pair = (node - graph.size()) / 2;
  return fmt::format("{} {}", (node - graph.size()) % 2 == 0 ? "SPILL_OUT" : "SPILL_IN",
                     graph.buffers[plan.spills[pair].buffer].id);
}

std::string xml(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string chrome_timeline(const CommandGraph& graph, const Machine& machine, const Plan& plan) {
  const PlanTiming timing = time_plan(graph, machine, plan);
  const PlanConstraints constraints(graph, machine, plan);
  nlohmann::json events = nlohmann::json::array();
  events.push_back(
      {{"ph", "M"},
       {"pid", 1},
       {"name", "process_name"},
       {"args", {{"name", graph.name + " on " + machine.name + " (modelled cycles)"}}}});
  for (std::size_t pipe = 0; pipe < machine.pipes.size(); ++pipe) {
    events.push_back({{"ph", "M"},
                      {"pid", 1},
                      {"tid", pipe},
                      {"name", "thread_name"},
                      {"args", {{"name", machine.pipes[pipe]}}}});
  }
  for (int node : plan.order) {
    const int pipe = constraints.pipe_of(node);
    if (pipe < 0) continue;
    nlohmann::json buffers = nlohmann::json::array();
    if (node < graph.size()) {
      for (int buffer : graph.buffers_of[node]) buffers.push_back(graph.buffers[buffer].id);
    }
    events.push_back({{"ph", "X"},
                      {"pid", 1},
                      {"tid", pipe},
                      {"name", node_name(graph, plan, node)},
                      {"ts", timing.start[node]},
                      {"dur", timing.finish[node] - timing.start[node]},
                      {"args", {{"node", node}, {"buffers", buffers}}}});
  }
  // Units held in each tier, at the instants where that changes.
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> changes(machine.tiers.size());
  for (const Residency& stay : timing.residencies) {
    const Buffer& buffer = graph.buffers[stay.buffer];
    changes[buffer.tier].emplace_back(timing.start[stay.acquire], buffer.size);
    changes[buffer.tier].emplace_back(timing.finish[stay.release], -buffer.size);
  }
  for (std::size_t tier = 0; tier < changes.size(); ++tier) {
    std::sort(changes[tier].begin(), changes[tier].end());
    std::int64_t held = 0;
    for (std::size_t i = 0; i < changes[tier].size(); ++i) {
      held += changes[tier][i].second;
      if (i + 1 < changes[tier].size() && changes[tier][i + 1].first == changes[tier][i].first)
        continue;
      events.push_back({{"ph", "C"},
                        {"pid", 1},
                        {"name", machine.tiers[tier].name},
                        {"ts", changes[tier][i].first},
                        {"args", {{"units", held}}}});
    }
  }
  return nlohmann::json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump() + "\n";
}

std::string memory_map_svg(const CommandGraph& graph, const Machine& machine, const Plan& plan) {
  const PlanTiming timing = time_plan(graph, machine, plan);
  constexpr double width = 1600, lane = 200, left = 90, gap = 34;
  const double height = gap + static_cast<double>(machine.tiers.size()) * (lane + gap);
  const double per_cycle = width / static_cast<double>(std::max<std::int64_t>(1, timing.cycles));
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
                 "font-family=\"sans-serif\" font-size=\"12\">\n",
                 width + left + 20, height);
  fmt::format_to(to, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
  fmt::format_to(
      to,
      "<text x=\"{}\" y=\"18\">{} on {}: {} cycles (modelled), {} evictions; time across, "
      "addresses down</text>\n",
      left, xml(graph.name), xml(machine.name), timing.cycles, plan.spills.size());
  for (std::size_t tier = 0; tier < machine.tiers.size(); ++tier) {
    const double top = gap + static_cast<double>(tier) * (lane + gap);
    const double per_unit = lane / static_cast<double>(machine.tiers[tier].capacity);
    fmt::format_to(to, "<text x=\"6\" y=\"{:.1f}\">{} ({})</text>\n", top + 14,
                   xml(machine.tiers[tier].name), machine.tiers[tier].capacity);
    fmt::format_to(to,
                   "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#f2f2f2\" "
                   "stroke=\"#888\"/>\n",
                   left, top, width, lane);
    for (const Residency& stay : timing.residencies) {
      const Buffer& buffer = graph.buffers[stay.buffer];
      if (buffer.tier != static_cast<int>(tier) || buffer.size == 0) continue;
      const std::int64_t begin = timing.start[stay.acquire], end = timing.finish[stay.release];
      fmt::format_to(
          to,
          "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
          "fill=\"hsl({},60%,{}%)\" stroke=\"#444\" stroke-width=\"0.2\"><title>buffer {}: cycles "
          "{}..{}, addresses {}..{}{}</title></rect>\n",
          left + static_cast<double>(begin) * per_cycle,
          top + static_cast<double>(stay.offset) * per_unit,
          std::max(0.2, static_cast<double>(end - begin) * per_cycle),
          static_cast<double>(buffer.size) * per_unit, buffer.id * 137 % 360,
          stay.acquire < graph.size() ? 70 : 50, buffer.id, begin, end, stay.offset,
          stay.offset + buffer.size, stay.acquire < graph.size() ? "" : " (reloaded)");
    }
  }
  out += "</svg>\n";
  return out;
}

}  // namespace quern::planner
