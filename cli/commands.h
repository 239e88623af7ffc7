// The subcommands, one file each (cli/<name>_command.cpp); main.cpp lists them in the order of
// --help.
#pragma once

#include "cli/context.h"

namespace quern::cli {

void add_doctor(CLI::App& app, Context& context);
void add_board(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_space(CLI::App& app, Context& context);
void add_generate(CLI::App& app, Context& context);
void add_predict(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_validate_model(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_compare(CLI::App& app, Context& context);
void add_alloc(CLI::App& app, Context& context);
void add_plan(CLI::App& app, Context& context);
// Below `quern plan`; sets `chosen` when the command line asks for it.
void add_plan_verify(CLI::App& plan, Context& context, std::function<ExitCode()>& chosen);
void add_ablate(CLI::App& app, Context& context);

}  // namespace quern::cli
