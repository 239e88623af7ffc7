#include "bench/snitch/assembler.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"

namespace quern::bench::snitch {
namespace {

constexpr const char* kAssembler = "riscv64-unknown-elf-gcc";
constexpr std::chrono::minutes kTimeLimit{5};  // a kernel takes well under a second

const std::vector<std::string> kFlags = {"-march=rv32imafd_zicsr_zifencei",
                                         "-mabi=ilp32d",
                                         "-nostdlib",
                                         "-nostartfiles",
                                         "-static",
                                         "-Wl,--no-relax",
                                         "-Wl,--build-id=none"};

ProcessResult run_assembler(std::vector<std::string> arguments) {
  if (!find_program(kAssembler)) {
    throw make_error(ExitCode::tool_missing,
                     "{}: not found; install the Debian package gcc-riscv64-unknown-elf",
                     kAssembler);
  }
  arguments.insert(arguments.begin(), kAssembler);
  ProcessOptions options;
  options.time_limit = kTimeLimit;
  return run_process(arguments, options);
}

}  // namespace

std::string assembler_version() {
  const ProcessResult told = run_assembler({"--version"});
  if (told.end == ProcessEnd::interrupted) throw make_error(ExitCode::interrupted, "interrupted");
  if (!told.good()) {
    throw make_error(ExitCode::tool_missing, "{} --version fails: {}", kAssembler, told.errors);
  }
  return told.output.substr(0, told.output.find('\n'));
}

std::string assembler_flags() { return fmt::format("{}", fmt::join(kFlags, " ")); }

boards::Compiled assemble(const std::string& name, const std::string& text,
                          const std::filesystem::path& root, const std::filesystem::path& build) {
  const std::filesystem::path source = build / (name + ".S"), elf = build / (name + ".elf");
  write_file(source, text);
  // Beside its place and renamed: of two that build the same program none runs half a file.
  const std::filesystem::path temporary = build / fmt::format("{}.{}.elf", name, getpid());
  std::vector<std::string> arguments = kFlags;
  arguments.insert(arguments.end(), {"-T", (root / "bench/snitch/link.ld").string(),
                                     (root / "boards/snitch/runtime/crt0.S").string(),
                                     (root / "bench/snitch/harness.S").string(), source.string(),
                                     "-o", temporary.string()});
  const ProcessResult assembled = run_assembler(arguments);
  if (!assembled.good()) {
    std::error_code none;
    std::filesystem::remove(temporary, none);
    if (assembled.end == ProcessEnd::interrupted)
      throw make_error(ExitCode::interrupted, "interrupted");
    return {false,
            assembled.end == ProcessEnd::timed_out,
            {},
            source.string() + ":\n" + assembled.errors};
  }
  std::filesystem::rename(temporary, elf);
  return {true, false, elf, assembled.errors};
}

}  // namespace quern::bench::snitch
