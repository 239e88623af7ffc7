// quern: parses the command line, runs one subcommand, turns errors into exit codes.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/interrupt.h"
#include "cli/commands.h"
#include "cli/ending.h"

namespace quern::cli {
namespace {

std::filesystem::path environment_path(const char* name, const std::filesystem::path& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::filesystem::path(value) : otherwise;
}

// Without it the next file that is opened, a journal say, would be number 1, and what is printed
// would go there. A missing stdout refuses to be written to, a missing stderr takes all.
void open_standard_streams() {
  const int modes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int number = 0; number < 3; ++number) {
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", modes[number]) < 0) std::abort();
  }
}

Ending stdout_failure(const std::string& reason) {
  return {ExitCode::bad_input, "cannot write to stdout: " + reason, "", true};
}

// Parses and runs; usage errors, help and the version come from CLI11 as exceptions.
Ending run(CLI::App& app, const Context& context, int argc, char** argv) {
  try {
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    if (argc > 1 && argv[1][0] != '-' &&
        std::ranges::none_of(commands, [&](CLI::App* c) { return c->get_name() == argv[1]; })) {
      throw bad_input("unknown command \"{}\"; quern --help lists the commands", argv[1]);
    }
    app.parse(argc, argv);
    return {context.exit_code};
  } catch (const CLI::CallForVersion& version) {
    if (json_wanted(app, argc, argv)) {
      context.print_json("quern.version.v1", {{"version", QUERN_VERSION}});
    } else {
      fmt::print("{}\n", version.what());
    }
    return {};
  } catch (const CLI::Success& help) {
    app.exit(help);
    return {};
  } catch (const CLI::ParseError& error) {
    const CLI::App* command = &app;
    std::string name = "quern";
    while (!command->get_subcommands().empty()) {
      command = command->get_subcommands().front();
      name += " " + command->get_name();
    }
    return {ExitCode::bad_input, fmt::format("{} (see {} --help)", error.what(), name)};
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::filesystem::filesystem_error& error) {
    // A name that the system takes for none (too long, a loop of links) or a folder it keeps shut.
    return {ExitCode::bad_input,
            fmt::format("{}: {}", error.path1().string(), error.code().message())};
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return stdout_failure(error.code().message());
    return {ExitCode::check_failed, error.what(), "internal"};
  } catch (const std::exception& error) {
    return {ExitCode::check_failed, error.what(), "internal"};
  }
}

// Says what there is to say, and gives the exit code.
int end(const Context& context, Ending ending, bool json) {
  // Whatever a child that died of Ctrl-C made of the work, the answer is 130.
  const bool stopped = interrupted() && ending.code != ExitCode::good;
  if (stopped) ending.code = ExitCode::interrupted;
  if (stopped && !ending.message.empty()) ending = {ExitCode::interrupted, "interrupted"};
  if (!ending.message.empty()) {
    print_stderr(fmt::format("quern: {}{}\n",
                             ending.kind == "internal" ? "internal error, please report it: " : "",
                             ending.message));
  }
  const int code = static_cast<int>(ending.code);
  if (ending.stdout_failed) return code;
  try {
    if (json && code != 0 && !context.json_printed) {
      if (ending.message.empty()) ending.message = stopped ? "interrupted" : "no result";
      context.print_json("quern.error.v1", error_body(ending));
    }
  } catch (const std::system_error&) {
    // Seen below.
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    const Ending unsaid = stdout_failure(std::strerror(errno));
    print_stderr(fmt::format("quern: {}\n", unsaid.message));
    return code != 0 ? code : static_cast<int>(unsaid.code);
  }
  return code;
}

}  // namespace
}  // namespace quern::cli

int main(int argc, char** argv) {
  using namespace quern;
  cli::open_standard_streams();
  CLI::App app{"Quern generates, measures and compares GEMM micro-kernels for RISC-V machines."};
  app.require_subcommand(1);
  app.set_version_flag("--version", "quern " QUERN_VERSION, "Print the version and end");
  cli::Context context;
  context.root = cli::environment_path("QUERN_ROOT", QUERN_SOURCE_DIR);
  context.build = cli::environment_path("QUERN_BUILD", context.root / "build");
  context.results = cli::environment_path("QUERN_RESULTS", context.root / "results");

  cli::add_doctor(app, context);
  cli::add_board(app, context);
  cli::add_run(app, context);
  cli::add_space(app, context);
  cli::add_generate(app, context);
  cli::add_predict(app, context);
  cli::add_calibrate(app, context);
  cli::add_validate_model(app, context);
  cli::add_bench(app, context);
  cli::add_compare(app, context);
  cli::add_alloc(app, context);
  cli::add_plan(app, context);
  cli::add_ablate(app, context);

  // Ctrl-C is a question that work asks.
  const InterruptGuard guard;
  const bool json = cli::json_wanted(app, argc, argv);
  if (json) {
    const auto body = cli::error_body({ExitCode::interrupted, "interrupted"});
    set_last_words(cli::json_document("quern.error.v1", body));
  }
  return cli::end(context, cli::run(app, context, argc, argv), json);
}
