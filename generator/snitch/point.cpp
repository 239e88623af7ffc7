#include "generator/snitch/point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <vector>

#include "base/error.h"

namespace quern::generator::snitch {
namespace {

constexpr KernelInfo kKernels[] = {
    {Kernel::fill, "fill", true, false, false, "fill(z, value)"},
    {Kernel::sum, "sum", true, false, false, "sum(x, y, z)"},
    {Kernel::relu, "relu", true, false, false, "relu(x, z)"},
    {Kernel::axpy, "axpy", true, false, false, "axpy(x, y, z, value)"},
    {Kernel::dot, "dot", false, true, false, "dot(x, y, z)"},
    {Kernel::matmul, "matmul", true, true, true, "matmul(a, b, c)"},
    {Kernel::matmul_t, "matmul_t", true, true, true, "matmul_t(a, b, c)"},
    {Kernel::dense, "dense", true, true, true, "dense(a, b, c, bias)"},
    {Kernel::conv3x3, "conv3x3", true, false, true, "conv3x3(x, w, z)"},
    {Kernel::max_pool3x3, "max_pool3x3", true, false, true, "max_pool3x3(x, z)"},
    {Kernel::sum_pool3x3, "sum_pool3x3", true, false, true, "sum_pool3x3(x, z)"},
};

struct PassName {
  std::string_view name;
  bool Passes::*member;
};
constexpr PassName kPasses[] = {{"streams", &Passes::streams},
                                {"replacement", &Passes::scalar_replacement},
                                {"frep", &Passes::frep},
                                {"fuse", &Passes::fuse_fill},
                                {"jam", &Passes::unroll_and_jam}};

constexpr std::int64_t kMaximumSize = 1 << 20;  // far more than any operand in TCDM can have

[[noreturn]] void fail(std::string_view text, std::string_view why) {
  throw bad_input(
      "\"{}\" is not a Snitch kernel point ({}); expected for example "
      "snitch-f64-matmul-m1-n5-k200-1x5",
      text, why);
}

std::int64_t number(std::string_view text, std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    fail(text, fmt::format("\"{}\" is not a number", digits));
  }
  return value;
}

int factor(std::string_view text, std::string_view digits) {
  const std::int64_t value = number(text, digits);
  if (value < 1 || value > kMaximumSize) {
    fail(text, fmt::format("unroll and jam by {}: expected 1 to {}", value, kMaximumSize));
  }
  return static_cast<int>(value);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

std::span<const KernelInfo> kernels() { return kKernels; }

const KernelInfo& info(Kernel kernel) { return kKernels[static_cast<int>(kernel)]; }

Kernel parse_kernel(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KernelInfo& k : kKernels) {
    if (k.name == name) return k.kernel;
    names.push_back(k.name);
  }
  throw bad_input("no Snitch kernel \"{}\"; there are {}", name, fmt::join(names, ", "));
}

ScalarType parse_type(std::string_view name) {
  for (ScalarType type : {ScalarType::f64, ScalarType::f32, ScalarType::f16}) {
    if (name_of(type) == name) return type;
  }
  throw bad_input("no Snitch element type \"{}\"; there are f64, f32, f16", name);
}

std::string id(const Point& point) {
  const KernelInfo& kernel = info(point.kernel);
  std::string text = fmt::format("snitch-{}-{}", name_of(point.type), kernel.name);
  if (kernel.uses_mn) text += fmt::format("-m{}-n{}", point.m, point.n);
  if (kernel.uses_k) text += fmt::format("-k{}", point.k);
  if (point.m_r != 0 || point.n_r != 0) text += fmt::format("-{}x{}", point.m_r, point.n_r);
  for (const PassName& pass : kPasses) {
    if (!(point.passes.*pass.member)) text += fmt::format("-no-{}", pass.name);
  }
  return text;
}

Point parse_id(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '-');
  if (parts.size() < 3 || parts[0] != "snitch") fail(text, "it does not start with snitch-");
  Point point;
  point.type = parse_type(parts[1]);
  point.kernel = parse_kernel(parts[2]);
  for (std::size_t i = 3; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (part == "no" && i + 1 < parts.size()) {
      ++i;
      bool known = false;
      for (const PassName& pass : kPasses) {
        if (pass.name == parts[i]) {
          point.passes.*pass.member = false;
          known = true;
        }
      }
      if (!known) fail(text, fmt::format("no pass \"{}\"", parts[i]));
    } else if (part.size() > 1 && (part[0] == 'm' || part[0] == 'n' || part[0] == 'k')) {
      (part[0] == 'm'   ? point.m
       : part[0] == 'n' ? point.n
                        : point.k) = number(text, part.substr(1));
    } else if (const std::size_t x = part.find('x'); x != std::string_view::npos) {
      point.m_r = factor(text, part.substr(0, x));
      point.n_r = factor(text, part.substr(x + 1));
    } else {
      fail(text, fmt::format("\"{}\" means nothing", part));
    }
  }
  check(point);
  if (id(point) != text) fail(text, fmt::format("it is written {}", id(point)));
  return point;
}

void check(const Point& point) {
  const auto size = [](std::string_view name, std::int64_t value) {
    if (value < 1 || value > kMaximumSize) {
      throw bad_input("{} is {}; expected 1 to {}", name, value, kMaximumSize);
    }
  };
  size("m", point.m);
  size("n", point.n);
  size("k", point.k);
  const KernelInfo& kernel = info(point.kernel);
  if (!kernel.uses_mn && (point.m != 1 || point.n != 1)) {
    throw bad_input("{} has only the size k", kernel.name);
  }
  if (!kernel.uses_k && point.k != 1) throw bad_input("{} has only the sizes m and n", kernel.name);
  if (!kernel.jams && (point.m_r != 0 || point.n_r != 0)) {
    throw bad_input("{} has no unroll and jam to choose (--mr, --nr)", kernel.name);
  }
  if (point.m_r < 0 || point.n_r < 0 || (point.m_r == 0) != (point.n_r == 0)) {
    throw bad_input("unroll and jam {}x{}: expected both factors, 1 or more", point.m_r, point.n_r);
  }
}

}  // namespace quern::generator::snitch
