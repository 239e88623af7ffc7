#include "generator/snitch/pack_outputs.h"

#include <fmt/format.h>

#include "base/error.h"
#include "generator/snitch/pack.h"

namespace quern::generator::snitch {
namespace {

constexpr std::int64_t kWord = 8;
std::int64_t whole_words(std::int64_t bytes) { return (bytes + kWord - 1) / kWord * kWord; }

// The iterators and operands of the kernels that are packed here, by place in the nest.
constexpr std::size_t kRow = 0, kColumn = 1, kReduction = 2;

class Packer {
 public:
  Packer(const LoopNest& nest, int workspace, Spread spread, std::int64_t used)
      : n_(nest), workspace_(workspace), spread_(spread), size_(size_of(nest.type)) {
    result_.words = nest;
    result_.workspace_bytes = used;
    outputs_ = kWord / size_of(nest.output().type);
  }

  std::optional<PackedOutputs> run(std::string& why);

 private:
  bool widens() const { return n_.accumulator != n_.type; }
  std::int64_t extent(std::size_t d) const { return n_.iterators[d].extent; }
  Operand& operand(int index) { return result_.words.operands[index]; }
  Staging staging(const Operand& o) const {
    Staging s;
    s.name = o.name;
    s.argument = o.argument;
    s.offset = o.map.offset;
    return s;
  }
  // Room in the workspace for `bytes`.
  std::int64_t reserve(std::int64_t bytes) {
    const std::int64_t at = result_.workspace_bytes;
    result_.workspace_bytes += whole_words(bytes);
    return at;
  }
  void move_to_workspace(Operand& o, std::vector<std::int64_t> coefficients, std::int64_t offset) {
    o.argument = workspace_;
    o.map = {std::move(coefficients), offset};
  }

  bool product(std::string& why);
  void spread_left();
  void transpose_right();
  void interleave_right();
  void window();
  void window_weights();

  const LoopNest& n_;
  const int workspace_;
  const Spread spread_;
  const std::int64_t size_;
  std::int64_t outputs_;  // of one word
  PackedOutputs result_;
};

// A[m, k] in every lane; halves in pairs along k.
void Packer::spread_left() {
  Operand& a = operand(0);
  const std::int64_t steps = result_.words.iterators[kReduction].extent;
  Staging s = staging(a);
  s.row = a.map.coefficients[kRow];
  s.source_step = 4;
  s.target_step = kWord;
  s.count = steps;
  s.copies = {{0, 0, 4}};
  if (widens()) s.copies.push_back({0, 4, 4});
  s.target_row = steps * kWord;
  a.broadcast = true;
  if (spread_ == Spread::row_by_row) {
    s.alternating = true;
    move_to_workspace(a, {s.target_row, 0, kWord}, 0);
    a.staging = s;
    return;
  }
  s.rows = extent(kRow);
  s.target = reserve(s.rows * s.target_row);
  move_to_workspace(a, {s.target_row, 0, kWord}, s.target);
  result_.staged_first.push_back(s);
}

// B[n, k] as rows of k: words of two columns; of halves, of two neighbours along k each.
void Packer::transpose_right() {
  Operand& b = operand(1);
  const std::int64_t columns = extent(kColumn), column = b.map.coefficients[kColumn],
                     rows = result_.words.iterators[kReduction].extent;
  Staging s = staging(b);
  s.copies = {{0, 0, 4}};
  s.target = reserve(rows * columns * 4);
  // Copied along k if the distant stores are within reach of one register, else along n.
  constexpr std::int64_t kReach = 256;
  if (columns * 4 <= kReach) {
    s.rows = columns;
    s.row = column;
    s.count = rows;
    s.target_step = columns * 4;
    s.target_row = 4;
  } else {
    s.rows = rows;
    s.row = 4;
    s.count = columns;
    s.source_step = column;
    s.target_row = columns * 4;
  }
  move_to_workspace(b, {0, kWord, columns * 4}, s.target);
  result_.staged_first.push_back(s);
}

// B[k, n] of halves in words of two columns and, each, two neighbours along k.
void Packer::interleave_right() {
  Operand& b = operand(1);
  const std::int64_t row = b.map.coefficients[kReduction];
  Staging s = staging(b);
  s.element = 2;
  s.row = 2 * row;
  s.rows = extent(kReduction) / 2;
  s.count = extent(kColumn);
  s.source_step = 2;
  s.copies = {{0, 0, 2}, {row, 2, 2}};
  s.target_row = s.count * 4;
  s.target = reserve(s.rows * s.target_row);
  move_to_workspace(b, {0, kWord, s.target_row}, s.target);
  result_.staged_first.push_back(s);
}

bool Packer::product(std::string& why) {
  LoopNest& words = result_.words;
  const bool transposed = n_.operands[1].map.coefficients[kReduction] == size_;
  if (widens() && extent(kReduction) % 2 != 0) {
    why = fmt::format("k = {} is odd", extent(kReduction));
    return false;
  }
  if (widens()) words.iterators[kReduction].extent /= 2;
  if (transposed) {
    transpose_right();
  } else if (widens()) {
    interleave_right();
  } else {
    operand(1).map.coefficients[kColumn] *= outputs_;
  }
  // The buffers of a row take turns: the next one is written while this one is read, which is safe
  // only if a hardware loop lies between (the core waits at it for the one before).
  if (words.iterators[kReduction].extent < 4) {
    why = "the reduction is too short to be staged";
    return false;
  }
  spread_left();
  if (n_.init_operand >= 0) operand(n_.init_operand).map.coefficients[kColumn] *= outputs_;
  return true;
}

// Copies of a row of X shifted by the columns of the window; in halves, pairs of columns for dot
// products, the last one with a zero.
void Packer::window() {
  LoopNest& words = result_.words;
  Operand& x = operand(0);
  const std::int64_t step = x.map.coefficients[kColumn] / size_, row = x.map.coefficients[2];
  const bool pairs = widens();
  const std::int64_t copy = whole_words(extent(kColumn) * (pairs ? 4 : size_));
  Staging s = staging(x);
  s.row = row;
  s.element = size_;
  s.source_step = step * size_;
  s.target_step = pairs ? 4 : size_;
  s.count = extent(kColumn);
  if (pairs) {
    s.copies = {{0, 0, 2}, {2, 2, 2}, {4, copy, 4}};
  } else {
    s.copies = {{0, 0, size_}, {size_, copy, size_}, {2 * size_, 2 * copy, size_}};
  }
  const std::int64_t copies = pairs ? 2 : 3;
  s.target_row = copies * copy;
  s.rows = step;
  s.halo = 3 - step;
  s.target = reserve((step * (extent(kRow) - 1) + 3) * s.target_row);
  words.iterators[3].extent = copies;
  move_to_workspace(x, {step * s.target_row, kWord, s.target_row, copy}, s.target);
  x.staging = s;
  if (n_.body.op == ScalarOp::fma) window_weights();
}

void Packer::window_weights() {
  Operand& w = operand(1);
  Staging s = staging(w);
  s.element = size_;
  if (widens()) {
    s.rows = 3;
    s.row = 3 * size_;
    s.copies = {{0, 0, 2}, {2, 2, 2}, {0, 4, 2}, {2, 6, 2}, {4, 8, 4}, {4, 12, 4}};
    s.target_row = 2 * kWord;
  } else {
    s.source_step = size_;
    s.target_step = kWord;
    s.count = 9;
    s.copies = {{0, 0, 4}};
    s.row = 9 * size_;
    s.target_row = 9 * kWord;
  }
  s.target = reserve(s.rows * s.target_row);
  const std::int64_t window_row = widens() ? s.target_row : 3 * kWord;
  move_to_workspace(w, {0, 0, window_row, kWord}, s.target);
  w.broadcast = true;
  result_.staged_first.push_back(s);
}

std::optional<PackedOutputs> Packer::run(std::string& why) {
  if (extent(kColumn) % outputs_ != 0) {
    why = fmt::format("{} = {} is no multiple of the {} outputs of a word",
                      n_.iterators[kColumn].name, extent(kColumn), outputs_);
    return std::nullopt;
  }
  LoopNest& words = result_.words;
  words.lanes = static_cast<int>(kWord / size_);
  words.lane_contents = Lanes::outputs;
  words.iterators[kColumn].extent /= outputs_;
  operand(n_.output_index()).map.coefficients[kColumn] *= outputs_;
  if (n_.iterators.size() == 3) {
    if (!product(why)) return std::nullopt;
  } else {
    window();
  }
  return std::move(result_);
}

}  // namespace

std::optional<PackedOutputs> pack_outputs(const LoopNest& nest, int workspace, std::string& why,
                                          Spread spread, std::int64_t used) {
  QUERN_CHECK(nest.has_reduction() && nest.type != ScalarType::f64);
  if (nest.iterators.size() < 3) {
    why = "there is one output";
    return std::nullopt;
  }
  return Packer(nest, workspace, spread, used).run(why);
}

std::optional<PackedOutputs> transpose_right_operand(const LoopNest& nest, int workspace,
                                                     std::string& why) {
  const std::int64_t size = size_of(nest.type);
  if (nest.iterators.size() != 3 || nest.operands[1].map.coefficients[kColumn] != size ||
      nest.body.op != ScalarOp::fma) {
    why = "B is no matrix to be transposed";
    return std::nullopt;
  }
  PackedOutputs result{nest, {}, 0};
  const std::int64_t columns = nest.iterators[kColumn].extent,
                     length = nest.iterators[kReduction].extent;
  Operand& b = result.words.operands[1];
  Staging s;
  s.name = b.name;
  s.argument = b.argument;
  s.offset = b.map.offset;
  s.element = s.row = s.target_step = size;
  s.source_step = b.map.coefficients[kReduction];
  s.count = length;
  s.rows = columns;
  s.copies = {{0, 0, size}};
  s.target_row = length * size;
  result.workspace_bytes = whole_words(columns * s.target_row);
  b.argument = workspace;
  b.map = {{0, s.target_row, size}, 0};
  b.name += "_t";
  result.staged_first.push_back(s);
  return result;
}

}  // namespace quern::generator::snitch
