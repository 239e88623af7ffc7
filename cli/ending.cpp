#include "cli/ending.h"

#include <filesystem>
#include <regex>

namespace quern::cli {
namespace {

const char* kind_of(ExitCode code) {
  switch (code) {
    case ExitCode::good:
      return "good";
    case ExitCode::check_failed:
      return "check_failed";
    case ExitCode::bad_input:
      return "bad_input";
    case ExitCode::nothing_valid:
      return "nothing_valid";
    case ExitCode::unavailable:
      return "unavailable";
    case ExitCode::tool_missing:
      return "tool_missing";
    case ExitCode::locked:
      return "locked";
    case ExitCode::budget_ended:
      return "budget_ended";
    case ExitCode::interrupted:
      return "interrupted";
  }
  return "internal";
}

// "x.json: cannot read: ..." names a file, "--mr: 1 required ..." does not.
bool names_file(const std::string& name, const std::string& fault) {
  if (name.starts_with('-')) return false;
  std::error_code ignored;
  return name.find('/') != std::string::npos || fault.starts_with("cannot ") ||
         std::filesystem::exists(name, ignored);
}

void add_place(const std::string& message, Json& error) {
  const std::string line = message.substr(0, message.find('\n')).substr(0, 4096);
  static const std::regex numbered(R"((.+?):(\d{1,18})(?::(\d{1,18}))?: .*)");
  static const std::regex pointed(R"((.+?): (/[^ ]*): .*)");
  static const std::regex named(R"((.+?): (.*))");
  std::smatch part;
  if (std::regex_match(line, part, numbered)) {
    error["file"] = part[1];
    error["line"] = std::stoll(part[2]);
    if (part[3].matched) error["column"] = std::stoll(part[3]);
  } else if (std::regex_match(line, part, pointed)) {
    error["file"] = part[1];
    error["pointer"] = part[2] == "/" ? "" : part[2].str();  // "": the whole document (RFC 6901)
  } else if (std::regex_match(line, part, named) && names_file(part[1], part[2])) {
    error["file"] = part[1];
  }
}

}  // namespace

Json error_body(const Ending& ending) {
  Json error = {{"exit", static_cast<int>(ending.code)},
                {"kind", ending.kind.empty() ? kind_of(ending.code) : ending.kind},
                {"message", ending.message}};
  add_place(ending.message, error);
  return {{"error", error}};
}

bool json_wanted(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json") return true;
    if (word == "--") return false;
    if (word.starts_with('-') && word != "-") {
      const CLI::Option* option = command->get_option_no_throw(word);
      if (option != nullptr && option->get_items_expected_min() > 0) ++i;  // its value
      continue;
    }
    const auto commands =
        command->get_subcommands([&](const CLI::App* c) { return c->get_name() == word; });
    if (!commands.empty()) {
      command = commands.front();
    } else if (command->get_prefix_command()) {
      return false;
    }
  }
  return false;
}

}  // namespace quern::cli
