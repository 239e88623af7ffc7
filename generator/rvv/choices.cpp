#include "generator/rvv/choices.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace quern::generator::rvv {
namespace {

struct Value {
  const char* name;   // on the command line
  const char* in_id;  // nullptr: not spelt out in ids
};
struct Choice {
  const char* name;
  std::vector<Value> values;  // default first
  const char* meaning;
  bool varied;  // in a space where it is not fixed
};

// In the order in which ids spell them.
const std::vector<Choice>& table() {
  static const std::vector<Choice> choices = {
      {"lmul",
       {{"1", "m1"}, {"2", "m2"}, {"4", "m4"}, {"1/2", "mf2"}},
       "registers in one vector of a panel (LMUL)",
       true},
      {"operand",
       {{"vf", "vf"}, {"broadcast", "bc"}, {"gather", "ga"}},
       "how the other panel's elements meet a vector: vf = vfmacc.vf with a scalar register, "
       "broadcast = vfmv.v.f and vfmacc.vv, gather = vrgather.vi and vfmacc.vv",
       false},
      {"buffers",
       {{"1", nullptr}, {"2", "a2"}},
       "register groups through which the panel's vectors rotate",
       true},
      {"unroll",
       {{"1", nullptr}, {"2", "u2"}, {"4", "u4"}, {"8", "u8"}},
       "k steps in an iteration of the loop",
       true},
      {"pipeline",
       {{"0", nullptr}, {"4", "p4"}, {"8", "p8"}, {"12", "p12"}, {"16", "p16"}, {"modulo", "pmod"}},
       "FMAs by which loads of scalars run ahead of their use, or modulo: a modulo schedule "
       "against the board's timing tables",
       true},
      {"loads",
       {{"spread", nullptr}, {"grouped", "lg"}},
       "early loads stand among the FMAs, or grouped at the start of a k step",
       false},
      {"vector", {{"m", nullptr}, {"n", "vn"}}, "the dimension of C that vectors run along", false},
      {"c-order", {{"col", nullptr}, {"row", "cr"}}, "C is column-major or row-major", false},
      {"beta",
       {{"general", nullptr}, {"one", "b1"}},
       "ways to update C of their own: beta = 0 always, beta = 1 too",
       false},
      {"prefetch-c",
       {{"none", nullptr}, {"load", "pcl"}, {"zicbop", "pcz"}},
       "ask for C before the k loop, with a load or with prefetch.w",
       false},
      {"prefetch",
       {{"0", nullptr}, {"256", "z256"}, {"512", "z512"}},
       "bytes by which prefetch.r (Zicbop) runs ahead in the vectors' panel",
       false},
      {"emit",
       {{"c", nullptr}, {"asm", "asm"}},
       "C with intrinsics, or assembly, which keeps its schedule",
       true},
      {"vl",
       {{"fixed", nullptr}, {"agnostic", "vla"}},
       "made for one VLEN, or right at every VLEN of 128 or more",
       false},
  };
  return choices;
}

bool is(const KernelPoint& point, const char* choice, const char* value) {
  return point.choices.at(choice) == value;
}
int number(const KernelPoint& point, const char* choice) {
  return std::stoi(point.choices.at(choice));
}

}  // namespace

Choices choices_of(const KernelPoint& point) {
  Choices out;
  out.lmul = {is(point, "lmul", "1/2") ? 1 : 2 * number(point, "lmul")};
  out.operand = is(point, "operand", "vf")          ? ScalarOperand::scalar
                : is(point, "operand", "broadcast") ? ScalarOperand::broadcast
                                                    : ScalarOperand::gather;
  out.buffers = number(point, "buffers");
  out.unroll = number(point, "unroll");
  out.modulo = is(point, "pipeline", "modulo");
  out.ahead = out.modulo ? 0 : number(point, "pipeline");
  out.grouped = is(point, "loads", "grouped");
  out.along_n = is(point, "vector", "n");
  out.c_row_major = is(point, "c-order", "row");
  out.beta_one = is(point, "beta", "one");
  out.c_prefetch = is(point, "prefetch-c", "none")   ? CPrefetch::none
                   : is(point, "prefetch-c", "load") ? CPrefetch::load
                                                     : CPrefetch::zicbop;
  out.panel_prefetch = number(point, "prefetch");
  out.assembly = is(point, "emit", "asm");
  out.any_vlen = is(point, "vl", "agnostic");
  out.vlen = number(point, "vlen");
  return out;
}

std::vector<Parameter> choice_parameters(const Target& target) {
  std::vector<Parameter> out;
  for (const Choice& choice : table()) {
    Parameter parameter{choice.name, {}, choice.meaning};
    for (const Value& value : choice.values) parameter.values.emplace_back(value.name);
    parameter.varied = choice.varied;
    out.push_back(std::move(parameter));
  }
  out.push_back({"vlen",
                 {std::to_string(target.vlen)},
                 "bits of a vector register that the kernel is made for",
                 true});
  return out;
}

std::string unknown_choice(const KernelPoint& point) {
  for (const Choice& choice : table()) {
    const std::string& value = point.choices.at(choice.name);
    if (std::ranges::any_of(choice.values, [&](const Value& v) { return v.name == value; }))
      continue;
    std::vector<const char*> known;
    for (const Value& v : choice.values) known.push_back(v.name);
    return fmt::format("{} = {}: expected one of {}", choice.name, value, fmt::join(known, ", "));
  }
  return "";
}

std::string choices_id(const KernelPoint& point) {
  std::string out;
  for (const Choice& choice : table()) {
    const std::string& value = point.choices.at(choice.name);
    for (const Value& known : choice.values) {
      if (known.name == value && known.in_id != nullptr) out += fmt::format("{}-", known.in_id);
    }
  }
  return out + "v" + point.choices.at("vlen");
}

bool parse_choices_id(const std::string& text, KernelPoint& point) {
  std::size_t at = 0;
  // Takes the next word if it is this one.
  const auto take = [&](const std::string& word) {
    if (text.compare(at, word.size() + 1, word + "-") != 0) return false;
    at += word.size() + 1;
    return true;
  };
  for (const Choice& choice : table()) {
    std::string& chosen = point.choices[choice.name];
    for (const Value& value : choice.values) {
      if (value.in_id == nullptr ? chosen.empty() : take(value.in_id)) chosen = value.name;
    }
    if (chosen.empty()) return false;
  }
  const std::string vlen = text.substr(at);
  if (vlen.size() < 3 || vlen.size() > 6 || vlen[0] != 'v' ||
      !std::all_of(vlen.begin() + 1, vlen.end(), [](char c) { return c >= '0' && c <= '9'; }) ||
      vlen[1] == '0') {
    return false;
  }
  point.choices["vlen"] = vlen.substr(1);
  return true;
}

std::string choices_options(const KernelPoint& point) {
  std::string out;
  for (const Choice& choice : table()) {
    const std::string& value = point.choices.at(choice.name);
    if (value == choice.values.front().name && std::string("lmul") != choice.name) continue;
    out += fmt::format("{}--{} {}", out.empty() ? "" : " ", choice.name, value);
  }
  return out;
}

}  // namespace quern::generator::rvv
