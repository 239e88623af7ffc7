#include "generator/skeleton/skeleton_emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <regex>

#include "base/error.h"

namespace quern::generator::skeleton {
namespace {

// Scalar registers of the machines that this is for: sums, a column of A and a row of B.
constexpr int registers = 32;

}  // namespace

// One choice, to show how they are declared: whether the products are added by fma().
std::vector<Parameter> SkeletonEmitter::parameters(const Target&) const {
  return {{"fma", {"no", "yes"}, "multiply and add in one rounding, with fma() of <math.h>"}};
}

std::vector<std::string> SkeletonEmitter::constraints() const {
  return {"tile size", "choices", "type", "registers"};
}

std::string SkeletonEmitter::id(const KernelPoint& point) const {
  return fmt::format("skeleton-{}-{}x{}{}", info(point.dtype).name, point.m_r, point.n_r,
                     point.choices.at("fma") == "yes" ? "-fma" : "");
}

KernelPoint SkeletonEmitter::parse_id(const std::string& id) const {
  static const std::regex form(R"(skeleton-(\w+)-(\d{1,2})x(\d{1,2})(-fma)?)");
  std::smatch part;
  if (!std::regex_match(id, part, form) || !parse_dtype(part[1].str())) {
    throw bad_input("\"{}\" is not a kernel point id: expected e.g. skeleton-f32-4x4", id);
  }
  return {family(),
          *parse_dtype(part[1].str()),
          std::stoi(part[2]),
          std::stoi(part[3]),
          {{"fma", part[4].matched ? "yes" : "no"}}};
}

std::vector<Emitter::Violation> SkeletonEmitter::violations(const KernelPoint& point,
                                                            const Target&) const {
  if (point.m_r < 1 || point.n_r < 1) return {{"tile size", "m_r and n_r must be 1 or more"}};
  if (const std::string& fma = point.choices.at("fma"); fma != "no" && fma != "yes")
    return {{"choices", fmt::format("fma = {}: expected no or yes", fma)}};
  if (point.dtype != DType::f32 && point.dtype != DType::f64)
    return {{"type", fmt::format("{} is not a type of this family", info(point.dtype).name)}};
  const int needed = point.m_r * point.n_r + point.m_r + point.n_r;
  if (needed > registers)
    return {{"registers", fmt::format("the tile needs {} of {} registers", needed, registers)}};
  return {};
}

KernelForm SkeletonEmitter::form_of(const KernelPoint&) const { return {.lanes = 1}; }

Emitter::Family SkeletonEmitter::family_of(const KernelPoint& point) const {
  Family family{1, {}};
  for (int m = 1; m <= point.m_r; ++m) {
    for (int n = 1; n <= point.n_r; ++n)
      family.points.push_back({point.family, point.dtype, m, n, point.choices});
  }
  return family;
}

Kernel SkeletonEmitter::emit(const KernelPoint& point, const Target& target) const {
  Kernel kernel{id(point), "quern_" + id(point), "", ".c"};
  if (const auto broken = violations(point, target); !broken.empty())
    throw bad_input("{}: {}", kernel.id, broken.front().reason);
  std::ranges::replace(kernel.symbol, '-', '_');
  const auto type = info(point.dtype).sum_type;
  const bool fma = point.choices.at("fma") == "yes";
  std::string& out = kernel.source;
  const auto line = [&out](int indent, fmt::string_view format, auto&&... args) {
    out.append(static_cast<std::size_t>(indent) * 2, ' ');
    fmt::vformat_to(std::back_inserter(out), format, fmt::make_format_args(args...));
    out += '\n';
  };
  line(0, "/* {}: a GEMM micro-kernel in scalar C. Contract: gemm/micro_kernel.h. */", kernel.id);
  if (fma) line(0, "#include <math.h>");
  line(0, "#include <stdint.h>");
  line(0, "");
  line(0, "void {}(int64_t m, int64_t k, const {}* alpha, const {}* a, const {}* b,", kernel.symbol,
       type, type, type);
  const std::string margin(kernel.symbol.size() + 6, ' ');
  line(0, "{}const {}* beta, {}* c, int64_t ldc) {{", margin, type, type);
  for (int i = 0; i < point.m_r; ++i) {
    for (int j = 0; j < point.n_r; ++j) line(1, "{} c{}_{} = 0;", type, i, j);
  }
  line(1, "for (int64_t p = 0; p < k; ++p) {{");
  for (int i = 0; i < point.m_r; ++i) line(2, "const {} a{} = a[{}];", type, i, i);
  for (int j = 0; j < point.n_r; ++j) line(2, "const {} b{} = b[{}];", type, j, j);
  const char* function = point.dtype == DType::f32 ? "fmaf" : "fma";
  for (int i = 0; i < point.m_r; ++i) {
    for (int j = 0; j < point.n_r; ++j) {
      if (fma) {
        line(2, "c{0}_{1} = {2}(a{0}, b{1}, c{0}_{1});", i, j, function);
      } else {
        line(2, "c{0}_{1} += a{0} * b{1};", i, j);
      }
    }
  }
  line(2, "a += m;");
  const int n_r = point.n_r;
  line(2, "b += {};", n_r);
  line(1, "}}");
  line(1, "if (*beta == 0) {{ /* C is not read: a NaN there must not survive */");
  for (int j = 0; j < point.n_r; ++j) {
    for (int i = 0; i < point.m_r; ++i) line(2, "c[{1} * ldc + {0}] = *alpha * c{0}_{1};", i, j);
  }
  line(1, "}} else {{");
  for (int j = 0; j < point.n_r; ++j) {
    for (int i = 0; i < point.m_r; ++i)
      line(2, "c[{1} * ldc + {0}] = *alpha * c{0}_{1} + *beta * c[{1} * ldc + {0}];", i, j);
  }
  line(1, "}}");
  line(0, "}}");
  return kernel;
}

}  // namespace quern::generator::skeleton
