#include "generator/snitch/stream_nest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"

namespace quern::generator::snitch {
namespace {

std::int64_t product(const std::vector<TiledLoop>& loops) {
  std::int64_t total = 1;
  for (const TiledLoop& loop : loops) total *= loop.extent;
  return total;
}

void append(StreamPattern& pattern, const std::vector<TiledLoop>& loops, const Operand& operand) {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    pattern.dimensions.push_back(
        {loop->extent, loop->step * operand.map.coefficients[loop->iterator]});
  }
}

// Is the operand different from one iteration of the loop to the next?
bool moves(const Operand& operand, const TiledLoop& loop) {
  return loop.extent > 1 && operand.map.coefficients[loop.iterator] != 0;
}

StreamPattern pattern_of(const StreamNest& nest, const Operand& operand, bool with_hoisted,
                         bool output, const Machine& machine) {
  StreamPattern pattern;
  pattern.offset = operand.map.offset;
  if (output && nest.nest.sums_lanes()) {
    // Two neighbouring results leave as one word.
    std::vector<TiledLoop> jam = nest.jam;
    QUERN_CHECK(!jam.empty() && jam.back().extent % 2 == 0);
    jam.back().extent /= 2;
    jam.back().step *= 2;
    append(pattern, jam, operand);
  } else {
    append(pattern, nest.jam, operand);
  }
  if (!output) append(pattern, nest.reductions, operand);
  append(pattern, nest.tiles, operand);
  if (with_hoisted) append(pattern, nest.hoisted, operand);
  return simplify(pattern, !output, machine);
}

// The largest divisor of `extent` up to `limit`.
std::int64_t repeat_factor(std::int64_t extent, std::int64_t limit) {
  std::int64_t factor = std::min(extent, limit);
  while (extent % factor != 0) --factor;
  return factor;
}

// Read streams in the order in which they get movers. Mover 0 shares its port with the integer
// core, which copies rows while the streams run: what is fetched every cycle goes to the last one.
std::vector<int> read_order(const LoopNest& nest) {
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(nest.operands.size()); ++i) {
    if (nest.operands[i].access == Access::in && i != nest.init_operand) order.push_back(i);
  }
  if (nest.staged() != nullptr) {
    std::stable_partition(order.begin(), order.end(),
                          [&](int i) { return nest.operands[i].broadcast; });
  }
  return order;
}

bool place(StreamNest& nest, bool output_in_memory, const Machine& machine, std::string& why) {
  nest.operands.clear();
  const int write_mover = static_cast<int>(machine.movers) - 1;
  const std::vector<int> reads = read_order(nest.nest);
  const int first_mover =
      nest.nest.staged() != nullptr ? write_mover - static_cast<int>(reads.size()) : 0;
  for (int i = 0; i < static_cast<int>(nest.nest.operands.size()); ++i) {
    const Operand& operand = nest.nest.operands[i];
    const bool output = operand.access == Access::out;
    StreamedOperand placed;
    placed.operand = i;
    if (operand.access == Access::scalar || i == nest.nest.init_operand) {
      placed.place = StreamedOperand::Place::registers;
    } else if (output && output_in_memory) {
      placed.place = StreamedOperand::Place::memory;
    } else {
      placed.mover = write_mover;
      if (!output) {
        placed.mover = first_mover +
                       static_cast<int>(std::find(reads.begin(), reads.end(), i) - reads.begin());
      }
      if ((placed.mover >= write_mover && !output) || placed.mover < 0) {
        why = fmt::format("{} needs more than {} read streams", nest.nest.name, write_mover);
        return false;
      }
      placed.pattern = pattern_of(nest, operand, true, output, machine);
      placed.covers_hoisted = !operand.staging && (nest.hoisted.empty() ||
                                                   unstreamable(placed.pattern, machine).empty());
      if (!placed.covers_hoisted) {
        placed.pattern = pattern_of(nest, operand, false, output, machine);
      }
      const std::string reason = unstreamable(placed.pattern, machine);
      if (!reason.empty()) {
        why = fmt::format("{}: {}", operand.name, reason);
        return false;
      }
    }
    nest.operands.push_back(std::move(placed));
  }
  return true;
}

}  // namespace

std::int64_t StreamPattern::elements() const {
  std::int64_t count = repeat;
  for (const StreamDimension& d : dimensions) count *= d.extent;
  return count;
}

std::vector<std::int64_t> StreamPattern::increments() const {
  std::vector<std::int64_t> result;
  std::int64_t travelled = 0;  // by all inner dimensions in one go
  for (const StreamDimension& d : dimensions) {
    result.push_back(d.stride - travelled);
    travelled += d.stride * (d.extent - 1);
  }
  return result;
}

StreamPattern simplify(StreamPattern pattern, bool may_repeat, const Machine& machine) {
  std::vector<StreamDimension> dimensions;
  for (const StreamDimension& d : pattern.dimensions) {
    if (d.extent == 1) continue;
    if (dimensions.empty() && d.stride == 0 && may_repeat &&
        pattern.repeat * d.extent <= machine.stream_repeat) {
      pattern.repeat *= d.extent;
    } else if (const std::int64_t factor =
                   repeat_factor(d.extent, machine.stream_repeat / pattern.repeat);
               dimensions.empty() && d.stride == 0 && may_repeat && factor > 1) {
      // Too many for the repeat register: as many as divide the number, the rest fetches again.
      pattern.repeat *= factor;
      dimensions.push_back({d.extent / factor, 0});
    } else if (!dimensions.empty() &&
               d.stride == dimensions.back().stride * dimensions.back().extent &&
               dimensions.back().extent * d.extent <= machine.stream_bound) {
      dimensions.back().extent *= d.extent;
    } else {
      dimensions.push_back(d);
    }
  }
  if (dimensions.empty()) dimensions.push_back({1, machine.word});
  pattern.dimensions = std::move(dimensions);
  return pattern;
}

std::string unstreamable(const StreamPattern& pattern, const Machine& machine) {
  if (pattern.dimensions.size() > machine.stream_dimensions) {
    return fmt::format("needs {} dimensions, a stream has {}", pattern.dimensions.size(),
                       machine.stream_dimensions);
  }
  if (pattern.offset % machine.word != 0) {
    return fmt::format("offset {} is no multiple of {} bytes", pattern.offset, machine.word);
  }
  for (const StreamDimension& d : pattern.dimensions) {
    if (d.stride % machine.word != 0) {
      return fmt::format("stride {} is no multiple of {} bytes", d.stride, machine.word);
    }
    if (d.extent > machine.stream_bound) {
      return fmt::format("{} iterations, a dimension has at most {}", d.extent,
                         machine.stream_bound);
    }
  }
  return {};
}

std::int64_t StreamNest::tile_count() const { return product(tiles); }
std::int64_t StreamNest::reduction_length() const { return product(reductions); }
std::int64_t StreamNest::jam_factor() const { return product(jam); }

const StreamedOperand* StreamNest::find(int operand) const {
  for (const StreamedOperand& o : operands) {
    if (o.operand == operand) return &o;
  }
  return nullptr;
}

std::optional<StreamNest> place_streams(const LoopNest& nest, const JamFactors& jam,
                                        bool output_in_memory, const Machine& machine,
                                        std::string& why) {
  StreamNest result;
  result.nest = nest;
  const bool stored_singly = nest.sums_lanes() && nest.iterators.size() > 1 && !nest.paired;
  output_in_memory = output_in_memory || stored_singly;
  for (int d = 0; d < static_cast<int>(nest.iterators.size()); ++d) {
    const Iterator& iterator = nest.iterators[d];
    if (iterator.kind == IteratorKind::reduction) {
      result.reductions.push_back({d, iterator.extent, 1});
      continue;
    }
    QUERN_CHECK(iterator.extent % jam[d] == 0);
    result.tiles.push_back({d, iterator.extent / jam[d], jam[d]});
    if (jam[d] > 1) result.jam.push_back({d, jam[d], 1});
  }
  // Values that are kept in registers while the sequencer runs must not change below the integer
  // loops.
  if (nest.init == Init::operand) {
    const Operand& kept = nest.operands[nest.init_operand];
    std::stable_partition(result.tiles.begin(), result.tiles.end(),
                          [&](const TiledLoop& loop) { return moves(kept, loop); });
    while (!result.tiles.empty() && moves(kept, result.tiles.front())) {
      result.hoisted.push_back(result.tiles.front());
      result.tiles.erase(result.tiles.begin());
    }
  }
  // Rows are staged by the integer core, in a loop of its own.
  const bool staged = nest.staged() != nullptr;
  if (staged) {
    const auto row = std::find_if(result.tiles.begin(), result.tiles.end(),
                                  [](const TiledLoop& loop) { return loop.iterator == 0; });
    QUERN_CHECK(row != result.tiles.end());
    result.hoisted.push_back(*row);
    result.tiles.erase(row);
  }
  // A store in the sequencer repeats one address: tiles that end in stores are issued by the core.
  if (stored_singly) {
    result.hoisted.insert(result.hoisted.end(), result.tiles.begin(), result.tiles.end());
    result.tiles.clear();
  }
  // What does not fit into the dimensions of a stream becomes an integer loop, outermost first.
  while (!place(result, output_in_memory, machine, why)) {
    if (result.tiles.empty()) return std::nullopt;
    result.hoisted.push_back(result.tiles.front());
    result.tiles.erase(result.tiles.begin());
  }
  // An integer loop of one iteration is none.
  std::erase_if(result.hoisted, [&](const TiledLoop& loop) {
    return loop.extent == 1 && !(staged && loop.iterator == 0);
  });
  if (result.hoisted.empty()) {
    for (StreamedOperand& operand : result.operands) operand.covers_hoisted = true;
  }
  return result;
}

std::string print(const StreamPattern& pattern) {
  std::vector<std::int64_t> extents, strides;
  for (const StreamDimension& d : pattern.dimensions) {
    extents.push_back(d.extent);
    strides.push_back(d.stride);
  }
  std::string text = fmt::format("{} ({})", fmt::join(extents, "x"), fmt::join(strides, ","));
  if (pattern.repeat > 1) text += fmt::format(" repeat {}", pattern.repeat);
  if (pattern.offset != 0) text += fmt::format(" at {}", pattern.offset);
  return text;
}

std::string print(const StreamNest& nest) {
  std::string text = fmt::format("streams {} {{\n", nest.nest.name), space = "  ";
  const auto loops = [&](std::string_view kind, const std::vector<TiledLoop>& list) {
    for (const TiledLoop& loop : list) {
      text += fmt::format("{}{} {}: {}{}\n", space, kind, nest.nest.iterators[loop.iterator].name,
                          loop.extent, loop.step > 1 ? fmt::format(" by {}", loop.step) : "");
      space += "  ";
    }
  };
  loops("for", nest.hoisted);
  loops("tile", nest.tiles);
  loops("reduce", nest.reductions);
  loops("jam", nest.jam);
  for (const StreamedOperand& o : nest.operands) {
    const Operand& operand = nest.nest.operands[o.operand];
    const char* arrow = operand.access == Access::out ? "->" : "<-";
    switch (o.place) {
      case StreamedOperand::Place::stream:
        text += fmt::format("  ft{} {} {}  {}{}\n", o.mover, arrow, operand.name, print(o.pattern),
                            o.covers_hoisted ? "" : " per integer iteration");
        break;
      case StreamedOperand::Place::registers:
        text += fmt::format("  registers {} {}\n", arrow, operand.name);
        break;
      case StreamedOperand::Place::memory:
        text += fmt::format("  memory {} {}\n", arrow, operand.name);
        break;
    }
  }
  return text + "}\n";
}

}  // namespace quern::generator::snitch
