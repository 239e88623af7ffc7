#include "boards/snitch/harness/memory.h"

#include <fmt/format.h>

#include <cstdlib>
#include <new>

#include "boards/snitch/fpu/instruction.h"

namespace quern::snitch {
namespace {

void print(RunResult& result, const RunOptions& options, const std::string& text) {
  if (options.console)
    options.console(text);
  else
    result.console += text;
}

}  // namespace

Memory*& current_memory() {
  thread_local Memory* memory = nullptr;
  return memory;
}

Memory::Memory(const RunOptions& options)
    // calloc: pages appear when they are touched.
    : dram_(static_cast<std::uint64_t*>(std::calloc(dram_bytes / 8, 8))), options_(options) {
  if (!dram_) throw std::bad_alloc();
}

std::uint64_t* Memory::word(std::uint32_t address) {
  if (!in_dram(address)) return nullptr;
  return dram_.get() + (address - dram_base) / 8;
}

bool Memory::load(std::uint32_t address, std::uint8_t byte) {
  std::uint64_t* w = word(address);
  if (!w) return false;
  const int shift = 8 * static_cast<int>(address & 7);
  *w = (*w & ~(std::uint64_t{0xff} << shift)) | (std::uint64_t{byte} << shift);
  return true;
}

void Memory::fail(RunEnd end, std::string message) {
  if (ended) return;
  ended = true;
  result.end = end;
  result.message = std::move(message);
}

std::uint64_t Memory::read(std::uint32_t address) {
  if (const std::uint64_t* w = word(address)) return *w;
  if ((address >> 16) == 0x1003 || (address >> 16) == 0xffff) return 0;  // zero memory, clint
  if ((address >> 28) == 0xf) return 0;
  const std::uint64_t value = stray_.read(address);
  stray(fmt::format("load from {:#010x}, where there is no memory, gave {}", address,
                    value == 0 ? "zeros" : "what was stored there"));
  return value;
}

// The test bench of the original has memory at every address, so such an access is the end of a run
// only where that is asked for.
void Memory::stray(const std::string& what) {
  if (options_.strict)
    fail(RunEnd::access, what);
  else if (result.warning.empty())
    result.warning = what;
}

std::uint64_t Memory::fetch(std::uint32_t address) {
  const std::uint64_t* w = word(address);
  return w ? *w : stray_.read(address);  // zeros are an illegal instruction
}

void Memory::write(int hart, std::uint32_t address, std::uint64_t data, unsigned strobes) {
  if (std::uint64_t* w = word(address)) {
    std::uint64_t mask = 0;
    for (int i = 0; i < 8; ++i)
      if (strobes & (1U << i)) mask |= std::uint64_t{0xff} << (8 * i);
    *w = (*w & ~mask) | (data & mask);
    if (tohost != 0 && (address & ~7U) == (tohost & ~7U) && (strobes & 1) && (data & 1) && !ended) {
      ended = true;
      result.end = RunEnd::exited;
      result.code = static_cast<int>((data & 0xffffffffU) >> 1);
      result.message = fmt::format("the program ended with code {}", result.code);
    }
    return;
  }
  const std::uint32_t value = static_cast<std::uint32_t>(data >> ((address & 4) ? 32 : 0));
  if (address == putchar_address) {
    print(result, options_, std::string(1, static_cast<char>(data & 0xff)));
  } else if (address == print_address) {
    print(result, options_, fmt::format("{}", value));
  } else if ((address >> 28) != 0xf && (address >> 16) != 0x1003) {
    stray(fmt::format("hart {}: store to {:#010x}, where there is no memory", hart, address));
    if (!stray_.write(address, data, strobes)) {
      fail(RunEnd::access,
           fmt::format("hart {}: store to {:#010x}: more than {} MiB outside of memory are in use",
                       hart, address, StrayMemory::max_pages * StrayMemory::page_bytes >> 20));
    }
  }
}

void Memory::stop(int hart, int why, std::uint32_t pc, std::uint32_t instruction) {
  switch (why) {
    case 1:
      fail(RunEnd::illegal, fmt::format("hart {}: illegal instruction {:#010x} at pc {:#010x}",
                                        hart, instruction, pc));
      break;
    case 2:
    case 3:
    case 4:
      fail(RunEnd::misaligned,
           fmt::format("hart {}: misaligned {} at pc {:#010x} (instruction {:#010x})", hart,
                       why == 2   ? "load"
                       : why == 3 ? "store"
                                  : "jump",
                       pc, instruction));
      break;
    case 7:
      fail(RunEnd::access,
           fmt::format("hart {}: atomic access to {:#010x}; expected the TCDM (pc {:#010x})", hart,
                       instruction, pc));
      break;
    default:
      fail(RunEnd::trapped, fmt::format("hart {}: {} at pc {:#010x} without a trap handler", hart,
                                        why == 5 ? "ebreak" : "ecall", pc));
  }
}

void Memory::trace(int hart, std::uint64_t cycle, std::uint32_t pc, std::uint32_t instruction,
                   int kind) {
  if (!options_.trace) return;
  // kind: 0 the integer core retires, 1 the FP subsystem issues, 2 the same from an FREP
  // repetition.
  if (kind == 0)
    options_.trace(fmt::format("{:10} hart {} core {:#010x} {:08x}", cycle, hart, pc, instruction));
  else
    options_.trace(fmt::format("{:10} hart {} {} {:10} {:08x}", cycle, hart,
                               kind == 2 ? "frep" : "fpss", "", instruction));
}

}  // namespace quern::snitch

// The DPI functions that the RTL imports. Their C types are those of the DPI standard.
extern "C" {

long long quern_snitch_read(int address) {
  return static_cast<long long>(
      quern::snitch::current_memory()->read(static_cast<std::uint32_t>(address)));
}

long long quern_snitch_fetch(int address) {
  return static_cast<long long>(
      quern::snitch::current_memory()->fetch(static_cast<std::uint32_t>(address)));
}

void quern_snitch_write(int hart, int address, long long data, int strobes) {
  quern::snitch::current_memory()->write(hart, static_cast<std::uint32_t>(address),
                                         static_cast<std::uint64_t>(data),
                                         static_cast<unsigned>(strobes));
}

void quern_snitch_stop(int hart, int why, int pc, int instruction) {
  quern::snitch::current_memory()->stop(hart, why, static_cast<std::uint32_t>(pc),
                                        static_cast<std::uint32_t>(instruction));
}

void quern_snitch_trace(int hart, long long cycle, int pc, int instruction, int kind) {
  quern::snitch::current_memory()->trace(hart, static_cast<std::uint64_t>(cycle),
                                         static_cast<std::uint32_t>(pc),
                                         static_cast<std::uint32_t>(instruction), kind);
}

void quern_snitch_fp(int instruction, long long rs1, long long rs2, long long rs3, long long rd,
                     int frm, int fmode, long long* value, int* flags) {
  using namespace quern::snitch;
  // Decoding the same few instructions again and again is most of the work: remember the last ones.
  struct Decoded {
    std::uint32_t bits = 0;
    FpInstruction instruction;
  };
  thread_local Decoded cache[64];
  const auto bits = static_cast<std::uint32_t>(instruction);
  Decoded& entry = cache[(bits ^ (bits >> 7) ^ (bits >> 14) ^ (bits >> 25)) & 63];
  if (entry.bits != bits) {
    const auto decoded = decode_fp(bits);
    entry.bits = bits;
    entry.instruction = decoded ? *decoded : FpInstruction{};
    entry.instruction.bits = bits;
  }
  FpOperands operands;
  operands.rs1 = static_cast<std::uint64_t>(rs1);
  operands.rs2 = static_cast<std::uint64_t>(rs2);
  operands.rs3 = static_cast<std::uint64_t>(rs3);
  operands.rd = static_cast<std::uint64_t>(rd);
  operands.frm = static_cast<std::uint8_t>(frm);
  operands.source_alt = (fmode & 2) != 0;
  operands.result_alt = (fmode & 1) != 0;
  const FpResult result = execute_fp(entry.instruction, operands);
  *value = static_cast<long long>(result.value);
  *flags = result.flags;
}

}  // extern "C"
