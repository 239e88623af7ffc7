#include "boards/timing/predict.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "boards/timing/test_board.h"

namespace quern::timing {
namespace {

std::vector<Instruction> decode(const std::vector<std::uint32_t>& words) {
  std::vector<Instruction> instructions;
  for (const auto word : words) instructions.push_back(Decoder::instance().decode_word(word));
  return instructions;
}

std::uint32_t vfmacc(unsigned vd) { return 0xb3055057 | vd << 7; }  // vfmacc.vf vd, fa0, v16
constexpr std::uint32_t vle_v16 = 0x02056807, flw_fa0 = 0x00052507, addi_a0 = 0x00150513,
                        bnez_back = 0xfe0516e3;

// Expected cycles are counted by hand on the test board.
TEST(Predict, NamesTheBound) {
  const Parameters p = test_board();
  const struct {
    const char* what;
    std::vector<std::uint32_t> words;
    VectorType type;
    double cycles;
    const char* bound_by;
  } rows[] = {
      {"one accumulator: 5 cycles of latency", {vfmacc(8)}, {0, 32}, 5, "recurrence"},
      {"eight at m1: one a cycle",
       {vfmacc(0), vfmacc(1), vfmacc(2), vfmacc(3), vfmacc(4), vfmacc(5), vfmacc(6), vfmacc(7)},
       {0, 32},
       8,
       "unit vector"},
      {"two at m4: busy 4 each", {vfmacc(0), vfmacc(4)}, {2, 32}, 8, "unit vector"},
      // flw 0, vfmacc 4 (addi too), bnez 5; the next flw in 6.
      {"flw feeding its vfmacc",
       {flw_fa0, vfmacc(8), addi_a0, bnez_back},
       {0, 32},
       6,
       "stalls on load-result"},
      {"loads at m2", {vle_v16, addi_a0, addi_a0}, {1, 32}, 4, "unit vector-memory"},
      {"addi chain", {addi_a0, addi_a0, addi_a0}, {0, 32}, 3, "recurrence"},
  };
  for (const auto& row : rows) {
    const auto prediction = predict_loop(p, decode(row.words), row.type);
    EXPECT_DOUBLE_EQ(prediction.cycles, row.cycles) << row.what;
    EXPECT_EQ(prediction.bound_by, row.bound_by) << row.what;
  }
}

TEST(Predict, ShowsTheRecurrence) {
  const auto prediction = predict_loop(test_board(), decode({vfmacc(8), addi_a0}), {0, 32});
  EXPECT_DOUBLE_EQ(prediction.recurrence_bound, 5);
  EXPECT_EQ(prediction.recurrence, "vfmacc.vf v8 -> vfmacc.vf v8");
}

TEST(Predict, CountsStepsOfK) {
  const auto prediction = predict_loop(
      test_board(), decode({vfmacc(8), vfmacc(9), vfmacc(10), vfmacc(11), 0x0d007057}), {0, 32});
  EXPECT_EQ(k_per_iteration(prediction, 2), 2);
  EXPECT_EQ(k_per_iteration(prediction, 3), 0);
  EXPECT_EQ(prediction.vector_configures, 1);
}

TEST(Predict, NamesUnknownInstructions) {
  const auto prediction = predict_loop(test_board(), decode({vfmacc(8), 0x0000007b}), {0, 32});
  EXPECT_EQ(prediction.unknown, std::vector<std::string>{"0x0000007b"});
}

// An object file made here: header, code, symbols. Code: set-up, then a loop with a spill.
std::string object_file(const std::vector<std::uint32_t>& words) {
  std::string code;
  for (const auto word : words) code.append(reinterpret_cast<const char*>(&word), 4);
  std::string out(64, '\0');
  const auto put = [](std::string& s, std::size_t at, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
      s[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i));
  };
  out.replace(0, 7,
              std::string("\x7f"
                          "ELF\x02\x01\x01",
                          7));
  put(out, 16, 1, 2);    // relocatable
  put(out, 18, 243, 2);  // RISC-V
  put(out, 20, 1, 4);
  const std::string strings("\0kernel\0", 8), section_names("\0.text\0.symtab\0.strtab\0", 23);
  std::string symbols(48, '\0');
  put(symbols, 24, 1, 4);
  symbols[28] = 0x12;  // global function
  put(symbols, 30, 1, 2);
  put(symbols, 40, code.size(), 8);
  const std::size_t code_at = out.size(), symbols_at = code_at + code.size(),
                    strings_at = symbols_at + symbols.size(),
                    names_at = strings_at + strings.size();
  out += code + symbols + strings + section_names;
  const std::size_t headers_at = out.size();
  put(out, 40, headers_at, 8);
  put(out, 58, 64, 2);
  put(out, 60, 5, 2);
  put(out, 62, 4, 2);
  out.resize(headers_at + 5 * 64);
  const auto section = [&](std::size_t index, std::uint32_t name, std::uint32_t type,
                           std::uint64_t flags, std::uint64_t offset, std::uint64_t size,
                           std::uint32_t link) {
    const std::size_t at = headers_at + index * 64;
    put(out, at, name, 4);
    put(out, at + 4, type, 4);
    put(out, at + 8, flags, 8);
    put(out, at + 24, offset, 8);
    put(out, at + 32, size, 8);
    put(out, at + 40, link, 4);
  };
  section(1, 1, 1, 6, code_at, code.size(), 0);
  section(2, 7, 2, 0, symbols_at, symbols.size(), 3);
  section(3, 15, 3, 0, strings_at, strings.size(), 0);
  section(4, 0, 3, 0, names_at, section_names.size(), 0);
  return out;
}

TEST(Predict, FindsTheLoopAndItsSpills) {
  // vsetvli x0, x0, e32, m2; addi a1, sp, 64; L: vl1re32 v4, (a1); vfmacc v8; vfmacc v10; lw a2,
  // 8(sp); addi a0; bnez a0, L; ret
  const auto file =
      parse_elf(object_file({0x0d107057, 0x04010593, 0x0285e207, vfmacc(8), vfmacc(10), 0x00812603,
                             addi_a0, 0xfe0516e3, 0x00008067}),
                "test.o");
  const auto* function = file.find("kernel");
  ASSERT_NE(function, nullptr);
  const auto prediction = predict(test_board(), file, *function);
  ASSERT_TRUE(prediction.has_loop);
  EXPECT_EQ(prediction.loop_offset, 8u);
  EXPECT_EQ(prediction.instructions, 6);
  EXPECT_EQ(prediction.vector_fmas, 2);
  EXPECT_EQ(prediction.spills.vector_loads, 1);
  EXPECT_EQ(prediction.spills.scalar_loads, 1);
  EXPECT_EQ(prediction.spills.total(), 2);
  EXPECT_EQ(file.find("other"), nullptr);
}

TEST(Predict, RefusesDamagedFiles) {
  const std::string good = object_file({vfmacc(8)});
  EXPECT_THROW(parse_elf("not ELF", "x.o"), Error);
  for (std::size_t length = 0; length < good.size(); length += 7)
    EXPECT_THROW(parse_elf(good.substr(0, length), "x.o"), Error) << length;
  for (std::size_t at = 0; at < good.size();
       ++at) {  // any byte wrong: an error or a file, never a crash
    std::string bad = good;
    bad[at] = static_cast<char>(~bad[at]);
    try {
      const auto file = parse_elf(bad, "x.o");
      for (const auto& function : file.functions) predict(test_board(), file, function);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace quern::timing
