#include "bench/snitch/kernel_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "bench/snitch/assembler.h"
#include "bench/snitch/program.h"
#include "bench/snitch/runner.h"
#include "boards/snitch/interpreter/interpreter.h"

namespace quern::bench::snitch {
namespace {

using generator::snitch::generate;
using generator::snitch::Generated;
using generator::snitch::parse_id;
using generator::snitch::Point;

Setup setup() {
  Setup result;
  result.root = QUERN_SOURCE_DIR;
  result.build = std::filesystem::temp_directory_path() /
                 ("quern_snitch_kernel_test_" + std::to_string(::getpid()));
  return result;
}

class Scratch : public testing::Environment {
 public:
  void TearDown() override { std::filesystem::remove_all(setup().build); }
};
const auto* const kScratch = testing::AddGlobalTestEnvironment(new Scratch);

}  // namespace

std::string kernel_problem(const std::string& text) {
  const Point point = parse_id(text);
  const Generated generated = generate(point);
  const MeasuredProgram program = measured_program(point, generated);
  const boards::Compiled assembled = assemble(
      generated.id, generated.assembly + "\n" + program.assembly, setup().root, setup().build);
  if (!assembled.good) return assembled.log;
  const std::filesystem::path& elf = assembled.file;
  namespace reference = quern::snitch::interpreter;
  constexpr std::uint32_t kTcdm = 0x1000'0000, kStack = 0x1001'fc00;
  std::uint32_t end =
      program.workspace == 0
          ? kTcdm
          : program.workspace + static_cast<std::uint32_t>(generated.workspace_bytes);
  for (const PlacedOperand& operand : program.operands) {
    end = std::max(end, operand.address +
                            static_cast<std::uint32_t>(operand.elements * size_of(operand.type)));
  }
  std::string problem;
  std::uint32_t checksum = 0;
  const auto symbols = quern::snitch::read_elf(elf).symbols;
  const auto result = reference::interpret(
      quern::snitch::read_elf(elf), {}, [&](const reference::MemoryReader& read) {
        for (unsigned i = 0; i < 4; ++i) {
          checksum |= std::uint32_t{read(symbols.at("results") + 12 + i)} << (8 * i);
        }
        for (const PlacedOperand& operand : program.operands) {
          std::uint32_t s = operand.start;
          for (std::int64_t i = 0; !operand.output && i < operand.elements;
               ++i, s += operand.step) {
            const auto size = static_cast<unsigned>(size_of(operand.type));
            std::uint64_t bits = 0;
            for (unsigned byte = 0; byte < size; ++byte) {
              bits |= std::uint64_t{read(operand.address + static_cast<unsigned>(i) * size + byte)}
                      << (8 * byte);
            }
            if (bits != bits_of(operand.type, 2.0 * ((s ^ (s >> 5)) & 15) - 15)) {
              problem = "input " + operand.name + " was changed";
            }
          }
        }
        for (std::uint32_t at = end; at < kStack; ++at) {
          if (read(at) != 0) problem = fmt::format("wrote {:#x}, behind the operands", at);
        }
      });
  if (result.outcome != reference::Outcome::exited) return result.message;
  if (checksum != program.checksum) return "wrong result";
  if (result.stream_leftover != 0) return "stream elements left over";
  return problem;
}

std::vector<std::string> kernel_ids(const std::vector<std::string>& kernels,
                                    const std::vector<std::string>& sizes,
                                    const std::string& suffix) {
  std::vector<std::string> result;
  for (const char* type : {"f64", "f32", "f16"}) {
    for (const std::string& kernel : kernels) {
      for (const std::string& size : sizes) {
        result.push_back(fmt::format("snitch-{}-{}-{}{}", type, kernel, size, suffix));
      }
    }
  }
  return result;
}

void expect_right(const std::vector<std::string>& list) {
  for (const std::string& id : list) EXPECT_EQ(kernel_problem(id), "") << id;
}

}  // namespace quern::bench::snitch
