// quern doctor: what is installed, what is missing, how to get it.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "boards/toolchain/doctor.h"
#include "boards/transports/qemu.h"
#include "cli/commands.h"

namespace quern::cli {
namespace {

void print_table(const std::vector<boards::Check>& checks) {
  std::size_t name_width = 0, found_width = 0;
  for (const auto& check : checks) {
    name_width = std::max(name_width, check.name.size());
    // Long ones (paths, error messages) may stand out.
    if (check.found.size() <= 40) found_width = std::max(found_width, check.found.size());
  }
  for (const auto& check : checks) {
    const char* state = check.ok ? "ok" : check.required ? "MISSING" : "optional";
    fmt::print("{:<8}  {:<{}}  {:<{}}  {}\n", state, check.name, name_width, check.found,
               found_width, check.needed);
    if (!check.ok) fmt::print("{:<8}  {:<{}}  fix: {}\n", "", "", name_width, check.fix);
  }
  fmt::print("\nParts can be supplied by hand:\n");
  for (const auto& variable : boards::variables()) {
    const char* value = std::getenv(variable.name.c_str());
    fmt::print("  {:<16}  {}{}\n", variable.name, variable.meaning,
               value != nullptr && *value != '\0' ? fmt::format("; now {}", value) : "");
  }
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  add_subcommand(
      app, context, "doctor", "Check what is installed, what is missing and how to get it",
      "quern doctor", [&context] {
        const auto checks = boards::check_machine(boards::find_toolchain(context.build),
                                                  boards::memory_watch_plugin());
        if (context.json) {
          Json list = Json::array();
          for (const auto& check : checks) {
            list.push_back({{"name", check.name},
                            {"ok", check.ok},
                            {"required", check.required},
                            {"found", check.found},
                            {"needed", check.needed},
                            {"fix", check.fix}});
          }
          context.print_json("quern.doctor.v1", {{"checks", list}});
        } else {
          print_table(checks);
        }
        const bool well = std::all_of(checks.begin(), checks.end(), [](const auto& check) {
          return check.ok || !check.required;
        });
        return well ? ExitCode::good : ExitCode::tool_missing;
      });
}

}  // namespace quern::cli
