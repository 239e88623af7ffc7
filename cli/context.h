// What every subcommand shares: where things are, how to print, and the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/error.h"
#include "base/json_file.h"

namespace quern::cli {

struct Context {
  std::filesystem::path root;     // the checkout: boards/, gemm/, kernels/ ...
  std::filesystem::path build;    // compiled kernels, simulators; safe to delete
  std::filesystem::path results;  // journals, one a board
  bool json = false;              // exactly one JSON document on stdout
  int verbosity = 0;              // -1 quiet, 0 normal, 1 or more talkative
  std::string color = "auto";     // auto: on a terminal, unless NO_COLOR is set
  ExitCode exit_code = ExitCode::good;
  mutable bool json_printed = false;  // by print_json

  // Prints the one JSON document of a --json run, with its "schema" first ("quern.<command>.v1").
  void print_json(std::string_view schema, const Json& body) const;
  // `text` in green (good) or red for stdout, or as it is where colour is not wanted.
  std::string paint(bool good, std::string text) const;
  // A message on stderr, unless -q.
  void say(std::string_view message) const;
};

// Checks a time limit in seconds: more than nothing, and no more than 30 years.
extern const CLI::Validator time_limit;

// Checks a memory limit in MiB: more than nothing, and no more than a petabyte.
extern const CLI::Validator memory_limit;

// Text for stderr. One that is closed or full loses it, and that is all.
void print_stderr(std::string_view text);

// What Context::print_json prints.
std::string json_document(std::string_view schema, const Json& body);

// The flags that all subcommands share: --json, -q, -v, --color, --results.
void add_shared_options(CLI::App& command, Context& context);

// Adds a subcommand with the shared flags and an example below its help. `run` is called after
// parsing; its value is the process's exit code.
CLI::App* add_subcommand(CLI::App& app, Context& context, const std::string& name,
                         const std::string& description, const std::string& example,
                         std::function<ExitCode()> run);

}  // namespace quern::cli
