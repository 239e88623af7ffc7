#include "bench/snitch/reference.h"

#include <algorithm>

namespace quern::bench::snitch {

using generator::snitch::Kernel;
using generator::snitch::Point;
using generator::snitch::ScalarType;

namespace {

std::int64_t window_step(Kernel kernel) { return kernel == Kernel::conv3x3 ? 1 : 2; }

}  // namespace

std::vector<std::int64_t> operand_sizes(const Point& p) {
  const std::int64_t mn = p.m * p.n, step = window_step(p.kernel);
  const std::int64_t image = (step * (p.m - 1) + 3) * (step * (p.n - 1) + 3);
  switch (p.kernel) {
    case Kernel::fill:
      return {mn};
    case Kernel::sum:
    case Kernel::axpy:
      return {mn, mn, mn};
    case Kernel::relu:
      return {mn, mn};
    case Kernel::dot:
      return {p.k, p.k, 1};
    case Kernel::matmul:
    case Kernel::matmul_t:
      return {p.m * p.k, p.k * p.n, mn};
    case Kernel::dense:
      return {p.m * p.k, p.k * p.n, mn, p.n};
    case Kernel::conv3x3:
      return {image, 9, mn};
    case Kernel::max_pool3x3:
    case Kernel::sum_pool3x3:
      return {image, mn};
  }
  return {};
}

int output_operand(const Point& p) {
  switch (p.kernel) {
    case Kernel::fill:
      return 0;
    case Kernel::relu:
    case Kernel::max_pool3x3:
    case Kernel::sum_pool3x3:
      return 1;
    default:
      return 2;
  }
}

ScalarType output_type(const Point& p) {
  switch (p.kernel) {
    case Kernel::fill:
    case Kernel::sum:
    case Kernel::relu:
    case Kernel::axpy:
    case Kernel::max_pool3x3:
      return p.type;
    default:
      return p.type == ScalarType::f16 ? ScalarType::f32 : p.type;
  }
}

std::vector<double> reference(const Point& p, const Operands& x, double scalar) {
  std::vector<double> z(static_cast<std::size_t>(operand_sizes(p)[output_operand(p)]));
  const auto each = [&](auto&& value) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) z[i * p.n + j] = value(i, j, i * p.n + j);
    }
  };
  const auto product = [&](std::int64_t i, std::int64_t j, bool transposed) {
    double sum = 0;
    for (std::int64_t k = 0; k < p.k; ++k) {
      sum += x[0][i * p.k + k] * x[1][transposed ? j * p.k + k : k * p.n + j];
    }
    return sum;
  };
  const std::int64_t step = window_step(p.kernel), width = step * (p.n - 1) + 3;
  const auto window = [&](std::int64_t i, std::int64_t j, auto&& combine) {
    double value = 0;
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        const double element = x[0][(step * i + a) * width + step * j + b];
        value = combine(value, element, 3 * a + b);
      }
    }
    return value;
  };
  switch (p.kernel) {
    case Kernel::fill:
      std::fill(z.begin(), z.end(), scalar);
      break;
    case Kernel::sum:
      each([&](auto, auto, auto e) { return x[0][e] + x[1][e]; });
      break;
    case Kernel::relu:
      each([&](auto, auto, auto e) { return std::max(x[0][e], 0.0); });
      break;
    case Kernel::axpy:
      each([&](auto, auto, auto e) { return scalar * x[0][e] + x[1][e]; });
      break;
    case Kernel::dot:
      for (std::int64_t k = 0; k < p.k; ++k) z[0] += x[0][k] * x[1][k];
      break;
    case Kernel::matmul:
      each([&](auto i, auto j, auto) { return product(i, j, false); });
      break;
    case Kernel::matmul_t:
      each([&](auto i, auto j, auto) { return product(i, j, true); });
      break;
    case Kernel::dense:
      each([&](auto i, auto j, auto) { return std::max(product(i, j, false) + x[3][j], 0.0); });
      break;
    case Kernel::conv3x3:
      each([&](auto i, auto j, auto) {
        return window(i, j, [&](double v, double e, int at) { return v + e * x[1][at]; });
      });
      break;
    case Kernel::max_pool3x3:
      each([&](auto i, auto j, auto) {
        return window(i, j,
                      [](double v, double e, int at) { return at == 0 ? e : std::max(v, e); });
      });
      break;
    case Kernel::sum_pool3x3:
      each([&](auto i, auto j, auto) {
        return window(i, j, [](double v, double e, int) { return v + e; });
      });
      break;
  }
  return z;
}

}  // namespace quern::bench::snitch
