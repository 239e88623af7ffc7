#include "planner/model/machine.h"

#include <set>

#include "base/error.h"
#include "base/json_file.h"

namespace quern::planner {

int Machine::find_tier(std::string_view tier) const {
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    if (tiers[i].name == tier) return static_cast<int>(i);
  }
  return -1;
}

int Machine::find_pipe(std::string_view pipe) const {
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    if (pipes[i] == pipe) return static_cast<int>(i);
  }
  return -1;
}

Machine read_machine(const std::filesystem::path& path, const std::filesystem::path& schema) {
  const Json json = read_json(path);
  validate_json(json, read_json(schema), path.string());
  Machine machine;
  machine.name = json["name"];
  std::set<std::string> seen;
  for (const Json& item : json["tiers"]) {
    Tier tier;
    tier.name = item["name"];
    tier.capacity = item["capacity"];
    tier.counts_in_peak = item.value("counts_in_peak", true);
    tier.peak_live_limit = item.value("peak_live_limit", 0);
    if (!seen.insert(tier.name).second) {
      throw bad_input("{}: /tiers/{}/name: \"{}\" is given twice", path.string(),
                      machine.tiers.size(), tier.name);
    }
    machine.tiers.push_back(std::move(tier));
  }
  for (const Json& item : json["pipes"]) {
    if (machine.find_pipe(item.get<std::string>()) >= 0) {
      throw bad_input("{}: /pipes/{}: \"{}\" is given twice", path.string(), machine.pipes.size(),
                      item.get<std::string>());
    }
    machine.pipes.push_back(item);
  }
  const Json& transfer = json["transfer"];
  const auto pipe_of = [&](const char* key) {
    const std::string pipe = transfer[key];
    const int index = machine.find_pipe(pipe);
    if (index < 0) {
      throw bad_input("{}: /transfer/{}: \"{}\" is not one of /pipes", path.string(), key, pipe);
    }
    return index;
  };
  machine.transfer.out_pipe = pipe_of("out_pipe");
  machine.transfer.in_pipe = pipe_of("in_pipe");
  machine.transfer.fixed_cycles = transfer["fixed_cycles"];
  machine.transfer.cycles_per_unit = transfer["cycles_per_unit"];
  for (const Json& op : transfer["backed_by"]) machine.transfer.backed_by.push_back(op);
  return machine;
}

}  // namespace quern::planner
