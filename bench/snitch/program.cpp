#include "bench/snitch/program.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "base/error.h"
#include "bench/snitch/reference.h"

namespace quern::bench::snitch {

using generator::snitch::Buffer;
using generator::snitch::Generated;
using generator::snitch::Point;
using generator::snitch::ScalarType;

namespace {

constexpr std::uint32_t kTcdm = 0x1000'0000;
constexpr double kScalar = 3;  // fill's value and axpy's factor

std::int64_t round_up(std::int64_t bytes) { return (bytes + 7) / 8 * 8; }

// The value sequence of harness.S.
std::vector<double> values(const PlacedOperand& operand) {
  std::vector<double> result(static_cast<std::size_t>(operand.elements));
  std::uint32_t s = operand.start;
  for (double& value : result) {
    value = 2 * static_cast<double>((s ^ (s >> 5)) & 15) - 15;
    s += operand.step;
  }
  return result;
}

// h = 31 h + half word over the output in memory order.
std::uint32_t checksum(ScalarType type, const std::vector<double>& output) {
  std::uint32_t h = 0;
  for (double value : output) {
    const std::uint64_t bits = bits_of(type, value);
    for (int i = 0; i < size_of(type) / 2; ++i) {
      h = 31 * h + static_cast<std::uint32_t>(bits >> (16 * i) & 0xffff);
    }
  }
  return h;
}

}  // namespace

std::uint64_t bits_of(ScalarType type, double value) {
  switch (type) {
    case ScalarType::f64:
      return std::bit_cast<std::uint64_t>(value);
    case ScalarType::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case ScalarType::f16:
      break;
  }
  // Normal half-precision numbers and zero are all that the operands can produce.
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (value == 0) return sign;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 11));
  QUERN_CHECK(exponent > -14 && exponent <= 16 &&
              std::ldexp(static_cast<double>(mantissa), exponent - 11) == std::fabs(value));
  return sign | static_cast<std::uint64_t>(exponent + 14) << 10 | (mantissa & 0x3ff);
}

double value_of(ScalarType type, std::uint64_t bits) {
  switch (type) {
    case ScalarType::f64:
      return std::bit_cast<double>(bits);
    case ScalarType::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case ScalarType::f16:
      break;
  }
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto mantissa = static_cast<double>(bits & 0x3ff);
  double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  if (exponent == 31) magnitude = mantissa == 0 ? INFINITY : NAN;
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

MeasuredProgram measured_program(const Point& point, const Generated& generated) {
  MeasuredProgram program;
  std::int64_t at = kTcdm;
  std::uint32_t number = 0;
  Operands operands;
  for (const Buffer& buffer : generator::snitch::buffers(point)) {
    PlacedOperand operand{buffer.name,
                          buffer.type,
                          buffer.elements,
                          buffer.output,
                          static_cast<std::uint32_t>(at),
                          1 + 3 * number,
                          3 + 4 * number};
    at += round_up(buffer.bytes());
    ++number;
    operands.push_back(values(operand));
    program.operands.push_back(std::move(operand));
  }
  if (generated.workspace_bytes > 0) program.workspace = static_cast<std::uint32_t>(at);

  std::string place =
      "  .section .text.operands, \"ax\"\n  .option norvc\nplace_operands:\n  mv s11, ra\n";
  std::string arguments = "load_arguments:\n";
  std::string check;
  int index = 0;
  for (const PlacedOperand& operand : program.operands) {
    arguments += fmt::format("  li a{}, {:#x}\n", index++, operand.address);
    const std::int64_t halves = operand.elements * size_of(operand.type) / 2;
    if (operand.output) {
      place += fmt::format("  li a0, {:#x}\n  li a1, {}\n  call fill_pattern\n", operand.address,
                           halves);
      check = fmt::format("check_output:\n  li a0, {:#x}\n  li a1, {}\n  j sum_halves\n",
                          operand.address, halves);
    } else {
      place += fmt::format(
          "  li a0, {:#x}\n  li a1, {}\n  li a2, {}\n  li a3, {}\n  call fill_{}\n",
          operand.address, operand.elements, operand.start, operand.step, name_of(operand.type));
    }
  }
  if (program.workspace != 0) {
    arguments += fmt::format("  li a{}, {:#x}\n", index, program.workspace);
  }
  arguments += fmt::format("  la t0, scalar_argument\n  {} fa0, 0(t0)\n  ret\n",
                           point.type == ScalarType::f64 ? "fld" : "flw");
  const std::uint64_t scalar =
      bits_of(point.type == ScalarType::f64 ? ScalarType::f64 : ScalarType::f32, kScalar);
  program.assembly = "  .globl place_operands, load_arguments, check_output, kernel\n" + place +
                     "  jr s11\n" + arguments + check +
                     fmt::format(
                         "  .set kernel, {}\n  .section .rodata.operands, \"a\"\n  .align 3\n"
                         "scalar_argument: .dword {:#x}\n",
                         generated.symbol, scalar);
  program.output = reference(point, operands, kScalar);
  program.checksum = checksum(output_type(point), program.output);
  return program;
}

}  // namespace quern::bench::snitch
