#include "boards/snitch/interpreter/core.h"

#include <fmt/format.h>

namespace quern::snitch::interpreter {

Core::Core(const ElfImage& image, const InterpreterOptions& options, InterpreterResult& result)
    : options_(options),
      result_(result),
      memory_(image, options.memory_everywhere),
      stream_memory_{
          [this](std::uint32_t offset) { return memory_.load(Memory::kTcdm + offset, 8); },
          [this](std::uint32_t offset, std::uint64_t value) {
            memory_.store(Memory::kTcdm + offset, 8, value);
          }},
      streams_{Stream(0, stream_memory_), Stream(1, stream_memory_), Stream(2, stream_memory_)},
      sequencer_(options.sequencer_entries, options.sequencer_levels,
                 [this](const FpOffload& offload) { execute_offload(offload); }),
      pc_(image.entry) {
  const auto tohost = image.symbols.find("tohost");
  tohost_ = tohost == image.symbols.end() ? 1 : tohost->second;  // 1: no store matches
}

bool Core::run() {
  while (!exited_) {
    if (issued_ >= options_.instruction_limit) return false;
    step();
  }
  if (sequencer_.collecting()) {
    throw SequencerMisuse("the program ended inside an frep.o body");
  }
  return true;
}

void Core::finish() {
  for (const Stream& stream : streams_) result_.stream_leftover += stream.leftover();
  result_.console = memory_.console;
}

void Core::step() {
  const auto bits = static_cast<std::uint32_t>(memory_.load(pc_, 4));
  next_pc_ = pc_ + 4;
  if (!execute_integer(bits) && !execute_memory(bits) && !execute_atomic(bits) &&
      !execute_system(bits) && !execute_custom(bits) && !execute_float(bits)) {
    throw IllegalInstruction(fmt::format("{:#010x}", bits));
  }
  ++issued_;
  ++result_.counters.instructions;
  pc_ = next_pc_;
}

void Core::jump(std::uint32_t target) {
  if (target % 4 != 0) throw AccessFault(true, fmt::format("jump to {:#x} is misaligned", target));
  next_pc_ = target;
}

}  // namespace quern::snitch::interpreter
