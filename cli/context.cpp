#include "cli/context.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/interrupt.h"

namespace quern::cli {

std::string json_document(std::string_view schema, const Json& body) {
  nlohmann::ordered_json document;
  document["schema"] = schema;
  for (const auto& [key, value] : body.items()) document[key] = value;
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_stderr(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void Context::print_json(std::string_view schema, const Json& body) const {
  set_last_words({});  // they were for the case that there is no other document
  json_printed = true;
  fmt::print("{}", json_document(schema, body));
  std::fflush(stdout);  // main looks whether it went well
}

std::string Context::paint(bool good, std::string text) const {
  const char* no_color = std::getenv("NO_COLOR");  // https://no-color.org: set and not empty
  const bool wanted = color == "always" || (color == "auto" && isatty(STDOUT_FILENO) != 0 &&
                                            (no_color == nullptr || *no_color == '\0'));
  if (!wanted) return text;
  return fmt::format("\033[{}m{}\033[0m", good ? 32 : 31, text);
}

void Context::say(std::string_view message) const {
  if (verbosity >= 0) print_stderr(fmt::format("{}\n", message));
}

namespace {

// A number above 0 and at most `largest`; NaN is neither.
CLI::Validator limit(double largest, const std::string& unit, const std::string& type) {
  return CLI::Validator(
      [=](std::string& text) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && value > 0 && value <= largest) return {};
        return fmt::format("expected {} above 0 and at most {:g}, found {}", unit, largest, text);
      },
      type);
}

}  // namespace

const CLI::Validator time_limit = limit(1e9, "seconds", "SECONDS");
const CLI::Validator memory_limit = limit(1e9, "MiB", "MIB");

void add_shared_options(CLI::App& command, Context& context) {
  command.add_flag("--json", context.json, "Print one JSON document on stdout");
  command.add_flag_callback(
      "-q,--quiet", [&context] { context.verbosity = -1; }, "No messages");
  command.add_flag_callback(
      "-v,--verbose", [&context] { context.verbosity = 1; }, "More messages");
  command.add_option("--color", context.color, "Colours on stdout: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  command.add_option("--results", context.results, "Folder of the journals");
}

CLI::App* add_subcommand(CLI::App& app, Context& context, const std::string& name,
                         const std::string& description, const std::string& example,
                         std::function<ExitCode()> run) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer("Example:\n  " + example);
  add_shared_options(*command, context);
  command->callback([&context, run] { context.exit_code = run(); });
  return command;
}

}  // namespace quern::cli
