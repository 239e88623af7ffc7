// quern run: any program for a board, through the board's transport and under its timing.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "base/interrupt.h"
#include "boards/session.h"
#include "cli/commands.h"

namespace quern::cli {
namespace {

struct Options {
  std::string board, via, simulator, program;
  std::vector<std::string> arguments, environment;
  double time_limit = 0;
  double memory_limit = 0;
  boards::Session::Detail detail;
};

Json optional_number(const std::optional<std::uint64_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// What the user should see as the exit code: how the program itself ended where it did.
ExitCode exit_code(const boards::RunResult& result) {
  switch (result.outcome) {
    case boards::Outcome::ok:
      return ExitCode::good;
    case boards::Outcome::interrupted:
      return ExitCode::interrupted;
    case boards::Outcome::unavailable:
      return ExitCode::unavailable;
    case boards::Outcome::timeout:
      return ExitCode::budget_ended;
    default:
      return ExitCode::check_failed;
  }
}

// The causes that took most of a function's cycles: "dram 61%, vector-result 12%".
std::string main_stalls(const Json& function) {
  std::vector<std::pair<std::uint64_t, std::string>> causes;
  for (const auto& [name, cycles] : function["stalls"].items())
    causes.emplace_back(cycles.get<std::uint64_t>(), name);
  std::sort(causes.rbegin(), causes.rend());
  std::string text;
  const auto all = static_cast<double>(function["cycles"].get<std::uint64_t>());
  for (std::size_t i = 0; i < std::min<std::size_t>(causes.size(), 3); ++i) {
    const double share = static_cast<double>(causes[i].first) / all;
    if (share < 0.01) break;
    text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", causes[i].second, 100 * share);
  }
  return text;
}

// The name of a function where space is short: templates have names of thousands of letters, of
// which the last ones tell them apart.
std::string fitted(const std::string& name) {
  constexpr std::size_t longest = 64, first = 20;
  if (name.size() <= longest) return name;
  const auto inside_letter = [&](std::size_t at) { return (name[at] & 0xc0) == 0x80; };  // UTF-8
  std::size_t cut = first, on = name.size() - (longest - first - 3);
  while (cut > 0 && inside_letter(cut)) --cut;
  while (on < name.size() && inside_letter(on)) ++on;
  return name.substr(0, cut) + "..." + name.substr(on);
}

void print_functions(const Json& functions) {
  std::size_t width = 32;
  for (const Json& function : functions)
    width = std::max(width, fitted(function["name"].get<std::string>()).size());
  print_stderr(fmt::format("{:>14} {:>14} {:>10} {:>10}  {:<{}} {}\n", "cycles", "instructions",
                           "L1 misses", "L2 misses", "function", width,
                           "waits for (share of its cycles)"));
  for (const Json& function : functions)
    print_stderr(fmt::format(
        "{:>14} {:>14} {:>10} {:>10}  {:<{}} {}\n", function["cycles"].get<std::uint64_t>(),
        function["instructions"].get<std::uint64_t>(), function["l1_misses"].get<std::uint64_t>(),
        function["l2_misses"].get<std::uint64_t>(), fitted(function["name"].get<std::string>()),
        width, main_stalls(function)));
}

ExitCode run(Context& context, const Options& options) {
  const InterruptGuard guard;
  boards::Session session(boards::load_board(context.root, options.board), options.via,
                          options.simulator);
  if ((options.detail.functions || options.detail.shared_l2) &&
      session.timing() != boards::Timing::modelled) {
    throw bad_input("{}: asks the timing model, but figures under {} are {}",
                    options.detail.functions ? "--functions" : "--shared-l2", session.via(),
                    boards::to_string(session.timing()));
  }
  boards::Program program{options.program, options.arguments};
  for (const std::string& setting : options.environment) {
    const auto equal = setting.find('=');
    if (equal == std::string::npos || equal == 0)
      throw bad_input("--env {}: expected NAME=VALUE", setting);
    program.environment[setting.substr(0, equal)] = setting.substr(equal + 1);
  }
  if (options.time_limit > 0) {
    program.time_limit =
        std::chrono::milliseconds(static_cast<std::int64_t>(options.time_limit * 1e3));
  }
  if (options.memory_limit > 0) {
    program.memory_limit = static_cast<std::uint64_t>(options.memory_limit * (1 << 20));
  }
  const boards::TimedRun run = session.run(program, options.detail);
  const boards::RunResult& result = run.result;
  const double clock = session.board().clock_hz;
  const Json seconds = run.cycles ? Json(static_cast<double>(*run.cycles) / clock)
                       : session.timing() == boards::Timing::measured ? Json(result.host_seconds)
                                                                      : Json(nullptr);
  if (context.json) {
    Json unknown = run.report.is_null() ? Json::array() : run.report["unknown"];
    context.print_json("quern.run.v1",
                       {{"board", session.board().name},
                        {"via", session.via()},
                        {"exit", result.outcome == boards::Outcome::ok ? 0 : result.status},
                        {"outcome", boards::to_string(result.outcome)},
                        {"reason", result.reason},
                        {"timing", boards::to_string(session.timing())},
                        {"cycles", optional_number(run.cycles)},
                        {"instructions", optional_number(run.instructions)},
                        {"seconds", seconds},
                        {"host_seconds", result.host_seconds},
                        {"stdout", result.output},
                        {"stderr", result.errors},
                        {"unknown_instructions", optional_number(run.unknown_instructions)},
                        {"unknown", unknown},
                        {"report", run.report}});
  } else {
    std::fwrite(result.output.data(), 1, result.output.size(), stdout);
    std::fwrite(result.errors.data(), 1, result.errors.size(), stderr);
    if (result.outcome != boards::Outcome::ok) {
      print_stderr(
          fmt::format("quern: {}: {}\n", boards::to_string(result.outcome), result.reason));
    }
    if (!result.untimed.empty()) context.say(result.untimed);
    if (run.cycles) {
      const std::string instructions =
          run.instructions ? fmt::format(", {} instructions", *run.instructions) : "";
      context.say(fmt::format("{} on {}: {} cycles ({}){}, {:.6f} s at {:.2f} GHz", options.program,
                              session.board().name, *run.cycles,
                              boards::to_string(session.timing()), instructions,
                              static_cast<double>(*run.cycles) / clock, clock / 1e9));
      if (run.unknown_instructions.value_or(0) > 0) {
        std::string names;
        for (const Json& unknown : run.report["unknown"]) {
          names += fmt::format(" {} ({})", unknown["name"].get<std::string>(),
                               unknown["count"].get<std::uint64_t>());
        }
        context.say(fmt::format("{} executed instructions are unknown to the timing model:{}",
                                *run.unknown_instructions, names));
      }
    }
    if (options.detail.functions && !run.report.is_null()) {
      print_functions(run.report["functions"]);
    }
  }
  return exit_code(result);
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command =
      add_subcommand(app, context, "run", "Run a program on a board, under the board's timing",
                     "quern run --board bpi-f3 ./a.out 1000",
                     [options, &context] { return run(context, *options); });
  command->add_option("--board", options->board, "Board name or board file")->required();
  command->add_option("--via", options->via,
                      "How to reach the board (default: as the board file says)");
  command->add_option("--simulator", options->simulator,
                      "The command of an external Snitch simulator (via simulator)");
  command->add_option("--time-limit", options->time_limit, "Seconds, of this host's clock")
      ->check(time_limit);
  command
      ->add_option("--memory-limit", options->memory_limit,
                   "MiB that the program may map, beside the 512 that the emulator needs")
      ->check(memory_limit);
  command
      ->add_option("--env", options->environment,
                   "NAME=VALUE for the program, which gets nothing of this shell's environment")
      ->allow_extra_args(false);
  command->add_flag("--functions", options->detail.functions,
                    "Cycles, misses and stalls by function (modelled)");
  command->add_flag("--shared-l2", options->detail.shared_l2,
                    "The program's threads share one L2 and DRAM (modelled; figures then depend "
                    "on the host's scheduling)");
  command->add_option("program", options->program, "Program for the board")->required();
  command->add_option("arguments", options->arguments, "Its arguments");
  command->prefix_command();
  command->positionals_at_end();
}

}  // namespace quern::cli
