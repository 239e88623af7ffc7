#include "boards/timing/decoder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

namespace quern::timing {
namespace {

Instruction decode(std::uint32_t word) { return Decoder::instance().decode_word(word); }

// The words are what llvm-mc-19 gives for the text beside them.
TEST(Decoder, KnowsOperandsOfHandPickedInstructions) {
  const struct {
    std::uint32_t word;
    const char* name;
    InstructionClass instruction_class;
    VectorType type;
    const char* registers;  // read and written, in the table's order
  } rows[] = {
      {0xb3055457,
       "vfmacc.vf",
       InstructionClass::vector_fma,
       {2, 32},
       "uv8*4 rv16*4 rf10*1"},  // v8, fa0, v16
      {0xb1055457, "vfmacc.vf", InstructionClass::vector_fma, {0, 32}, "uv8*1 rv16*1 rf10*1 rv0*1"},
      {0x02056407, "vle32.v", InstructionClass::vector_load, {1, 32}, "wv8*2 rx10*1"},
      {0x02056407, "vle32.v", InstructionClass::vector_load, {1, 16}, "wv8*4 rx10*1"},
      {0x42056407, "vlseg3e32.v", InstructionClass::vector_load_segment, {0, 32}, "wv8*3 rx10*1"},
      {0x62856407, "vl4re32.v", InstructionClass::vector_load_whole, {0, 8}, "wv8*4 rx10*1"},
      {0xf3055457,
       "vfwmacc.vf",
       InstructionClass::vector_widen_fma,
       {1, 16},
       "uv8*4 rv16*2 rf10*1"},
      {0x9e01b457, "vmv4r.v", InstructionClass::vector_move_whole, {0, 8}, "wv8*4 rv0*4"},
      {0x00052507, "flw", InstructionClass::fp_load, {}, "wf10*1 rx10*1"},
      {0x0d157557, "vsetvli", InstructionClass::vector_configure, {}, "wx10*1 rx10*1"},
      {0x00008082, "c.jr", InstructionClass::jump, {}, "rx1*1"},
      {0x00001141, "c.addi", InstructionClass::integer, {}, "ux2*1"},
  };
  for (const auto& row : rows) {
    const Instruction instruction = decode(row.word);
    EXPECT_EQ(instruction.name(), row.name);
    EXPECT_EQ(instruction.instruction_class(), row.instruction_class) << row.name;
    std::string registers;
    for (int i = 0; i < instruction.operand_count; ++i) {
      const auto& operand = instruction.operands[i];
      const auto range = registers_of(instruction, operand, row.type);
      if (range.count == 0) continue;
      if (!registers.empty()) registers += ' ';
      registers += "rwu"[static_cast<int>(operand.access)];
      registers += register_name(range.first) + "*" + std::to_string(range.count);
    }
    EXPECT_EQ(registers, row.registers) << row.name;
  }
}

// What kernels of half, bfloat16 and int8 types are made of. Words from llvm-mc-19.
TEST(Decoder, SortsInstructionsOfNarrowTypes) {
  using enum InstructionClass;
  const struct {
    std::uint32_t word;
    const char* name;
    InstructionClass instruction_class;
  } rows[] = {
      {0xef055457, "vfwmaccbf16.vf", vector_widen_fma},
      {0xf7056457, "vwmacc.vx", vector_widen_multiply},
      {0x4b02a457, "vsext.vf4", vector_extend},
      {0x00051507, "flh", fp_load},
      {0x3f055457, "vfslide1down.vf", vector_slide_one},
      {0x22055407, "vlseg2e16.v", vector_load_segment},
      {0x4b0e9457, "vfncvtbf16.f.f.w", vector_narrow_convert},
      {0x04156013, "prefetch.r", prefetch},
      {0x20b54533, "sh2add", integer_slow},
      {0x330c0457, "vrgather.vv", vector_gather},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(decode(row.word).name(), row.name);
    EXPECT_EQ(decode(row.word).instruction_class(), row.instruction_class) << row.name;
  }
}

TEST(Decoder, FollowsVectorConfiguration) {
  const Instruction e32m2 = decode(0x0d157557);  // vsetvli a0, a0, e32, m2, ta, ma
  ASSERT_TRUE(e32m2.vector_type_known());
  EXPECT_EQ(e32m2.new_vector_type(), (VectorType{1, 32}));
  const Instruction e16mf2 = decode(0xccf27057);  // vsetivli x0, 4, e16, mf2, ta, ma
  ASSERT_TRUE(e16mf2.vector_type_known());
  EXPECT_EQ(e16mf2.new_vector_type(), (VectorType{-1, 16, 4}));
  const VectorType four{0, 32, 4};
  EXPECT_EQ(decode(0x0d007057).new_vector_type(four), four);  // vsetvli x0, x0, e32, m1, ta, ma
  EXPECT_EQ(e32m2.new_vector_type(four).vl, 0);               // AVL in a register
  EXPECT_FALSE(decode(0x80b57557).vector_type_known());       // vsetvl a0, a0, a1
}

TEST(Decoder, FindsBranchTargets) {
  EXPECT_EQ(decode(0xfe0518e3).displacement(), -16);  // bnez a0, .-16
  EXPECT_EQ(decode(0xff5ff06f).displacement(), -12);  // j .-12
  EXPECT_EQ(decode(0xf97d).displacement(), -10);      // c.bnez a0, .-10
  EXPECT_EQ(decode(0xbfd5).displacement(), -12);      // c.j .-12
  EXPECT_TRUE(decode(0x8082).is_return());
}

TEST(Decoder, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(decode(0xffffffff).instruction_class(), InstructionClass::unknown);
  EXPECT_EQ(decode(0xffffffff).name(), "0xffffffff");
  EXPECT_EQ(decode(0x0000007b).name(), "0x0000007b");
  EXPECT_EQ(decode(0x8000).name(), "0x8000");  // a reserved compressed encoding
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return text;
  char buffer[1 << 16];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  pclose(pipe);
  return text;
}

constexpr const char* extensions =
    "--mattr=+m,+a,+f,+d,+c,+v,+zfh,+zvfh,+zvfbfwma,+zvfbfmin,+zfbfmin,+zba,+zbb,+zbc,+zbs,+zicbom,"
    "+zicboz,+zicbop,+zicond";

bool have(const char* tool) {
  return std::system((std::string("command -v ") + tool + " >/dev/null 2>&1").c_str()) == 0;
}

// Every row of the table, with random free bits, named as LLVM's disassembler names it.
TEST(Decoder, AgreesWithLlvmOnEveryRow) {
  ASSERT_TRUE(have("llvm-mc-19")) << "llvm-mc-19 is not installed (package llvm-19)";
  std::mt19937 random(1);
  std::vector<std::uint32_t> words;
  for (const auto& form : instruction_table())
    for (int i = 0; i < 24; ++i) {
      std::uint32_t free_bits = static_cast<std::uint32_t>(random());
      // Vector registers that are multiples of 8 keep groups legal.
      const auto opcode = form.match & 0x7f;
      if (i < 12 && opcode == 0x57) free_bits &= ~0x00738380u;
      if (i < 12 && (opcode == 0x07 || opcode == 0x27)) free_bits &= ~0x00000380u;
      if (opcode == 0x0f) free_bits &= 0x0ff00000u;  // fence: only its sets are free
      if (form.name == "fence.i") free_bits = 0;
      std::uint32_t word = form.match | (free_bits & ~form.mask);
      if ((form.match & 3) != 3) word &= 0xffff;
      words.push_back(word);
    }
  const std::string input = testing::TempDir() + "quern_decoder_words.txt";
  {
    std::ofstream file(input);
    for (const auto word : words) {
      const int count = (word & 3) == 3 ? 4 : 2;
      for (int i = 0; i < count; ++i) file << "0x" << std::hex << (word >> (8 * i) & 0xff) << ' ';
      file << '\n';
    }
  }
  // One line an instruction; an invalid one gives a warning and no line, so feed through assembly
  // with encodings shown and match by the encoding.
  const std::string text = output_of(
      std::string("llvm-mc-19 --disassemble --show-encoding -M no-aliases --triple=riscv64 ") +
      extensions + " " + input + " 2>/dev/null");
  std::map<std::uint32_t, std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("encoding: [");
    if (at == std::string::npos) continue;
    std::uint32_t word = 0;
    int shift = 0;
    std::istringstream bytes(line.substr(at + 11));
    for (std::string byte; std::getline(bytes, byte, ',') && shift < 32; shift += 8)
      word |= static_cast<std::uint32_t>(std::stoul(byte, nullptr, 16)) << shift;
    std::istringstream first(line);
    first >> names[word];
  }
  ASSERT_GT(names.size(), words.size() / 3);
  std::map<std::string, int> seen;
  for (const auto& [word, name] : names) {
    if (name == "c.srli64" || name == "c.srai64" || name == "c.slli64") continue;  // hints, shift 0
    EXPECT_EQ(decode(word).name(), name) << std::hex << word;
    ++seen[decode(word).name()];
  }
  for (const auto& form : instruction_table())
    EXPECT_GT(seen[form.name], 0) << form.name << " was never confirmed";
}

// Whole programs: the sysroot's libc (a slice) and OpenBLAS (everything, slow suite).
void compare_with_objdump(const std::string& file, const std::string& range) {
  const std::string text = output_of("llvm-objdump-19 -d -M no-aliases " + std::string(extensions) +
                                     " " + range + " '" + file + "' 2>/dev/null");
  std::istringstream lines(text);
  std::size_t count = 0, wrong = 0;
  std::map<std::string, int> unknown;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string address, bytes, name;
    words >> address >> bytes >> name;
    if (address.empty() || address.back() != ':' || (bytes.size() != 8 && bytes.size() != 4))
      continue;
    if (name == "<unknown>" || name.empty() || bytes == "file") continue;
    const auto word = static_cast<std::uint32_t>(std::stoul(bytes, nullptr, 16));
    const Instruction instruction = decode(word);
    ++count;
    if (instruction.name() != name && ++wrong < 20)
      ADD_FAILURE() << line << " decoded as " << instruction.name();
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(count, 1000u) << "nothing was disassembled from " << file;
}

std::string library(const char* name) {
  const char* sysroot = std::getenv("QUERN_SYSROOT");
  const std::string root =
      sysroot ? sysroot : std::string(QUERN_SOURCE_DIR) + "/build/sysroot-riscv64";
  return root + "/usr/lib/riscv64-linux-gnu/" + name;
}

#ifdef QUERN_SLOW
TEST(DecoderSlow, AgreesWithObjdumpOnAllOfLibcAndOpenBlas) {
  ASSERT_TRUE(have("llvm-objdump-19")) << "llvm-objdump-19 is not installed (package llvm-19)";
  for (const char* name : {"libc.so.6", "libm.so.6", "openblas-pthread/libopenblas.so.0"}) {
    ASSERT_TRUE(std::ifstream(library(name)).good()) << "no sysroot (QUERN_SYSROOT)";
    compare_with_objdump(library(name), "");
  }
}
#else
TEST(Decoder, AgreesWithObjdumpOnASliceOfLibc) {
  ASSERT_TRUE(have("llvm-objdump-19")) << "llvm-objdump-19 is not installed (package llvm-19)";
  ASSERT_TRUE(std::ifstream(library("libc.so.6")).good()) << "no sysroot (QUERN_SYSROOT)";
  compare_with_objdump(library("libc.so.6"), "--start-address=0x40000 --stop-address=0x60000");
}
#endif

}  // namespace
}  // namespace quern::timing
