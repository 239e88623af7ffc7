#include "boards/snitch/interpreter/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace quern::snitch::interpreter {
namespace {

constexpr std::uint32_t kIntegerData = 0x1000'0000, kFloatData = 0x1000'0800, kInput = 0x1000'1000,
                        kOutput = 0x1000'4000, kDump = 0x1000'8000;
constexpr int kInputWords = 1024, kOutputWords = 512;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : state_(seed * 2654435761u + 12345) {}

  std::string program() {
    text_ = "#include \"snitch.h\"\n.text\n.globl main\nmain:\n";
    line("mv s0, ra");
    line("li s2, {:#x}", kIntegerData);
    line("li s3, {:#x}", kFloatData);
    fill();
    const int blocks = 6 + below(10);
    for (int i = 0; i < blocks; ++i) {
      switch (below(6)) {
        case 0:
          integer_block();
          break;
        case 1:
          float_block();
          break;
        case 2:
          mixed_block();
          break;
        case 3:
          loop_block();
          break;
        default:
          stream_block();
      }
    }
    finish();
    return text_;
  }

 private:
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    return state_ ^= state_ << 5;
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint32_t>(n)); }
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  template <std::size_t N>
  const char* pick(const std::array<const char*, N>& from) {
    return from[static_cast<std::size_t>(below(N))];
  }

  std::string x() { return fmt::format("a{}", below(8)); }
  std::string f() { return fmt::format("f{}", 3 + below(29)); }

  // Words that are sometimes plain numbers and sometimes anything, from a generator in the program.
  void fill() {
    line("li t0, {:#x}", kIntegerData);
    line("li t1, {:#x}", next() | 1);
    line("li t2, {}", (kOutput - kIntegerData) / 8);
    text_ += "1:\n";
    for (const char* shift : {"slli t3, t1, 13", "srli t3, t1, 17", "slli t3, t1, 5"}) {
      line("{}", shift);
      line("xor t1, t1, t3");
    }
    line("sw t1, 0(t0)");
    line("andi t3, t1, 3");
    line("beqz t3, 2f");
    line("srai t4, t1, 20");  // a small double
    line("fcvt.d.w f3, t4");
    line("fsd f3, 0(t0)");
    line("j 3f");
    text_ += "2:\n";
    line("sw t1, 4(t0)");  // two equal singles
    text_ += "3:\n";
    line("addi t0, t0, 8");
    line("addi t2, t2, -1");
    line("bnez t2, 1b");
    line("fence");
    for (int i = 3; i < 32; ++i) line("fld f{}, {}(s3)", i, 8 * i);
    for (int i = 0; i < 8; ++i) line("lw a{}, {}(s2)", i, 4 * i);
  }

  void integer_instruction() {
    static constexpr std::array kBinary = {"add", "sub", "xor", "or",   "and",   "sll",    "srl",
                                           "sra", "slt", "mul", "mulh", "mulhu", "mulhsu", "sltu"};
    static constexpr std::array kDivide = {"div", "divu", "rem", "remu"};
    switch (below(8)) {
      case 0:
        line("lw {}, {}(s2)", x(), 4 * below(256));
        break;
      case 1:
        line("sw {}, {}(s2)", x(), 4 * below(256));
        break;
      case 2:
        line("lbu {}, {}(s2)", x(), below(1024));
        break;
      case 3:
        line("addi {}, {}, {}", x(), x(), below(4096) - 2048);
        break;
      case 4:
        if (below(4) == 0) {
          line("{} {}, {}, {}", pick(kDivide), x(), x(), x());
          break;
        }
        [[fallthrough]];
      default:
        line("{} {}, {}, {}", pick(kBinary), x(), x(), x());
    }
  }

  void integer_block() {
    const int count = 4 + below(16);
    const int branch = below(count);
    for (int i = 0; i < count; ++i) {
      if (i == branch) line("blt {}, {}, 9f", x(), x());
      integer_instruction();
    }
    text_ += "9:\n";
  }

  // An instruction that the sequencer may hold.
  void float_instruction(bool memory) {
    static constexpr std::array kBinary = {
        "fadd.d",       "fsub.d",       "fmul.d",     "fmin.d",     "fmax.d",     "fsgnj.d",
        "fsgnjn.d",     "fsgnjx.d",     "fadd.s",     "fmul.s",     "fmax.s",     "VFADD_S",
        "VFSUB_S",      "VFMUL_S",      "VFMAC_S",    "VFMRE_S",    "VFMIN_S",    "VFMAX_S",
        "VFADD_H",      "VFMUL_H",      "VFMAC_H",    "VFMAX_H",    "VFADD_B",    "VFMUL_B",
        "VFDOTPEX_S_H", "VFDOTPEX_H_B", "VFCPKA_S_S", "VFCPKA_H_S", "VFCPKB_H_S", "VFSGNJ_S",
        "FADD_H",       "FMUL_H"};
    static constexpr std::array kFused = {"fmadd.d", "fmsub.d",  "fnmadd.d", "fnmsub.d",
                                          "fmadd.s", "fnmsub.s", "FMADD_H"};
    static constexpr std::array kUnary = {"fcvt.s.d", "fcvt.d.s",  "VFSUM_S",
                                          "VFSUM_H",  "VFCVT_S_H", "VFCVT_H_S",
                                          "FCVT_S_H", "FCVT_H_S",  "VFSUMEX_S_H"};
    switch (below(memory ? 7 : 5)) {
      case 0:
        line("{} {}, {}", pick(kUnary), f(), f());
        break;
      case 1:
      case 2:
        line("{} {}, {}, {}, {}", pick(kFused), f(), f(), f(), f());
        break;
      case 5:
        line("{} {}, {}(s3)", below(2) == 0 ? "fld" : "flw", f(), 8 * below(256));
        break;
      case 6:
        line("{} {}, {}(s3)", below(2) == 0 ? "fsd" : "fsw", f(), 8 * below(256));
        break;
      default:
        line("{} {}, {}, {}", pick(kBinary), f(), f(), f());
    }
  }

  void float_block() {
    const int count = 4 + below(24);
    for (int i = 0; i < count; ++i) float_instruction(true);
  }

  void mixed_block() {
    static constexpr std::array kCompare = {"feq.d", "flt.d", "fle.d", "feq.s", "flt.s"};
    const int count = 4 + below(16);
    for (int i = 0; i < count; ++i) {
      switch (below(8)) {
        case 0:
          line("{} {}, {}, {}", pick(kCompare), x(), f(), f());
          break;
        case 1:
          line("fmv.x.w {}, {}", x(), f());
          break;
        case 2:
          line("fcvt.w.d {}, {}", x(), f());
          break;
        case 3:
          line("fcvt.d.w {}, {}", f(), x());
          break;
        case 4:
          line("fmv.w.x {}, {}", f(), x());
          break;
        case 5:
          float_instruction(true);
          break;
        default:
          integer_instruction();
      }
    }
  }

  // Hardware loops, one or two deep, with integer work behind them.
  void loop_block() {
    line("li t0, {}", below(12));
    if (below(2) == 0) {
      const int count = 1 + below(10);
      const bool stagger = below(3) == 0;
      line("FREP_O t0, {}, {}, {}", count, stagger ? below(8) : 0, stagger ? below(16) : 0);
      for (int i = 0; i < count; ++i) stagger ? staggered() : float_instruction(false);
    } else {
      const int before = below(5), inner = 1 + below(6), after = 1 + below(5);
      line("li t1, {}", below(6));
      // Only the innermost loop staggers.
      if (below(2) == 0)
        line("FREP_O t0, {}", before + inner + after);
      else
        line("FREP_O t0, {}, {}, {}", before + inner + after, below(8), below(16));
      for (int i = 0; i < before; ++i) float_instruction(false);
      const bool stagger = below(3) == 0;
      line("FREP_O t1, {}, {}, {}", inner, stagger ? below(8) : 0, stagger ? below(16) : 0);
      for (int i = 0; i < inner; ++i) stagger ? staggered() : float_instruction(false);
      for (int i = 0; i < after; ++i) float_instruction(false);
    }
    const int behind = below(12);
    for (int i = 0; i < behind; ++i) integer_instruction();
  }
  // Registers that stay above ft2 and below f32 with seven more.
  void staggered() {
    const auto low = [&] { return fmt::format("f{}", 3 + below(22)); };
    line("fmadd.d {}, {}, {}, {}", low(), low(), low(), low());
  }

  // A shape of `elements` deliveries within the words [0, words) of an area.
  void stream(int mover, std::uint32_t area, int words, int elements, bool write) {
    int repeat = 1;
    if (!write) {
      for (int r : {8, 5, 4, 3, 2}) {
        if (elements % r == 0 && below(3) == 0) {
          repeat = r;
          break;
        }
      }
    }
    std::vector<int> extents;
    int left = elements / repeat;
    while (left > 1 && extents.size() < 3) {
      int factor = left;
      for (int candidate : {2, 3, 4, 5}) {
        if (left % candidate == 0 && below(2) == 0) {
          factor = candidate;
          break;
        }
      }
      extents.push_back(factor);
      left /= factor;
    }
    if (left > 1 || extents.empty()) extents.push_back(left);
    // Strides in words. A write must not meet itself: there each dimension steps over what is
    // inside.
    std::vector<int> strides;
    int lowest = 0, highest = 0, inside = 1;
    for (int extent : extents) {
      const int travel = extent > 1 ? extent - 1 : 1;
      const int room = std::max(1, (words - 1 - (highest - lowest)) / travel);
      int stride = 0;
      if (write) {
        stride = inside;
        inside *= extent;
      } else {
        stride = below(std::min(room, 40) + 1);
        if (below(4) == 0) stride = -stride;
      }
      strides.push_back(stride);
      (stride > 0 ? highest : lowest) += stride * (extent - 1);
      if (highest - lowest >= words) {  // does not fit: stand still
        (stride > 0 ? highest : lowest) -= stride * (extent - 1);
        strides.back() = 0;
      }
    }
    int travelled = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      line("li t0, {}", extents[d] - 1);
      line("SCFGWI t0, SSR_BOUND({}), {}", d, mover);
      line("li t0, {}", 8 * (strides[d] - travelled));
      line("SCFGWI t0, SSR_STRIDE({}), {}", d, mover);
      travelled += strides[d] * (extents[d] - 1);
    }
    line("li t0, {}", repeat - 1);
    line("SCFGWI t0, SSR_REPEAT, {}", mover);
    const int start = -lowest + below(std::max(1, words - (highest - lowest)));
    line("li t0, {:#x}", area + 8 * static_cast<std::uint32_t>(start));
    line("SCFGWI t0, {}({}), {}", write ? "SSR_WPTR" : "SSR_RPTR", extents.size() - 1, mover);
  }

  void stream_block() {
    static constexpr std::array kBinary = {"fadd.d", "fsub.d", "fmul.d", "VFADD_S", "VFMUL_S"};
    const int body = 1 + below(6), rounds = 1 + below(12), count = body * rounds;
    const bool writes = below(2) == 0;
    line("// {} x {} elements", rounds, body);
    stream(0, kInput, kInputWords, count, false);
    stream(1, kInput, kInputWords, count, false);
    if (writes) stream(2, kOutput, kOutputWords, count, true);
    line("SSR_ON");
    const bool hardware = below(4) != 0;
    line("li t1, {}", hardware ? rounds - 1 : rounds);
    if (hardware) {
      line("FREP_O t1, {}", body);
    } else {
      text_ += "8:\n";
    }
    for (int i = 0; i < body; ++i) {
      const std::string to = writes ? "ft2" : f();
      if (below(2) == 0) {
        line("fmadd.d {}, ft0, ft1, {}", to, f());
      } else {
        line("{} {}, ft0, ft1", pick(kBinary), to);
      }
    }
    if (!hardware) {
      line("addi t1, t1, -1");
      line("bnez t1, 8b");
    }
    const int behind = below(10);
    for (int i = 0; i < behind; ++i) integer_instruction();
    line("SSR_OFF");
    if (writes) {
      // The next block may write the same words.
      line("FPU_FENCE");
      text_ += "7:\n";
      line("SCFGRI t0, SSR_STATUS, 2");
      line("bgez t0, 7b");
    }
  }

  void finish() {
    line("FPU_FENCE");
    line("fence");
    line("li s4, {:#x}", kDump);
    for (int i = 0; i < 8; ++i) line("sw a{}, {}(s4)", i, 4 * i);
    for (int i = 3; i < 32; ++i) line("fsd f{}, {}(s4)", i, 8 * i + 32);
    line("csrr t0, fflags");
    line("sw t0, 32(s4)");
    line("li t0, 200");
    text_ += "1:\n";
    line("addi t0, t0, -1");
    line("bnez t0, 1b");
    line("fence");
    // The dump word by word, then one sum of each area.
    for (int i = 0; i < 9; ++i) print_word(4 * i);
    for (int i = 3; i < 32; ++i) {
      print_word(8 * i + 32);
      print_word(8 * i + 36);
    }
    for (const auto& [from, bytes] :
         {std::pair{kIntegerData, 0x800}, {kFloatData, 0x800}, {kOutput, 8 * kOutputWords}}) {
      line("li s5, {:#x}", from);
      line("li s6, {}", bytes / 4);
      line("li s7, 0");
      text_ += "1:\n";
      line("lw t0, 0(s5)");
      line("slli t1, s7, 5");
      line("sub s7, t1, s7");
      line("add s7, s7, t0");
      line("addi s5, s5, 4");
      line("addi s6, s6, -1");
      line("bnez s6, 1b");
      line("mv a0, s7");
      line("call print_u32");
      line("li a0, '\\n'");
      line("call print_char");
    }
    line("li a0, 0");
    line("jr s0");
  }
  void print_word(int at) {
    line("lw a0, {}(s4)", at);
    line("call print_u32");
    line("li a0, ' '");
    line("call print_char");
  }

  std::uint32_t state_;
  std::string text_;
};

}  // namespace

std::string random_program(std::uint32_t seed) { return Generator(seed).program(); }

}  // namespace quern::snitch::interpreter
