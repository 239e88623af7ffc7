// Stream configuration with as few instructions as possible: equal words go to all streams at once,
// equal values share a register.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "generator/snitch/lowering.h"

namespace quern::generator::snitch {
namespace {

struct Write {
  int config_register;
  int stream;  // kAllStreams: all
  std::int64_t value;
};

// One word for each stream that cares about it.
using Words = std::map<int, std::int64_t>;

std::vector<Write> writes_of(const StreamNest& nest) {
  std::map<int, Words> words;  // by configuration register
  for (const StreamedOperand& o : nest.operands) {
    if (o.place != StreamedOperand::Place::stream) continue;
    const std::vector<std::int64_t> increments = o.pattern.increments();
    for (std::size_t d = 0; d < o.pattern.dimensions.size(); ++d) {
      const int dimension = static_cast<int>(d);
      words[stream_config::bound + dimension][o.mover] = o.pattern.dimensions[d].extent - 1;
      words[stream_config::stride + dimension][o.mover] = increments[d];
    }
    // Write streams ignore the repeat register.
    if (nest.nest.operands[o.operand].access != Access::out) {
      words[stream_config::repeat][o.mover] = o.pattern.repeat - 1;
    }
  }
  std::vector<Write> writes;
  for (const auto& [config_register, values] : words) {
    // The most frequent value, if more than one stream wants it, is broadcast first.
    std::map<std::int64_t, int> votes;
    for (const auto& [stream, value] : values) ++votes[value];
    const auto winner =
        std::max_element(votes.begin(), votes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool broadcast = winner->second > 1;
    if (broadcast) writes.push_back({config_register, kAllStreams, winner->first});
    for (const auto& [stream, value] : values) {
      if (!broadcast || value != winner->first) writes.push_back({config_register, stream, value});
    }
  }
  return writes;
}

}  // namespace

Node start_stream(const StreamNest& nest, const StreamedOperand& operand, Register pointer) {
  const bool output = nest.nest.operands[operand.operand].access == Access::out;
  const int dimensions = static_cast<int>(operand.pattern.dimensions.size());
  return configure_stream(
      pointer,
      (output ? stream_config::write_pointer : stream_config::read_pointer) + dimensions - 1,
      operand.mover);
}

void lower_stream_setup(KernelBuilder& builder, Block& block, const StreamNest& nest,
                        std::vector<Count>& counts) {
  std::vector<Write> writes = writes_of(nest);
  // Broadcasts must precede the single writes that correct them; beyond that the order is free, so
  // writes of one value stand together.
  std::stable_partition(writes.begin(), writes.end(),
                        [](const Write& w) { return w.stream == kAllStreams; });
  std::vector<bool> done(writes.size(), false);
  std::map<std::int64_t, Register> kept;
  for (Count& count : counts) {
    if (count.value == 0) count.reg = zero_register;
  }
  const auto ready = [&](std::size_t i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!done[j] && writes[j].config_register == writes[i].config_register) return false;
    }
    return true;
  };
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (done[i]) continue;
    const std::int64_t value = writes[i].value;
    Register reg = zero_register;
    if (const auto found = kept.find(value); found != kept.end()) {
      reg = found->second;
    } else if (value != 0) {
      const auto count = std::find_if(counts.begin(), counts.end(),
                                      [&](const Count& c) { return c.value == value; });
      reg = builder.constant(block, value,
                             count == counts.end() ? std::string("stream set-up") : count->role);
      kept[value] = reg;
      for (Count& c : counts) {
        if (c.value == value) c.reg = reg;
      }
    }
    for (std::size_t j = i; j < writes.size(); ++j) {
      if (done[j] || writes[j].value != value || !ready(j)) continue;
      block.push_back(configure_stream(reg, writes[j].config_register, writes[j].stream));
      done[j] = true;
    }
  }
  for (const StreamedOperand& o : nest.operands) {
    if (o.place != StreamedOperand::Place::stream || !o.covers_hoisted) continue;
    Register pointer = argument_register(nest.nest.operands[o.operand].argument);
    if (o.pattern.offset != 0) {
      const Register moved = builder.program.new_integer("stream set-up");
      builder.add_immediate(block, moved, pointer, o.pattern.offset);
      pointer = moved;
    }
    block.push_back(start_stream(nest, o, pointer));
  }
  for (Count& count : counts) {
    if (count.reg.kind == Register::Kind::none) {
      count.reg = builder.constant(block, count.value, count.role);
    }
  }
}

}  // namespace quern::generator::snitch
