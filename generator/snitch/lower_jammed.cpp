// The fast path: streams in and out, tiles in the sequencer, integer loops around them only for
// what the streams or the sequencer cannot do by themselves.
//
//   stream set-up
//   for n {                      where a bias or too many dimensions ask for it
//     for m {                    where rows of an operand are staged
//       copy the next rows       while the FPU is busy with the rows before
//       start their stream
//       frep tiles { tile }
//     }
//   }
#include "base/error.h"
#include "generator/snitch/lower_tile.h"

namespace quern::generator::snitch {
namespace {

class JammedLowering {
 public:
  JammedLowering(KernelBuilder& builder, const StreamNest& nest, bool frep)
      : b_(builder), s_(nest), n_(nest.nest), frep_(frep), tile_(builder, nest, frep) {}

  void run();

 private:
  // A pointer that an integer loop advances.
  struct Moving {
    const StreamedOperand* operand;
    Register pointer;
    std::int64_t travelled = 0;  // by the loops inside the one that is being written
  };
  // A staged operand: where its next rows come from and go to.
  struct Staged {
    const StreamedOperand* operand = nullptr;
    Register source, target, stream;  // target: of rows that keep their place
    Register both_buffers;            // sum of the two addresses
    std::int64_t rows = 0;            // for each iteration
  };

  const Operand& operand(const StreamedOperand& o) const { return n_.operands[o.operand]; }
  void set_up();
  void place_pointers();
  void stage_next(Block& block);
  void advance(Block& block, const TiledLoop& loop);
  Block integer_loops(Block inner);

  KernelBuilder& b_;
  const StreamNest& s_;
  const LoopNest& n_;
  const bool frep_;
  TileLowering tile_;
  bool tiles_are_loop_ = false;
  Count tiles_{0, "tile count", {}};
  std::vector<Moving> moving_;
  Staged staged_;
};

void JammedLowering::set_up() {
  const std::int64_t tiles = s_.tile_count();
  // Body and counts depend on each other: the body's size decides whether the tiles fit in the
  // sequencer.
  const std::int64_t entries = sequencer_entries(tile_.tile());
  tiles_are_loop_ = frep_ && tiles > 1 && entries <= b_.machine.sequencer_entries &&
                    tiles <= b_.machine.frep_iterations;
  std::vector<Count> counts = tile_.counts();
  const bool reduces = !counts.empty();
  if (tiles_are_loop_) counts.push_back({tiles - 1, tiles_.role, {}});
  Block setup;
  lower_stream_setup(b_, setup, s_, counts);
  b_.streams_on(setup);
  for (Node& node : setup) b_.body.push_back(std::move(node));
  if (reduces) tile_.set_count(counts.front().reg);
  if (tiles_are_loop_) tiles_.reg = counts.back().reg;
}

// What the integer loops advance, at its start.
void JammedLowering::place_pointers() {
  for (const StreamedOperand& o : s_.operands) {
    const bool kept = o.operand == n_.init_operand && !s_.hoisted.empty();
    const bool stored = o.place == StreamedOperand::Place::memory;
    const bool restarted = o.place == StreamedOperand::Place::stream && !o.covers_hoisted;
    if (!kept && !stored && !restarted) continue;
    const Operand& what = operand(o);
    const Register pointer = b_.program.new_integer(what.name + " pointer");
    b_.add_immediate(b_.body, pointer, argument_register(what.argument), what.map.offset);
    if (kept) tile_.bias_pointer = pointer;
    if (stored) tile_.output_pointer = pointer;
    moving_.push_back({&o, pointer});
    if (!what.staging) continue;
    staged_.operand = &o;
    staged_.stream = pointer;
    staged_.rows = what.staging->rows;
    for (const TiledLoop& loop : s_.jam) {
      if (loop.iterator == 0) staged_.rows *= loop.extent;
    }
    staged_.source = b_.program.new_integer(what.staging->name + " pointer");
    staged_.target = b_.program.new_integer("workspace pointer");
    if (!what.staging->alternating) continue;
    staged_.both_buffers = b_.program.new_integer("both buffers");
    b_.add_immediate(b_.body, staged_.both_buffers, pointer,
                     staged_.rows * what.staging->target_row);
    b_.body.push_back(
        instruction(Opcode::add, staged_.both_buffers, staged_.both_buffers, pointer));
  }
}

void JammedLowering::stage_next(Block& block) {
  const Staging& staging = *operand(*staged_.operand).staging;
  if (staging.alternating) b_.add_immediate(block, staged_.target, staged_.stream, 0);
  lower_staged_rows(b_, block, staging, staged_.source, staged_.target, staged_.rows);
}

// At the end of one iteration of an integer loop.
void JammedLowering::advance(Block& block, const TiledLoop& loop) {
  for (Moving& m : moving_) {
    const Operand& what = operand(*m.operand);
    if (what.staging && what.staging->alternating) {
      if (loop.iterator == 0) {
        block.push_back(instruction(Opcode::sub, m.pointer, staged_.both_buffers, m.pointer));
      }
      continue;
    }
    const std::int64_t step = what.map.coefficients[loop.iterator] * loop.step;
    b_.add_immediate(block, m.pointer, m.pointer, step - m.travelled);
    m.travelled = step * loop.extent;
  }
}

Block JammedLowering::integer_loops(Block inner) {
  Block block;
  for (const Moving& m : moving_) {
    if (m.operand->operand == n_.init_operand) {
      for (Node& node : tile_.bias_loads()) block.push_back(std::move(node));
    } else if (m.operand->place == StreamedOperand::Place::stream) {
      block.push_back(start_stream(s_, *m.operand, m.pointer));
    }
  }
  for (Node& node : inner) block.push_back(std::move(node));
  for (auto at = s_.hoisted.rbegin(); at != s_.hoisted.rend(); ++at) {
    const TiledLoop& loop = *at;
    const bool stages = staged_.operand != nullptr && loop.iterator == 0;
    Block body;
    if (stages) stage_next(body);
    for (Node& node : block) body.push_back(std::move(node));
    block.clear();
    if (stages) {
      const Staging& staging = *operand(*staged_.operand).staging;
      block.push_back(comment(staging.name + ": the next rows, while the ones before are at work"));
      b_.add_immediate(block, staged_.source, argument_register(staging.argument), staging.offset);
      if (!staging.alternating) {
        b_.add_immediate(block, staged_.target,
                         argument_register(operand(*staged_.operand).argument), staging.target);
        lower_staged_rows(b_, block, staging, staged_.source, staged_.target, staging.halo);
      }
    }
    if (loop.extent == 1) {
      for (Node& node : body) block.push_back(std::move(node));
      continue;
    }
    advance(body, loop);
    block.push_back(snitch::loop(loop.extent,
                                 b_.program.new_integer(n_.iterators[loop.iterator].name + " loop"),
                                 std::move(body), false));
  }
  return block;
}

void JammedLowering::run() {
  place_pointers();
  set_up();
  if (s_.hoisted.empty() && n_.init == Init::operand) {
    const Operand& bias = n_.operands[n_.init_operand];
    tile_.bias_pointer = b_.program.new_integer(bias.name + " pointer");
    b_.add_immediate(b_.body, tile_.bias_pointer, argument_register(bias.argument),
                     bias.map.offset);
    for (Node& node : tile_.bias_loads()) b_.body.push_back(std::move(node));
  }
  const std::int64_t tiles = s_.tile_count();
  Block body = tile_.tile();
  if (tiles > 1) {
    Block wrapped;
    wrapped.push_back(loop(tiles,
                           tiles_are_loop_ ? tiles_.reg : b_.program.new_integer("tile loop"),
                           std::move(body), tiles_are_loop_, "tiles"));
    body = std::move(wrapped);
  }
  for (Node& node : integer_loops(std::move(body))) b_.body.push_back(std::move(node));
}

}  // namespace

bool splits_fma(const LoopNest& nest) {
  return nest.body.op == ScalarOp::fma && !nest.has_reduction() &&
         (nest.lanes > 1 || nest.type != ScalarType::f64);
}

void lower_jammed(KernelBuilder& builder, const StreamNest& nest, bool frep) {
  JammedLowering(builder, nest, frep).run();
}

}  // namespace quern::generator::snitch
