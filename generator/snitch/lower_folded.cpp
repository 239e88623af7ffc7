// Folded windows as code (fold_windows.h):
//
//   copy the pairs of the first chunk     f16 only, there in every chunk
//   frep { tile }                         chunk 0
//   for the other chunks {
//     copy its pairs, start its streams
//     frep { tile }                       accepted when the chunk before has been issued
//     take the results of the chunk before
//   }
//   drain, take the last results
#include <algorithm>

#include "base/error.h"
#include "generator/snitch/fold_windows.h"
#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {
namespace {

class FoldedLowering {
 public:
  FoldedLowering(KernelBuilder& builder, const FoldedWindows& windows)
      : b_(builder), w_(windows), n_(windows.streams.nest), jam_(windows.jam) {
    const std::int64_t rows = n_.iterators[0].extent;
    chunks_ = rows / w_.rows;
    rest_ = rows % w_.rows;
  }

  void run();

 private:
  // A window's operation on words, and with the lowest lane of the second operand in all lanes.
  Opcode operation(bool replicated) const {
    using enum Opcode;
    if (n_.body.op == ScalarOp::add) return replicated ? vfadd_r_s : vfadd_s;
    if (n_.type == ScalarType::f16) return replicated ? vfmax_r_h : vfmax_h;
    return replicated ? vfmax_r_s : vfmax_s;
  }
  std::vector<Register> registers(std::int64_t count, const std::string& role) {
    std::vector<Register> result;
    for (std::int64_t i = 0; i < count; ++i) result.push_back(b_.program.new_float(role));
    return result;
  }
  Block tile();
  void copy(Block& block, const Staging& staging, Register source, Register target,
            std::int64_t rows);
  void chunk(Block& block, std::int64_t rows, bool first);
  void take(Block& block, std::int64_t rows) {
    block.push_back(comment(w_.take.name + ": the results of the rows before"));
    copy(block, w_.take, results_, output_, rows);
  }

  KernelBuilder& b_;
  const FoldedWindows& w_;
  const LoopNest& n_;
  const std::int64_t jam_;
  std::int64_t chunks_, rest_;  // whole chunks, and rows that are left
  Count tiles_{0, "tile count", {}}, rest_tiles_{0, "tile count of the rest", {}};
  Register results_, output_;                  // running pointers
  Register spread_from_, spread_to_, stream_;  // of halves
};

// The outputs' instructions are interleaved: the integer core shares its port to memory with ft0,
// which therefore must not be read in bursts, and no instruction waits for the one before it.
Block FoldedLowering::tile() {
  const Register upper = stream_register(0), lower = stream_register(1), out = stream_register(2);
  const Opcode op = operation(false), op_r = operation(true);
  const std::vector<Register> v = registers(jam_ + 1, "even rows"), w = registers(jam_, "windows");
  Block block;
  const auto put = [&](Opcode opcode, Register rd, Register rs1, Register rs2 = {}) {
    block.push_back(instruction(opcode, rd, rs1, rs2));
  };
  const auto is_output = [&](std::int64_t c) { return c >= 0 && c < jam_; };
  const auto is_pair = [&](std::int64_t c) { return c >= 0 && c <= jam_; };
  if (!w_.spread) {
    for (std::int64_t s = 0; s <= jam_ + 4; ++s) {
      if (is_pair(s)) put(op, v[s], upper, lower);
      // One pair more than there are outputs, so that all dimensions of the streams are rectangles.
      if (s == 0) put(op, w.back(), upper, lower);
      if (is_output(s - 1)) put(op, v[s - 1], v[s - 1], upper);
      if (is_output(s - 5)) put(op, out, w[s - 5], v[s - 5]);
      if (is_output(s - 3)) put(op_r, w[s - 3], w[s - 3], v[s - 3]);
      if (is_output(s - 1)) put(op_r, w[s - 1], lower, v[s]);
    }
    return block;
  }
  const std::vector<Register> odd = registers(jam_ + 1, "odd row"),
                              below = registers(w_.converts ? 2 : 0, "even row below");
  for (std::int64_t s = 0; s <= jam_ + 5; ++s) {
    if (is_pair(s) && w_.converts) {
      put(Opcode::vfcvt_s_h, v[s], upper);
      put(Opcode::vfcvt_s_h, below[s % 2], lower);
      put(Opcode::vfcvt_s_h, odd[s], lower);
    } else if (is_pair(s)) {
      put(op, v[s], upper, lower);
      put(Opcode::fmv_d, odd[s], lower);
    }
    if (is_pair(s - 1) && w_.converts) put(op, v[s - 1], v[s - 1], below[(s - 1) % 2]);
    if (is_output(s - 3)) put(op_r, w[s - 3], odd[s - 3], v[s - 2]);
    if (is_output(s - 3)) put(op, v[s - 3], v[s - 3], odd[s - 2]);
    if (is_output(s - 4)) put(op_r, w[s - 4], w[s - 4], v[s - 4]);
    if (is_output(s - 5)) put(op, out, w[s - 5], v[s - 5]);
  }
  return block;
}

// Rows as straight code, so that nothing but loads and stores takes the core's time.
void FoldedLowering::copy(Block& block, const Staging& staging, Register source, Register target,
                          std::int64_t rows) {
  constexpr std::int64_t kInFlight = 8, kStraight = 64;
  const StagedCopy& place = staging.copies[0];
  const Opcode load = place.bytes == 4 ? Opcode::lw : Opcode::lhu,
               store = place.bytes == 4 ? Opcode::sw : Opcode::sh;
  const auto elements = [&](Block& code, std::int64_t count) {
    for (std::int64_t at = 0; at < count; at += kInFlight) {
      std::vector<Register> loaded;
      for (std::int64_t e = at; e < std::min(count, at + kInFlight); ++e) {
        loaded.push_back(b_.program.new_integer("copied elements"));
        code.push_back(instruction(load, loaded.back(), source, {}, {},
                                   place.source + e * staging.source_step));
      }
      for (std::int64_t e = at; e < std::min(count, at + kInFlight); ++e) {
        code.push_back(instruction(store, {}, target, loaded[e - at], {},
                                   place.target + e * staging.target_step));
      }
    }
  };
  const auto advance = [&](Block& code, std::int64_t from, std::int64_t to) {
    b_.add_immediate(code, source, source, from);
    b_.add_immediate(code, target, target, to);
  };
  const auto repeat = [&](std::int64_t times, const std::string& role, Block code, Block& into) {
    if (times == 1) {
      for (Node& node : code) into.push_back(std::move(node));
    } else {
      into.push_back(loop(times, b_.program.new_integer(role), std::move(code), false));
    }
  };
  const std::int64_t blocks = (staging.count - 1) / kStraight;  // beside the last one
  Block row;
  if (blocks > 0) {
    Block straight;
    elements(straight, kStraight);
    advance(straight, kStraight * staging.source_step, kStraight * staging.target_step);
    repeat(blocks, "element loop", std::move(straight), row);
  }
  const std::int64_t done = blocks * kStraight;
  elements(row, staging.count - done);
  advance(row, staging.row - done * staging.source_step,
          staging.target_row - done * staging.target_step);
  repeat(rows, "row loop", std::move(row), block);
}

void FoldedLowering::chunk(Block& block, std::int64_t rows, bool first) {
  if (w_.spread) {
    block.push_back(comment(w_.spread->name + ": the next pairs, one a word"));
    copy(block, *w_.spread, spread_from_, spread_to_, rows);
    block.push_back(instruction(Opcode::fence, {}));
    for (const StreamedOperand& o : w_.streams.operands) {
      if (o.covers_hoisted) continue;
      if (rows != w_.rows) {
        const auto last = static_cast<int>(o.pattern.dimensions.size()) - 1;
        block.push_back(configure_stream(b_.constant(block, rows - 1, "rows that are left"),
                                         stream_config::bound + last, o.mover));
      }
    }
    Register below = b_.program.new_integer("pointer below");
    const std::vector<StreamedOperand>& o = w_.streams.operands;
    b_.add_immediate(block, below, stream_, o[1].pattern.offset);
    block.push_back(start_stream(w_.streams, o[0], stream_));
    block.push_back(start_stream(w_.streams, o[1], below));
    b_.add_immediate(block, stream_, stream_, w_.rows * w_.spread->target_row);
  }
  if (first) b_.streams_on(block);
  const std::int64_t tiles = rows * w_.row_tiles;
  Block body = tile();
  if (tiles == 1) {
    for (Node& node : body) block.push_back(std::move(node));
  } else {
    block.push_back(loop(tiles, rows == w_.rows ? tiles_.reg : rest_tiles_.reg, std::move(body),
                         true, "tiles"));
  }
}

void FoldedLowering::run() {
  std::vector<Count> counts;
  tiles_.value = w_.rows * w_.row_tiles - 1;
  rest_tiles_.value = rest_ * w_.row_tiles - 1;
  if (tiles_.value > 0) counts.push_back(tiles_);
  if (rest_tiles_.value > 0) counts.push_back(rest_tiles_);
  lower_stream_setup(b_, b_.body, w_.streams, counts);
  for (const Count& count : counts) {
    if (count.value == tiles_.value) tiles_.reg = count.reg;
    if (count.value == rest_tiles_.value) rest_tiles_.reg = count.reg;
  }
  const auto pointer = [&](const std::string& role, int argument, std::int64_t offset) {
    const Register reg = b_.program.new_integer(role);
    b_.add_immediate(b_.body, reg, argument_register(argument), offset);
    return reg;
  };
  if (w_.spread) {
    const int workspace = n_.operands[0].argument;
    stream_ = pointer("stream pointer", workspace, 0);
    spread_from_ = pointer(w_.spread->name + " pointer", w_.spread->argument, 0);
    spread_to_ = pointer("workspace pointer", workspace, 0);
    copy(b_.body, *w_.spread_first, spread_from_, spread_to_, 1);
  }
  results_ = pointer("results pointer", w_.take.argument, w_.take.offset);
  output_ = pointer(w_.take.name + " pointer", w_.output_argument, 0);
  chunk(b_.body, w_.rows, true);
  if (chunks_ > 1) {
    Block body;
    chunk(body, w_.rows, false);
    take(body, w_.rows);
    if (chunks_ == 2) {
      for (Node& node : body) b_.body.push_back(std::move(node));
    } else {
      b_.body.push_back(
          loop(chunks_ - 1, b_.program.new_integer("chunk loop"), std::move(body), false));
    }
  }
  if (rest_ > 0) {
    chunk(b_.body, rest_, false);
    take(b_.body, w_.rows);
  }
  lower_drain(b_);
  take(b_.body, rest_ > 0 ? rest_ : w_.rows);
}

}  // namespace

void lower_folded(KernelBuilder& builder, const FoldedWindows& windows) {
  FoldedLowering(builder, windows).run();
}

}  // namespace quern::generator::snitch
