// Staging as code of the integer core: blocks of loads, then stores, so that a load's latency is
// covered by the other loads.
//
//   row loop {  element loop { lw x U ... ; sw x copies x U ... ; advance }   rest of the row  }
#include <algorithm>
#include <map>

#include "base/error.h"
#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {
namespace {

constexpr std::int64_t kOffset = 2047;

class Copier {
 public:
  Copier(KernelBuilder& builder, const Staging& staging)
      : b_(builder), s_(staging), unroll_(staging.unroll()) {
    const std::vector<std::int64_t> loads = s_.loads(unroll_);
    walks_ = loads.back() > kOffset && s_.source_step * (unroll_ - 1) > kOffset / 2;
  }

  void rows(Block& block, Register source, Register target, std::int64_t count);

 private:
  // A register and the offset from the row's start that it stands for.
  struct Cursor {
    Register reg;
    std::int64_t base;
  };
  using Cursors = std::vector<Cursor>;

  // Registers so that each offset is within reach of one.
  Cursors cursors(Block& block, Register start, std::vector<std::int64_t> offsets,
                  std::int64_t reach, const std::string& role);
  static const Cursor& near(const Cursors& cursors, std::int64_t offset) {
    const auto found = std::find_if(cursors.rbegin(), cursors.rend(),
                                    [&](const Cursor& c) { return c.base <= offset; });
    QUERN_CHECK(found != cursors.rend());
    return *found;
  }
  void elements(Block& block, std::int64_t count);
  Block row(Register source, Register target);

  KernelBuilder& b_;
  const Staging& s_;
  const std::int64_t unroll_;
  bool walks_ = false;  // the source cursors move after every element
  Register step_{};
  Cursors sources_, targets_;
};

Copier::Cursors Copier::cursors(Block& block, Register start, std::vector<std::int64_t> offsets,
                                std::int64_t reach, const std::string& role) {
  std::sort(offsets.begin(), offsets.end());
  Cursors result{{start, 0}};
  for (std::int64_t offset : offsets) {
    if (offset + reach - result.back().base <= kOffset) continue;
    result.push_back({b_.program.new_integer(role), offset});
    b_.add_immediate(block, result.back().reg, start, offset);
  }
  return result;
}

void Copier::elements(Block& block, std::int64_t count) {
  const Opcode load = s_.element == 4 ? Opcode::lw : Opcode::lhu;
  std::map<std::int64_t, Register> loaded;  // by source offset
  const auto fetch = [&](std::int64_t offset, std::int64_t walked) {
    const auto [at, fresh] = loaded.try_emplace(offset);
    if (!fresh) return;
    at->second = b_.program.new_integer("staged elements");
    const Cursor& cursor = near(sources_, offset - walked);
    block.push_back(
        instruction(load, at->second, cursor.reg, {}, {}, offset - walked - cursor.base));
  };
  if (walks_) {
    for (std::int64_t e = 0; e < count; ++e) {
      for (const StagedCopy& copy : s_.copies) {
        fetch(copy.source + s_.source_step * e, s_.source_step * e);
      }
      for (const Cursor& cursor : sources_) {
        block.push_back(instruction(Opcode::add, cursor.reg, cursor.reg, step_));
      }
    }
  } else {
    for (std::int64_t offset : s_.loads(count)) {
      // Elements of one copy stay near its cursor.
      const auto copy = std::find_if(s_.copies.begin(), s_.copies.end(), [&](const auto& c) {
        return offset >= c.source && (offset - c.source) % s_.source_step == 0 &&
               (offset - c.source) / s_.source_step < count;
      });
      const std::int64_t inside = offset - copy->source;
      const auto [at, fresh] = loaded.try_emplace(offset);
      at->second = b_.program.new_integer("staged elements");
      const Cursor& cursor = near(sources_, copy->source);
      block.push_back(
          instruction(load, at->second, cursor.reg, {}, {}, copy->source + inside - cursor.base));
    }
  }
  for (std::int64_t e = 0; e < count; ++e) {
    for (const StagedCopy& copy : s_.copies) {
      const Cursor& cursor = near(targets_, copy.target);
      block.push_back(instruction(copy.bytes == 4 ? Opcode::sw : Opcode::sh, {}, cursor.reg,
                                  loaded.at(copy.source + s_.source_step * e), {},
                                  copy.target + s_.target_step * e - cursor.base));
    }
  }
  if (!walks_) {
    for (const Cursor& c : sources_) b_.add_immediate(block, c.reg, c.reg, s_.source_step * count);
  }
  for (const Cursor& c : targets_) b_.add_immediate(block, c.reg, c.reg, s_.target_step * count);
}

Block Copier::row(Register source, Register target) {
  Block block;
  std::vector<std::int64_t> from, to;
  for (const StagedCopy& copy : s_.copies) {
    from.push_back(copy.source);
    to.push_back(copy.target);
  }
  sources_ = cursors(block, source, from, walks_ ? 0 : s_.source_step * (unroll_ - 1),
                     s_.name + " cursor");
  targets_ = cursors(block, target, to, s_.target_step * (unroll_ - 1), "workspace cursor");
  const std::int64_t blocks = s_.count / unroll_;
  Block body;
  elements(body, unroll_);
  if (blocks > 1) {
    block.push_back(loop(blocks, b_.program.new_integer("element loop"), std::move(body), false));
  } else {
    for (Node& node : body) block.push_back(std::move(node));
  }
  if (s_.count % unroll_ != 0) elements(block, s_.count % unroll_);
  b_.add_immediate(block, source, source, s_.row - s_.source_step * s_.count);
  b_.add_immediate(block, target, target, s_.target_row - s_.target_step * s_.count);
  return block;
}

void Copier::rows(Block& block, Register source, Register target, std::int64_t count) {
  if (count == 0) return;
  if (walks_) step_ = b_.constant(block, s_.source_step, "source step");
  Block one = row(source, target);
  if (count == 1) {
    for (Node& node : one) block.push_back(std::move(node));
  } else {
    block.push_back(loop(count, b_.program.new_integer("row loop"), std::move(one), false));
  }
}

}  // namespace

void lower_staged_rows(KernelBuilder& b, Block& block, const Staging& staging, Register source,
                       Register target, std::int64_t rows) {
  Copier(b, staging).rows(block, source, target, rows);
  if (rows > 0) block.push_back(instruction(Opcode::fence, {}));
}

void lower_staging(KernelBuilder& b, const Staging& staging, int workspace_argument) {
  b.body.push_back(comment(staging.name + " into the workspace"));
  const Register source = b.program.new_integer(staging.name + " pointer"),
                 target = b.program.new_integer("workspace pointer");
  b.add_immediate(b.body, source, argument_register(staging.argument), staging.offset);
  b.add_immediate(b.body, target, argument_register(workspace_argument), staging.target);
  lower_staged_rows(b, b.body, staging, source, target, staging.rows);
}

}  // namespace quern::generator::snitch
