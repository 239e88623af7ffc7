// The interpreter computes what the conformance programs' checksums say. Those of the programs were
// measured on, or computed for, the RTL of the original core; cycles are not the interpreter's
// business.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/json_file.h"
#include "base/process.h"
#include "boards/snitch/interpreter/interpreter.h"

namespace quern::snitch::interpreter {
namespace {

// Programs whose result depends on timing, which the interpreter has not: each with the fact about
// the hardware that makes it so (docs/snitch-core.md). The test is red when one of them agrees
// after all.
const std::map<std::string, std::string> kTimingDependent = {
    {"off_fflags",
     "an FPU result sets its flags when it is written, three cycles after the issue of an add; "
     "csrr "
     "fflags does not wait for it"},
    {"trap_fsd_ssr_stale",
     "scfgwi goes around the sequencer: the stream reads memory before an fsd that stands earlier "
     "in "
     "the program has left the buffer"},
    {"mix_ssr01",
     "groups of the FPU have different latency and no order at the result port: a min or move "
     "overtakes an add into the write stream"},
    {"mix_ssr04", "as mix_ssr01"},
};

std::filesystem::path folder() {
  return std::filesystem::path(QUERN_SOURCE_DIR) / "tests/snitch_conformance";
}

std::uint32_t word(const MemoryReader& read, std::uint32_t address) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{read(address + i)} << (8 * i);
  return value;
}

const std::vector<std::string> kCompiler = {"riscv64-unknown-elf-gcc",
                                            "-march=rv32imafd_zicsr_zifencei", "-mabi=ilp32d",
                                            "-nostdlib", "-nostartfiles"};

void compile(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kCompiler.begin(), kCompiler.end());
  const ProcessResult compiled = run_process(arguments);
  ASSERT_TRUE(compiled.good()) << compiled.errors;
}

TEST(InterpreterConformance, ChecksumsOfAllPrograms) {
  const Json expected = read_json(folder() / "expected.json");
  const std::filesystem::path scratch =
      std::filesystem::temp_directory_path() / ("quern_conformance_" + std::to_string(::getpid()));
  std::filesystem::create_directories(scratch);
  const std::string elf = (scratch / "program.elf").string();
  std::vector<std::string> common;
  for (const char* part : {"crt0", "main", "util"}) {
    common.push_back((scratch / part).string() + ".o");
    compile(
        {"-I", folder().string(), "-c", (folder() / part).string() + ".S", "-o", common.back()});
  }
  int checked = 0;
  for (const auto& [name, test] : expected.at("tests").items()) {
    std::vector<std::string> link = {"-static",
                                     "-Wl,--no-relax",
                                     "-Wl,--build-id=none",
                                     "-I",
                                     folder().string(),
                                     "-T",
                                     (folder() / "link.ld").string()};
    link.insert(link.end(), common.begin(), common.end());
    link.insert(link.end(), {(folder() / (name + ".S")).string(), "-o", elf});
    compile(link);
    const ElfImage image = read_elf(elf);
    std::uint32_t checksum = 0;
    // fx_vcvt loads and stores where its test bench has memory and the map has not.
    InterpreterOptions options;
    options.memory_everywhere = true;
    const InterpreterResult run = interpret(image, options, [&](const MemoryReader& read) {
      checksum = word(read, image.symbols.at("results") + 12);
    });
    const bool right = run.outcome == Outcome::exited && run.exit_code == 0 &&
                       checksum == std::stoul(test.at("checksum").get<std::string>(), nullptr, 16);
    EXPECT_NE(right, kTimingDependent.contains(name)) << name << ": " << run.message;
    checked += right;
  }
  std::filesystem::remove_all(scratch);
  EXPECT_EQ(checked, 255);
}

}  // namespace
}  // namespace quern::snitch::interpreter
