#include "boards/snitch/harness/test_program.h"

#include <stdlib.h>

#include <fstream>

#include "base/error.h"
#include "base/process.h"

namespace quern::snitch {
namespace {

// A folder that is gone when the object is.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "quern-snitch-XXXXXX").string();
    QUERN_CHECK(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

}  // namespace

std::vector<std::string> assembler_command() {
  return {"riscv64-unknown-elf-gcc",
          "-march=rv32imafd_zicsr_zifencei",
          "-mabi=ilp32d",
          "-nostdlib",
          "-nostartfiles",
          "-static",
          "-Wl,--no-relax",
          "-Wl,--build-id=none"};
}

ElfImage assemble_files(const std::vector<std::filesystem::path>& sources,
                        const std::filesystem::path& include, const std::filesystem::path& script) {
  const TemporaryFolder folder;
  auto command = assembler_command();
  command.insert(command.end(), {"-I", include.string(), "-T", script.string()});
  for (const auto& source : sources) command.push_back(source.string());
  const auto program = folder.path / "program.elf";
  command.insert(command.end(), {"-o", program.string()});
  const ProcessResult result = run_process(command);
  if (!result.good())
    throw make_error(ExitCode::check_failed, "{}\n{}", shell_quoted(command), result.errors);
  return read_elf(program);
}

ElfImage assemble_program(const std::string& text) {
  const TemporaryFolder folder;
  const auto source = folder.path / "program.S";
  std::ofstream(source) << text;
  const std::filesystem::path root = QUERN_SOURCE_DIR;
  return assemble_files({root / "boards/snitch/runtime/crt0.S", source},
                        root / "tests/snitch_conformance",  // the instruction macros
                        root / "boards/snitch/runtime/link.ld");
}

}  // namespace quern::snitch
