// The run loop over one verilated configuration; a template because Verilator names a class a
// configuration.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "boards/snitch/harness/machine.h"
#include "boards/snitch/harness/memory.h"
#include "verilated.h"

namespace quern::snitch {

// `Tcdm` gives the array of 64-bit words of the model's TCDM.
template <class Model, int harts, auto tcdm_of>
class VerilatedMachine : public Machine {
 public:
  RunResult run(const ElfImage& image, const RunOptions& options) override {
    VerilatedContext context;
    const auto model = std::make_unique<Model>(&context);
    Memory memory(options);
    current_memory() = &memory;
    load(image, *model, memory);

    model->boot_i = image.entry;
    model->trace_i = options.trace ? 1 : 0;
    model->look_i = 0;
    model->rst_i = 1;
    for (int i = 0; i < 4; ++i) tick(*model);
    model->rst_i = 0;
    while (!memory.ended) {
      tick(*model);
      if (model->quiet_o > options.deadlock_cycles) {
        memory.result.end = RunEnd::deadlock;
        memory.result.message = deadlock_message(*model);
        break;
      }
      if (model->cycle_o >= options.max_cycles && !memory.ended) {
        memory.result.end = RunEnd::time_out;
        memory.result.message = fmt::format("no end within {} cycles; {}", options.max_cycles,
                                            deadlock_message(*model));
        break;
      }
    }
    RunResult result = std::move(memory.result);
    result.cycles = model->cycle_o;
    for (int hart = 0; hart < harts; ++hart) {
      look(*model, hart);
      result.instructions += model->look_retired_o;
      result.fpu_issues += model->look_fpu_issues_o;
    }
    current_memory() = nullptr;
    model->final();
    return result;
  }

 private:
  static void tick(Model& model) {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
  }

  static void look(Model& model, int hart) {
    model.look_i = static_cast<std::uint8_t>(hart);
    model.eval();
  }

  static void load(const ElfImage& image, Model& model, Memory& memory) {
    for (const ElfSegment& segment : image.segments) {
      for (std::size_t i = 0; i < segment.bytes.size(); ++i) {
        const auto address = static_cast<std::uint32_t>(segment.address + i);
        if (memory.load(address, segment.bytes[i])) continue;
        if (!in_tcdm(address))
          throw bad_input(
              "the program has a segment at {:#010x}; expected DRAM (from {:#010x}, {} "
              "MiB) or TCDM (from {:#010x}, {} KiB)",
              address, dram_base, dram_bytes >> 20, tcdm_base, tcdm_bytes >> 10);
        auto& word = tcdm_of(model)[(address - tcdm_base) / 8];
        const int shift = 8 * static_cast<int>(address & 7);
        word =
            (word & ~(std::uint64_t{0xff} << shift)) | (std::uint64_t{segment.bytes[i]} << shift);
      }
    }
    if (image.entry % 4 != 0 || !in_dram(image.entry))
      throw bad_input("the program starts at {:#010x}; expected a word address in DRAM",
                      image.entry);
    const auto tohost = image.symbols.find("tohost");
    if (tohost == image.symbols.end() || !in_dram(tohost->second))
      throw bad_input(
          "the program has no symbol tohost in DRAM; expected one: a store there ends the run");
    memory.tohost = tohost->second;
  }

  // What every hart waits for; streams by name.
  static std::string deadlock_message(Model& model) {
    std::string message;
    int asleep = 0;
    for (int hart = 0; hart < harts; ++hart) {
      look(model, hart);
      if (model.look_sleeping_o) {
        ++asleep;
        continue;
      }
      if (!message.empty()) message += "; ";
      message += fmt::format("hart {}: ", hart);
      bool stream = false;
      for (int s = 0; s < 3; ++s) {
        if (!(model.look_waits_read_o & (1 << s))) continue;
        stream = true;
        if (model.look_running_o & (1 << s))
          message += fmt::format("SSR{} read stream starves: ", s);
        else
          message += fmt::format("SSR{} read stream has ended: ", s);
        message += fmt::format(
            "FP instruction {:08x} waits for an element, {} were delivered of {} fetched by the "
            "last job; ",
            model.look_fp_insn_o, model.look_delivered_o[s], model.look_issued_o[s]);
      }
      for (int s = 0; s < 3; ++s) {
        if (!(model.look_waits_write_o & (1 << s))) continue;
        stream = true;
        message += fmt::format(
            "SSR{} write stream is full: a result waits, {} elements were taken and {} stored by "
            "the "
            "last job{}; ",
            s, model.look_delivered_o[s], model.look_issued_o[s],
            model.look_running_o & (1 << s) ? "" : ", which has ended or never started");
      }
      if (model.look_barrier_o)
        message += "waits at the barrier, ";
      else if (!stream && model.look_fp_busy_o)
        message +=
            fmt::format("the FP subsystem waits with instruction {:08x}, ", model.look_fp_insn_o);
      message += fmt::format("integer core at pc {:#010x} (instruction {:08x})", model.look_pc_o,
                             model.look_insn_o);
    }
    if (message.empty())
      message =
          "every hart sleeps in wfi and no interrupt is pending; the program did not write tohost";
    else if (asleep > 0)
      message += fmt::format("; {} harts sleep", asleep);
    return message;
  }
};

}  // namespace quern::snitch
