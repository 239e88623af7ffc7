#include "boards/timing/instruction_table.h"

#include <fmt/format.h>

#include <sstream>

#include "base/error.h"
#include "boards/timing/scalar_rows.h"
#include "boards/timing/vector_rows.h"

namespace quern::timing {
namespace {

constexpr std::uint32_t vector_opcode = 0x57;
constexpr std::uint32_t vm_bit = 1u << 25;

RegisterFile file_of(char c) {
  switch (c) {
    case 'x':
      return RegisterFile::integer;
    case 'f':
      return RegisterFile::floating;
    default:
      QUERN_CHECK(c == 'v');
      return RegisterFile::vector;
  }
}

Access access_of(char c) {
  switch (c) {
    case 'r':
      return Access::read;
    case 'w':
      return Access::write;
    default:
      QUERN_CHECK(c == 'u');
      return Access::update;
  }
}

Shape shape_of(const std::string& text) {
  static const std::pair<const char*, Shape> shapes[] = {
      {"", Shape::group},   {"2", Shape::twice}, {"h", Shape::half},  {"q", Shape::quarter},
      {"e", Shape::eighth}, {"1", Shape::one},   {"i", Shape::index}, {"m", Shape::memory},
      {"16", Shape::eew16}, {"n", Shape::whole},
  };
  for (const auto& [name, shape] : shapes)
    if (text == name) return shape;
  QUERN_CHECK(!"a known operand shape");
  return Shape::group;
}

class Builder {
 public:
  void add(std::string name, std::uint32_t match, std::uint32_t mask, InstructionClass c,
           const std::string& operands) {
    InstructionForm form{std::move(name), match, mask, c, false, {}};
    std::istringstream words(operands);
    for (std::string word; words >> word;) {
      if (word == "m") {
        form.maskable = true;
        continue;
      }
      QUERN_CHECK(word.size() >= 3);
      const auto file = file_of(word[1]);
      const auto colon = word.find(':');
      const auto shape = file != RegisterFile::vector ? Shape::scalar
                         : colon == std::string::npos ? Shape::group
                                                      : shape_of(word.substr(colon + 1));
      form.operands.push_back({file, word[2], access_of(word[0]), shape});
    }
    QUERN_CHECK((form.match & ~form.mask) == 0);
    table_.push_back(std::move(form));
  }

  void add_scalars() {
    for (const auto& row : rows::scalar)
      add(row.name, row.match, row.mask, row.instruction_class, row.operands);
    for (const auto& row : rows::floating) {
      const std::string pattern = row.name;
      const auto star = pattern.find('*');
      const auto name = [&](const char* letter) {
        return pattern.substr(0, star) + letter + pattern.substr(star + 1);
      };
      add(name("s"), row.match, row.mask, row.single, row.operands);
      add(name("d"), row.match | 1u << 25, row.mask, row.wide, row.operands);
      add(name("h"), row.match | 2u << 25, row.mask, row.half, row.operands);
    }
    for (const auto& row : rows::atomics)
      for (std::uint32_t width = 2; width <= 3; ++width)
        for (std::uint32_t order = 0; order < 4; ++order) {
          static const char* const orders[] = {"", ".rl", ".aq", ".aqrl"};
          const bool is_load_reserved = row.instruction_class == InstructionClass::load_reserved;
          add(fmt::format("{}.{}{}", row.name, width == 2 ? "w" : "d", orders[order]),
              row.funct5 << 27 | order << 25 | width << 12 | 0x2f,
              0xfe00707f | (is_load_reserved ? 0x01f00000u : 0u), row.instruction_class,
              is_load_reserved ? "wxd rx1" : "wxd rx1 rx2");
        }
    for (const auto& row : rows::compressed)
      add(row.name, row.match, row.mask, row.instruction_class, row.operands);
  }

  void add_families() {
    for (const auto& family : rows::families)
      for (std::uint32_t funct3 = 0; funct3 < 7; ++funct3)
        if (family.categories & (1u << funct3)) add_member(family, funct3);
  }

  void add_unaries() {
    for (const auto& row : rows::unaries)
      add(row.name, row.funct6 << 26 | row.vs1 << 15 | row.funct3 << 12 | vector_opcode, 0xfc0ff07f,
          row.instruction_class, row.operands);
    using enum InstructionClass;
    // Moves of element 0, with vs1 or vs2 fixed to 0 and no mask.
    add("vmv.x.s", 0x42002057, 0xfe0ff07f, vector_to_integer, "wxd rv2:1");
    add("vmv.s.x", 0x42006057, 0xfff0707f, vector_from_integer, "uvd:1 rx1");
    add("vfmv.f.s", 0x42001057, 0xfe0ff07f, vector_to_fp, "wfd rv2:1");
    add("vfmv.s.f", 0x42005057, 0xfff0707f, vector_from_fp, "uvd:1 rf1");
    add("vid.v", 0x5008a057, 0xfdfff07f, vector_index, "wvd m");
    add("vcompress.vm", 0x5e002057, 0xfe00707f, vector_compress, "uvd rv2 rv1:1");
    add("vrgatherei16.vv", 0x38000057, 0xfc00707f, vector_gather, "wvd rv2 rv1:16 m");
    for (std::uint32_t n : {1u, 2u, 4u, 8u})
      add(fmt::format("vmv{}r.v", n), 0x9e003057 | (n - 1) << 15, 0xfe0ff07f, vector_move_whole,
          "wvd:n rv2:n");
  }

  void add_memory() {
    using enum InstructionClass;
    static const std::pair<std::uint32_t, std::uint32_t> widths[] = {
        {8, 0}, {16, 5}, {32, 6}, {64, 7}};
    for (const bool is_store : {false, true}) {
      const std::uint32_t opcode = is_store ? 0x27 : 0x07;
      const std::string letter = is_store ? "vs" : "vl";
      const std::string data = is_store ? "rvd:m" : "wvd:m";
      for (const auto& [eew, funct3] : widths) {
        const std::uint32_t base = funct3 << 12 | opcode;
        for (std::uint32_t nf = 1; nf <= 8; ++nf) {
          const std::uint32_t fields = (nf - 1) << 29;
          const bool segment = nf > 1;
          const std::string seg = segment ? fmt::format("seg{}", nf) : "";
          const auto pick = [&](InstructionClass plain, InstructionClass segmented) {
            return segment ? segmented : plain;
          };
          const std::uint32_t unit_mask = 0xfdf0707f, other_mask = 0xfc00707f;
          add(fmt::format("{}{}e{}.v", letter, seg, eew), fields | base, unit_mask,
              is_store ? pick(vector_store, vector_store_segment)
                       : pick(vector_load, vector_load_segment),
              data + " rx1 m");
          if (!is_store)
            add(fmt::format("vl{}e{}ff.v", seg, eew), fields | 0x10u << 20 | base, unit_mask,
                pick(vector_load_first_fault, vector_load_segment), data + " rx1 m");
          add(fmt::format("{}s{}e{}.v", letter, seg, eew), fields | 2u << 26 | base, other_mask,
              is_store ? pick(vector_store_strided, vector_store_segment_strided)
                       : pick(vector_load_strided, vector_load_segment_strided),
              data + " rx1 rx2 m");
          for (const bool ordered : {false, true})
            add(fmt::format("{}{}x{}ei{}.v", letter, ordered ? "o" : "u", seg, eew),
                fields | (ordered ? 3u : 1u) << 26 | base, other_mask,
                is_store ? pick(vector_store_indexed, vector_store_segment_indexed)
                         : pick(vector_load_indexed, vector_load_segment_indexed),
                // The data group of an indexed access has SEW elements; the index has the EEW.
                std::string(is_store ? "rvd" : "wvd") + " rx1 rv2:i m");
        }
        for (std::uint32_t n : {1u, 2u, 4u, 8u}) {
          const std::uint32_t match = (n - 1) << 29 | vm_bit | 0x08u << 20 | base;
          if (!is_store)
            add(fmt::format("vl{}re{}.v", n, eew), match, 0xfff0707f, vector_load_whole,
                "wvd:n rx1");
          else if (eew == 8)
            add(fmt::format("vs{}r.v", n), match, 0xfff0707f, vector_store_whole, "rvd:n rx1");
        }
      }
      add(letter + "m.v", vm_bit | 0x0bu << 20 | opcode, 0xfff0707f,
          is_store ? vector_store_mask : vector_load_mask, is_store ? "rvd:1 rx1" : "wvd:1 rx1");
    }
  }

  std::vector<InstructionForm> take() { return std::move(table_); }

 private:
  void add_member(const VectorFamily& family, std::uint32_t funct3) {
    const char kind = funct3 <= 2 ? 'v' : funct3 == 3 ? 'i' : funct3 == 5 ? 'f' : 'x';
    // The s1 operand with an optional shape for vectors.
    const auto s1 = [&](const std::string& shape = "") -> std::string {
      if (kind == 'i') return "";
      if (kind == 'v') return "rv1" + shape;
      return kind == 'f' ? "rf1" : "rx1";
    };
    std::uint32_t match = family.funct6 << 26 | funct3 << 12 | vector_opcode;
    std::uint32_t mask = 0xfc00707f;
    std::string suffix = fmt::format(".v{}", kind);
    std::string operands;
    switch (family.pattern) {
      case Pattern::plain:
        operands = "wvd rv2 " + s1() + " m";
        break;
      case Pattern::accumulate:
        operands = "uvd rv2 " + s1() + " m";
        break;
      case Pattern::keep:
        operands = "uvd rv2 " + s1() + " m";
        break;
      case Pattern::widen:
        operands = "wvd:2 rv2 " + s1() + " m";
        break;
      case Pattern::widen_wide:
        suffix = fmt::format(".w{}", kind);
        operands = "wvd:2 rv2:2 " + s1() + " m";
        break;
      case Pattern::widen_add_to:
        operands = "uvd:2 rv2 " + s1() + " m";
        break;
      case Pattern::narrow:
        suffix = fmt::format(".w{}", kind);
        operands = "wvd rv2:2 " + s1() + " m";
        break;
      case Pattern::to_mask:
        operands = "wvd:1 rv2 " + s1() + " m";
        break;
      case Pattern::carry:
        suffix += "m";
        mask |= vm_bit;
        operands = "wvd rv2 " + s1() + " rv0:1";
        break;
      case Pattern::carry_out:
        suffix += "m";
        mask |= vm_bit;
        operands = "wvd:1 rv2 " + s1() + " rv0:1";
        break;
      case Pattern::carry_clear:
        mask |= vm_bit;
        match |= vm_bit;
        operands = "wvd:1 rv2 " + s1();
        break;
      case Pattern::move:
        suffix = fmt::format(".v.{}", kind);
        mask |= vm_bit | 0x01f00000u;
        match |= vm_bit;
        operands = "wvd " + s1();
        break;
      case Pattern::reduce:
      case Pattern::reduce_widen:
        suffix = ".vs";
        operands = "uvd:1 rv2 " + s1(":1") + " m";
        break;
      case Pattern::mask_logic:
        suffix = ".mm";
        mask |= vm_bit;
        match |= vm_bit;
        operands = "wvd:1 rv2:1 " + s1(":1");
        break;
    }
    add(family.stem + suffix, match, mask, family.instruction_class, operands);
  }

  std::vector<InstructionForm> table_;
};

}  // namespace

std::optional<InstructionClass> instruction_class_named(std::string_view name) {
  for (std::size_t i = 0; i < instruction_class_count; ++i)
    if (instruction_class_names[i] == name) return static_cast<InstructionClass>(i);
  return std::nullopt;
}

const std::vector<InstructionForm>& instruction_table() {
  static const std::vector<InstructionForm> table = [] {
    Builder builder;
    builder.add_scalars();
    builder.add_unaries();  // before the families: their codes are narrower
    builder.add_families();
    builder.add_memory();
    return builder.take();
  }();
  return table;
}

}  // namespace quern::timing
