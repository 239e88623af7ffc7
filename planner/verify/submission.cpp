#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/file.h"
#include "planner/verify/verifier.h"

namespace quern::planner::verify {
namespace {

bool read_integer(std::string_view text, std::int64_t& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && !text.empty();
}

// What a message may show of a line that may be anything.
std::string shown(std::string_view line) {
  std::string text;
  for (char c : line.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
  return line.size() > 40 ? text + "..." : text;
}

// Calls `take(line number, text)` for every line that is not blank.
template <class Take>
void for_each_line(const std::string& bytes, Take take) {
  int number = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t end = bytes.find('\n', at);
    if (end == std::string::npos) end = bytes.size();
    std::string_view line(bytes.data() + at, end - at);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    ++number;
    if (!line.empty()) take(number, line);
    at = end + 1;
  }
}

std::vector<Submission::Place> read_places(const std::filesystem::path& path) {
  std::vector<Submission::Place> places;
  for_each_line(read_file(path), [&](int number, std::string_view line) {
    const auto colon = line.find(':');
    Submission::Place place;
    place.line = number;
    if (colon == std::string_view::npos || !read_integer(line.substr(0, colon), place.buffer) ||
        !read_integer(line.substr(colon + 1), place.offset)) {
      throw bad_input("{}:{}: expected BufId:Offset, found \"{}\"", path.string(), number,
                      shown(line));
    }
    places.push_back(place);
  });
  return places;
}

}  // namespace

Submission as_submission(const CommandGraph& graph, const Plan& plan) {
  Submission submission;
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

Submission read_submission(const std::filesystem::path& folder, const std::string& case_name) {
  Submission submission;
  const auto schedule = folder / (case_name + "_schedule.txt");
  submission.where = schedule.string();
  for_each_line(read_file(schedule), [&](int number, std::string_view line) {
    std::int64_t id = 0;
    if (!read_integer(line, id)) {
      throw bad_input("{}:{}: expected one node id, found \"{}\"", schedule.string(), number,
                      shown(line));
    }
    submission.schedule.push_back(id);
  });
  const auto memory = folder / (case_name + "_memory.txt");
  const auto spill = folder / (case_name + "_spill.txt");
  submission.has_memory = std::filesystem::exists(memory);
  if (submission.has_memory) submission.memory = read_places(memory);
  if (std::filesystem::exists(spill)) {
    if (!submission.has_memory) {
      throw bad_input("{}: there is a spill file but no {}", spill.string(), memory.string());
    }
    submission.spills = read_places(spill);
  } else if (submission.has_memory) {
    throw bad_input("{}: there is a memory file but no {}", memory.string(), spill.string());
  }
  return submission;
}

}  // namespace quern::planner::verify
