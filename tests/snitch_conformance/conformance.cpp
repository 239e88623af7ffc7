#include "tests/snitch_conformance/conformance.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "boards/snitch/harness/machine.h"
#include "boards/snitch/harness/test_program.h"

namespace quern::snitch {
namespace {

const std::filesystem::path folder =
    std::filesystem::path(QUERN_SOURCE_DIR) / "tests/snitch_conformance";

}  // namespace

Measured measure(const std::string& name) {
  Measured m;
  try {
    const ElfImage image = assemble_files(
        {folder / "crt0.S", folder / "main.S", folder / "util.S", folder / (name + ".S")}, folder,
        folder / "link.ld");
    RunOptions options;
    options.max_cycles = 2'000'000;
    const RunResult r = make_single_core()->run(image, options);
    if (r.end != RunEnd::exited || r.code != 0) m.problem = r.message;
    std::istringstream line(r.console);
    std::string word;
    if (!(line >> word >> m.cold >> m.warm >> m.checksum) || word != "RESULT")
      m.problem = "no RESULT line: " + r.console + r.message;
  } catch (const std::exception& e) {
    m.problem = e.what();
  }
  return m;
}

const Json& expected() {
  static const Json table = read_json(folder / "expected.json").at("tests");
  return table;
}

std::string hexadecimal(std::uint32_t checksum) { return fmt::format("0x{:08x}", checksum); }

}  // namespace quern::snitch
