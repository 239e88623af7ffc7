// quern: parses the command line, runs one subcommand, turns errors into exit codes.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/interrupt.h"
#include "cli/commands.h"

namespace {

std::filesystem::path environment_path(const char* name, const std::filesystem::path& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::filesystem::path(value) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace quern;
  CLI::App app{"Quern generates, measures and compares GEMM micro-kernels for RISC-V machines."};
  app.require_subcommand(1);
  cli::Context context;
  context.root = environment_path("QUERN_ROOT", QUERN_SOURCE_DIR);
  context.build = environment_path("QUERN_BUILD", context.root / "build");
  context.results = environment_path("QUERN_RESULTS", context.root / "results");

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

  // Ctrl-C is a question that work asks; whatever a child that died of it made of the work, the
  // answer is 130.
  const InterruptGuard guard;
  const auto unless_interrupted = [](int code) {
    return code != 0 && interrupted() ? static_cast<int>(ExitCode::interrupted) : code;
  };
  try {
    const auto commands = app.get_subcommands([](CLI::App*) { return true; });
    if (argc > 1 && argv[1][0] != '-' &&
        std::ranges::none_of(commands, [&](CLI::App* c) { return c->get_name() == argv[1]; })) {
      throw bad_input("unknown command \"{}\"; quern --help lists the commands", argv[1]);
    }
    app.parse(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw bad_input("cannot write to stdout: {}", std::strerror(errno));
    }
    return unless_interrupted(static_cast<int>(context.exit_code));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::bad_input);
  } catch (const Error& error) {
    fmt::print(stderr, "quern: {}\n", interrupted() ? "interrupted" : error.what());
    return unless_interrupted(static_cast<int>(error.code()));
  } catch (const std::exception& error) {
    fmt::print(stderr, "quern: internal error, please report it: {}\n", error.what());
    return static_cast<int>(ExitCode::check_failed);
  }
}
