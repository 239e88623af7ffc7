#include "planner/output/result_files.h"

#include <iterator>

#include "base/error.h"
#include "base/file.h"

namespace quern::planner {

const char* problem_folder(Objective objective) {
  switch (objective) {
    case Objective::peak:
      return "Problem1";
    case Objective::traffic:
      return "Problem2";
    case Objective::cycles:
      break;
  }
  return "Problem3";
}

std::vector<std::filesystem::path> write_result_files(const CommandGraph& graph, const Plan& plan,
                                                      const std::filesystem::path& folder) {
  std::string schedule, memory, spill;
  for (int node : plan.order) fmt::format_to(std::back_inserter(schedule), "{}\n", node);
  for (std::size_t b = 0; b < plan.offsets.size(); ++b) {
    fmt::format_to(std::back_inserter(memory), "{}:{}\n", graph.buffers[b].id, plan.offsets[b]);
  }
  for (const Spill& pair : plan.spills) {
    fmt::format_to(std::back_inserter(spill), "{}:{}\n", graph.buffers[pair.buffer].id,
                   pair.offset);
  }
  const auto schedule_file = folder / (graph.name + "_schedule.txt");
  const auto memory_file = folder / (graph.name + "_memory.txt");
  const auto spill_file = folder / (graph.name + "_spill.txt");
  std::error_code ignored;
  std::filesystem::remove(schedule_file, ignored);
  std::vector<std::filesystem::path> files{schedule_file};
  if (plan.has_memory()) {
    write_file(memory_file, memory);
    write_file(spill_file, spill);
    files.push_back(memory_file);
    files.push_back(spill_file);
  } else {
    std::filesystem::remove(memory_file, ignored);
    std::filesystem::remove(spill_file, ignored);
  }
  write_file(schedule_file, schedule);
  return files;
}

}  // namespace quern::planner
