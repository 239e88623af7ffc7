#include "tuner/record.h"

#include <algorithm>
#include <ctime>

#include "base/statistics.h"

namespace quern::tuner {
namespace {

constexpr std::pair<Outcome, std::string_view> outcome_words[] = {
    {Outcome::ok, "ok"},
    {Outcome::compile_failed, "compile_failed"},
    {Outcome::compile_timeout, "compile_timeout"},
    {Outcome::poor_code, "poor_code"},
    {Outcome::wrong_result, "wrong_result"},
    {Outcome::illegal_instruction, "illegal_instruction"},
    {Outcome::crash, "crash"},
    {Outcome::timeout, "timeout"},
    {Outcome::out_of_memory, "out_of_memory"},
    {Outcome::board_lost, "board_lost"},
    {Outcome::interrupted, "interrupted"},
};

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T>
std::optional<T> optional_at(const Json& json, const char* key) {
  const auto at = json.find(key);
  if (at == json.end() || at->is_null()) return std::nullopt;
  return at->get<T>();
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  for (const auto& [value, word] : outcome_words) {
    if (value == outcome) return word;
  }
  return "?";
}

Outcome parse_outcome(std::string_view word) {
  for (const auto& [value, name] : outcome_words) {
    if (name == word) return value;
  }
  throw bad_input("\"{}\" is no outcome of a record", word);
}

Outcome outcome_of(const boards::RunResult& result) {
  switch (result.outcome) {
    case boards::Outcome::ok:
      return Outcome::ok;
    case boards::Outcome::nonzero_exit:
    case boards::Outcome::crash:
      return Outcome::crash;
    case boards::Outcome::illegal_instruction:
      return Outcome::illegal_instruction;
    case boards::Outcome::timeout:
      return Outcome::timeout;
    case boards::Outcome::out_of_memory:
      return Outcome::out_of_memory;
    case boards::Outcome::interrupted:
      return Outcome::interrupted;
    case boards::Outcome::unavailable:
      return Outcome::board_lost;
  }
  return Outcome::board_lost;
}

ExitCode exit_code(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return ExitCode::good;
    case Outcome::interrupted:
      return ExitCode::interrupted;
    case Outcome::timeout:
      return ExitCode::budget_ended;
    case Outcome::board_lost:
      return ExitCode::unavailable;
    default:
      return ExitCode::check_failed;
  }
}

Json to_json(const Record& r) {
  return {{"schema", "quern.record.v1"},
          {"time", r.time},
          {"board", r.board},
          {"via", r.via},
          {"timing", r.timing},
          {"what", r.what},
          {"id", r.id},
          {"who", r.who},
          {"dtype", r.dtype},
          {"m", r.m},
          {"n", r.n},
          {"k", r.k},
          {"trans", r.trans},
          {"m_c", r.m_c},
          {"n_c", r.n_c},
          {"k_c", r.k_c},
          {"outcome", to_string(r.outcome)},
          {"reason", r.reason},
          {"cycles", r.cycles},
          {"seconds", r.seconds},
          {"instructions", or_null(r.instructions)},
          {"unknown_instructions", or_null(r.unknown_instructions)},
          {"max_error", or_null(r.max_error)},
          {"gflops", or_null(r.gflops)},
          {"peak_fraction", or_null(r.peak_fraction)},
          {"fpu_occupancy", or_null(r.fpu_occupancy)},
          {"versions", r.versions}};
}

Record record_from_json(const Json& json, const std::string& name) {
  try {
    Record r;
    if (json.at("schema") != "quern.record.v1") {
      throw bad_input("{}: schema {}: expected quern.record.v1", name, json.at("schema").dump());
    }
    r.time = json.at("time");
    r.board = json.at("board");
    r.via = json.at("via");
    r.timing = json.at("timing");
    r.what = json.at("what");
    r.id = json.at("id");
    r.who = json.at("who");
    r.dtype = json.at("dtype");
    r.m = json.at("m");
    r.n = json.at("n");
    r.k = json.at("k");
    r.trans = json.at("trans");
    r.m_c = json.at("m_c");
    r.n_c = json.at("n_c");
    r.k_c = json.at("k_c");
    r.outcome = parse_outcome(json.at("outcome").get<std::string>());
    r.reason = json.at("reason");
    r.cycles = json.at("cycles").get<std::vector<double>>();
    r.seconds = json.at("seconds").get<std::vector<double>>();
    r.instructions = optional_at<double>(json, "instructions");
    r.unknown_instructions = optional_at<std::uint64_t>(json, "unknown_instructions");
    r.max_error = optional_at<double>(json, "max_error");
    r.gflops = optional_at<double>(json, "gflops");
    r.peak_fraction = optional_at<double>(json, "peak_fraction");
    r.fpu_occupancy = optional_at<double>(json, "fpu_occupancy");
    r.versions = json.at("versions");
    return r;
  } catch (const Json::exception& error) {
    throw bad_input("{}: not a record: {}", name, error.what());
  }
}

void rate(Record& r, double clock_hz, double peak_gflops, int operations_each) {
  const double operations = operations_each * static_cast<double>(r.m) * static_cast<double>(r.n) *
                            static_cast<double>(r.k);
  if (operations == 0) return;
  double seconds = 0;
  if (!r.cycles.empty()) {
    seconds = median(r.cycles) / clock_hz;
  } else if (!r.seconds.empty()) {
    seconds = median(r.seconds);
  }
  if (seconds <= 0) return;
  r.gflops = operations / seconds / 1e9;
  if (peak_gflops > 0) r.peak_fraction = *r.gflops / peak_gflops;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace quern::tuner
