#include "boards/snitch/interpreter/interpreter.h"

#include <fmt/format.h>

#include "boards/snitch/interpreter/core.h"

namespace quern::snitch::interpreter {

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::exited:
      return "exited";
    case Outcome::illegal_instruction:
      return "illegal_instruction";
    case Outcome::misaligned:
      return "misaligned";
    case Outcome::bad_address:
      return "bad_address";
    case Outcome::stream_misuse:
      return "stream_misuse";
    case Outcome::sequencer_misuse:
      return "sequencer_misuse";
    case Outcome::timeout:
      return "timeout";
  }
  return "?";
}

InterpreterResult interpret(const ElfImage& image, const InterpreterOptions& options,
                            const std::function<void(const MemoryReader&)>& inspect) {
  InterpreterResult result;
  Core core(image, options, result);
  const auto stop = [&](Outcome outcome, const std::string& what) {
    result.outcome = outcome;
    result.message = fmt::format("{}: {} (pc {:#x})", outcome_name(outcome), what, core.pc());
  };
  try {
    if (!core.run()) {
      stop(Outcome::timeout, fmt::format("{} instructions", options.instruction_limit));
    }
  } catch (const IllegalInstruction& error) {
    stop(Outcome::illegal_instruction, error.what());
  } catch (const AccessFault& error) {
    stop(error.misaligned ? Outcome::misaligned : Outcome::bad_address, error.what());
  } catch (const StreamMisuse& error) {
    stop(Outcome::stream_misuse, error.what());
  } catch (const SequencerMisuse& error) {
    stop(Outcome::sequencer_misuse, error.what());
  }
  core.finish();
  if (inspect) {
    inspect([&](std::uint32_t address) {
      return static_cast<std::uint8_t>(core.memory().load(address, 1));
    });
  }
  return result;
}

}  // namespace quern::snitch::interpreter
