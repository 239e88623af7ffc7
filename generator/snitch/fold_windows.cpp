#include "generator/snitch/fold_windows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace quern::generator::snitch {
namespace {

constexpr std::int64_t kWord = 8;
// The iterators of windows, by place in the nest.
constexpr int kRow = 0, kColumn = 1;
// Outputs of a chunk, at least, unless it is the only one: the core takes them after it has fed the
// next chunk's tile to the sequencer, when the last ones must have left the write stream.
constexpr std::int64_t kChunk = 8;

class Folder {
 public:
  Folder(const LoopNest& nest, int workspace, const Machine& machine)
      : n_(nest), workspace_(workspace), machine_(machine) {
    m_ = nest.iterators[kRow].extent;
    columns_ = nest.iterators[kColumn].extent;
    width_ = 2 * columns_ + 1;  // pairs from one even row of X to the next
    result_.converts = nest.accumulator != nest.type;
  }

  // With `jam` outputs a tile and `rows` rows a chunk.
  FoldedWindows run(std::int64_t jam, std::int64_t rows);

 private:
  bool spreads() const { return n_.type == ScalarType::f16; }
  void place_copies();
  void place_streams();
  StreamedOperand stream(int operand, std::vector<StreamDimension> dimensions,
                         std::int64_t offset) const;
  double cycles() const;

  const LoopNest& n_;
  const int workspace_;
  const Machine& machine_;
  std::int64_t m_, columns_, width_;
  std::int64_t results_ = 0;  // place in the workspace
  FoldedWindows result_;
};

void Folder::place_copies() {
  const std::int64_t size = size_of(n_.output().type);
  const std::int64_t padded = result_.row_tiles * result_.jam;
  if (spreads()) {
    Staging s;
    s.name = n_.operands[0].name;
    s.argument = n_.operands[0].argument;
    s.target_step = kWord;
    s.copies = {{0, 0, 4}};
    s.count = columns_ + 1;
    s.row = 4 * s.count;
    s.target_row = kWord * s.count;
    result_.spread_first = s;
    s.offset = s.row;
    s.target = s.target_row;
    s.count = width_;
    s.row = 4 * s.count;
    s.target_row = kWord * s.count;
    s.rows = result_.rows;
    result_.spread = s;
    // What the last tile of the last row reads and nobody needs included.
    results_ = kWord * (m_ * width_ + padded + 1);
  }
  result_.output_argument = n_.output().argument;
  Staging& take = result_.take;
  take.name = n_.output().name;
  take.argument = workspace_;
  take.offset = results_;
  take.row = kWord * padded;
  take.rows = result_.rows;
  take.element = size;
  take.source_step = kWord;
  take.target_step = size;
  take.count = columns_;
  take.copies = {{size, 0, size}};
  take.target_row = size * columns_;
  result_.workspace_bytes = results_ + kWord * padded * m_;
}

StreamedOperand Folder::stream(int operand, std::vector<StreamDimension> dimensions,
                               std::int64_t offset) const {
  StreamedOperand o;
  o.operand = o.mover = operand;
  o.pattern.dimensions = std::move(dimensions);
  o.pattern.offset = offset;
  o.pattern = simplify(o.pattern, false, machine_);
  // What is spread row by row is streamed chunk by chunk.
  o.covers_hoisted = !spreads() || operand == 2;
  return o;
}

void Folder::place_streams() {
  StreamNest& s = result_.streams;
  s.nest = n_;
  Operand x = n_.operands[0], z = n_.output();
  if (spreads()) x.argument = workspace_;
  z.argument = workspace_;
  z.name += "_words";
  z.map.offset = results_;
  s.nest.operands = {x, x, z};
  s.nest.operands[1].name += "_below";
  const std::int64_t jam = result_.jam, tiles = result_.row_tiles;
  const std::int64_t rows = spreads() ? result_.rows : m_;
  s.hoisted = {{kRow, (m_ + result_.rows - 1) / result_.rows, result_.rows}};
  s.tiles = {{kRow, result_.rows, 1}, {kColumn, tiles, jam}};
  s.jam = {{kColumn, jam, 1}};
  const StreamDimension tile{tiles, kWord * jam}, row{rows, kWord * width_};
  const std::int64_t below = kWord * width_, odd = kWord * columns_;
  if (spreads()) {
    // Every pair comes once: e_c; below e'_c and the odd row's pair (.. o0) of it in turn.
    s.operands = {stream(0, {{jam + 1, kWord}, tile, row}, 0),
                  stream(1, {{2, odd - below}, {jam + 1, kWord}, tile, row}, below)};
  } else {
    // In turn e_c and the odd row's pair; below e'_c and the odd row's pair of the output before.
    s.operands = {stream(0, {{2, odd}, {jam + 1, kWord}, tile, row}, 0),
                  stream(1, {{2, odd - kWord - below}, {jam + 1, kWord}, tile, row}, below)};
  }
  s.operands.push_back(stream(2, {{jam * tiles * m_, kWord}}, results_));
}

double Folder::cycles() const {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double instructions = number(tile_instructions(result_));
  const auto distance = number(n_.body.op == ScalarOp::max ? machine_.non_computational_distance
                                                           : machine_.add_multiply_distance);
  // At the ends of a tile, where fewer outputs are interleaved.
  const double stalls = distance + 4 * std::max(0.0, distance - number(result_.jam));
  const double chunks = number((m_ + result_.rows - 1) / result_.rows);
  // A load and a store an element, pointers and loop.
  const auto copy = [&](const std::optional<Staging>& s) {
    return s ? 2 * number(s->count) + 4 : 0.0;
  };
  const double take = copy(result_.take), spread = copy(result_.spread);
  // A hardware loop: a gap between two. Of the core: its body, pointers, streams.
  constexpr double kGap = 4, kLoop = 14, kSetup = 50, kDrain = 16;
  const double fpu = number(m_ * result_.row_tiles) * (instructions + stalls) + chunks * kGap;
  const double rows = number(m_ - result_.rows);
  // The port to memory that the core shares with ft0 is what it often waits for.
  constexpr double kShared = 0.4;
  const double shared =
      kShared * number(m_ * result_.row_tiles * (result_.jam + 1)) * (spreads() ? 1 : 2);
  const double core = chunks * (instructions + kLoop) + rows * (take + spread) + shared;
  const double first =
      result_.spread_first ? result_.spread_first->row_cycles() + number(result_.rows) * spread : 0;
  return kSetup + first + std::max(fpu, core) + kDrain + number(result_.rows) * take;
}

FoldedWindows Folder::run(std::int64_t jam, std::int64_t rows) {
  result_.jam = jam;
  result_.rows = rows;
  result_.row_tiles = (columns_ + jam - 1) / jam;
  place_copies();
  place_streams();
  result_.cycles = cycles();
  return std::move(result_);
}

}  // namespace

bool is_pooling(const LoopNest& nest) {
  return nest.iterators.size() == 4 && nest.operands.size() == 2 && nest.body.op != ScalarOp::fma;
}

std::int64_t tile_instructions(const FoldedWindows& windows) {
  if (windows.converts) return 8 * windows.jam + 4;
  return windows.spread ? 6 * windows.jam + 2 : 5 * windows.jam + 2;
}

std::optional<FoldedWindows> fold_windows(const LoopNest& nest, int workspace, std::int64_t room,
                                          const Machine& machine, std::string& why) {
  QUERN_CHECK(is_pooling(nest) && nest.type != ScalarType::f64);
  // V, w, the odd row and two of the row below; none of the stream registers.
  constexpr std::int64_t kRegisters = 29;
  const std::int64_t rows = nest.iterators[kRow].extent, columns = nest.iterators[kColumn].extent;
  std::optional<FoldedWindows> best;
  for (std::int64_t jam = 1; jam <= columns; ++jam) {
    for (std::int64_t chunk = 1; chunk <= rows; chunk = std::min(2 * chunk, rows)) {
      FoldedWindows windows = Folder(nest, workspace, machine).run(jam, chunk);
      if (tile_instructions(windows) > machine.sequencer_entries) return best;
      if ((windows.spread ? 3 * jam + 4 : 2 * jam + 1) > kRegisters) return best;
      bool streams = true;
      for (const StreamedOperand& o : windows.streams.operands) {
        streams &= unstreamable(o.pattern, machine).empty();
      }
      if (!streams || chunk * windows.row_tiles > machine.frep_iterations) {
        why = "the rows are too long for streams or hardware loops";
      } else if (windows.workspace_bytes > room) {
        why = fmt::format("a workspace of {} bytes does not fit beside the operands, {} are free",
                          windows.workspace_bytes, room);
      } else if ((chunk == rows || chunk * columns >= kChunk) &&
                 (!best || windows.cycles < best->cycles)) {
        best = std::move(windows);
      }
      if (chunk == rows) break;
    }
  }
  return best;
}

std::string print(const FoldedWindows& windows) {
  std::string text = print(windows.streams);
  text.erase(text.rfind('}'));
  if (windows.spread) {
    text += fmt::format("  copy first {}\n  copy for each chunk {}\n", print(*windows.spread_first),
                        print(*windows.spread));
  }
  text += fmt::format("  fold {}, {} instructions\n", windows.converts ? "f32" : "as they are",
                      tile_instructions(windows));
  return text + fmt::format("  take from each chunk {}\n}}\n", print(windows.take));
}

}  // namespace quern::generator::snitch
