// The subcommands, one file each (cli/<name>_command.cpp); main.cpp lists them in the order of
// --help.
#pragma once

#include "cli/context.h"

namespace quern::cli {}  // namespace quern::cli
